import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ApplySource } from '../../contract/apply-source.ts';
import { defined } from '../../contract/defined.ts';
import type { Env } from '../git.ts';
import { git } from '../git.ts';
import type { Plan } from './plan.ts';
import { planVariables, seal } from './plan.ts';
import { hashVariable } from './variables.ts';

/** The plan for saving, with its commit and hashes of the variables that it refers to. */
export async function withOrigin(
  { plan, variables }: { readonly plan: Plan; readonly variables: ReadonlyMap<string, string> },
  world: { readonly cwd: string; readonly env: Env },
): Promise<Plan> {
  const names = planVariables(plan);
  const hashes = names.map(
    async (name) => [name, await hashVariable(variables.get(name) ?? '')] as const,
  );
  const git = await readGitState(world);
  return seal({
    ...plan,
    ...defined({
      git,
      variables: names.length > 0 ? Object.fromEntries(await Promise.all(hashes)) : undefined,
    }),
  });
}

type GitState = NonNullable<Plan['git']>;

/** Files that may be applied: what else a CI job writes there is no change. */
const documentFiles = ['*.yaml', '*.yml'];

/** The commit of a directory, its branch, and whether it has uncommitted changes; undefined without git or outside a repo. */
export async function readGitState({
  cwd: folder,
  env,
}: {
  readonly cwd: string;
  readonly env: Env;
}): Promise<GitState | undefined> {
  const [sha, status, branch] = await Promise.all([
    git(folder, env, ['rev-parse', 'HEAD']),
    git(folder, env, ['status', '--porcelain', '--untracked-files=all', '--', ...documentFiles]),
    git(folder, env, ['symbolic-ref', '--quiet', '--short', 'HEAD']),
  ]);
  if (sha === undefined || status === undefined) return undefined;
  return {
    sha: sha.trim(),
    dirty: status.trim() !== '',
    ...defined({ branch: branch?.trim() ?? branchOfCi(env) }),
  };
}

/**
 * Files and submodules of these paths that are in git, and not in the directory: left out by a sparse checkout, or not
 * fetched. None without git or outside a repo.
 */
export async function listNotCheckedOut(
  paths: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Env },
): Promise<readonly string[]> {
  // One by one: for a path outside of the repo, git answers nothing at all.
  const listed = await Promise.all(
    paths.map((one) => git(cwd, env, ['ls-files', '-z', '-t', '--stage', '--', one])),
  );
  const lines = listed.flatMap((one = '') => one.split('\0'));
  return [...new Set(lines)].flatMap((line) => {
    const [, tag, mode, file = ''] = /^(\w) (\d+) \S+ \d\t(.*)$/s.exec(line) ?? [];
    const place = path.resolve(cwd, file);
    // One that git is told to skip may be there all the same, with changes that nobody is to commit.
    const isLeftOut = mode === submodule ? isEmptyFolder(place) : tag === 'S' && !existsSync(place);
    return isLeftOut ? [file] : [];
  });
}

/** The mode of an entry that is another repo. */
const submodule = '160000';

function isEmptyFolder(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true; // it is not there
  }
}

/** CI checks out a commit, and tells the branch in a variable: of GitHub, GitLab, Azure, Jenkins and Bitbucket. */
const branchOfCi = (env: Env): string | undefined =>
  [
    env.GITHUB_HEAD_REF,
    env.GITHUB_REF_NAME,
    env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME,
    env.CI_COMMIT_REF_NAME,
    env.BUILD_SOURCEBRANCHNAME,
    env.BRANCH_NAME,
    env.BITBUCKET_BRANCH,
  ].find((name) => name !== undefined && name !== '');

/** As a change says it to the service. */
export function sourceOf(state: GitState | undefined): ApplySource | undefined {
  const read = ApplySource.safeParse(
    state && {
      commit: state.sha,
      ...defined({ branch: state.branch }),
      ...(state.dirty ? { dirty: true } : {}),
    },
  );
  return read.success ? read.data : undefined;
}

/**
 * Whether the history of a directory's commit contains another; undefined without git, outside a repo, or where a shallow
 * clone, as CI makes it, may lack that commit.
 */
export async function isInHistory(
  commit: string,
  { cwd, env }: { readonly cwd: string; readonly env: Env },
): Promise<boolean | undefined> {
  if (!/^[0-9a-f]+$/.test(commit)) return undefined;
  const found = await git(cwd, env, ['merge-base', '--is-ancestor', commit, 'HEAD']);
  if (found !== undefined) return true;
  const shallow = await git(cwd, env, ['rev-parse', '--is-shallow-repository']);
  return shallow?.trim() === 'false' ? false : undefined;
}

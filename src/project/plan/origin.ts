import { defined } from '../../contract/defined.ts';
import type { Env } from '../git.ts';
import { git } from '../git.ts';
import type { Plan } from './plan.ts';
import { planVariables, seal } from './plan.ts';
import { hashVariable } from './variables.ts';

/** The plan for saving, with its commit and hashes of the variables that it refers to. */
export async function withOrigin(
  { plan, variables }: { readonly plan: Plan; readonly variables: ReadonlyMap<string, string> },
  { cwd: folder, env }: { readonly cwd: string; readonly env: Env },
): Promise<Plan> {
  const names = planVariables(plan);
  const hashes = names.map(
    async (name) => [name, await hashVariable(variables.get(name) ?? '')] as const,
  );
  const git = await readGitState(folder, env);
  return seal({
    ...plan,
    ...defined({
      git,
      variables: names.length > 0 ? Object.fromEntries(await Promise.all(hashes)) : undefined,
    }),
  });
}

/** The commit of a directory, and whether it has uncommitted changes; undefined without git or outside a repo. */
async function readGitState(
  folder: string,
  env: Env,
): Promise<{ sha: string; dirty: boolean } | undefined> {
  const [sha, status] = await Promise.all([
    git(folder, env, ['rev-parse', 'HEAD']),
    git(folder, env, ['status', '--porcelain', '--', '.']),
  ]);
  return sha === undefined || status === undefined
    ? undefined
    : { sha: sha.trim(), dirty: status.trim() !== '' };
}

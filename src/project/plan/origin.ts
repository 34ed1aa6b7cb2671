import { execFile } from 'node:child_process';
import path from 'node:path';
import { defined } from '../../contract/defined.ts';
import type { Plan } from './plan.ts';
import { planVariables, seal } from './plan.ts';
import { hashVariable } from './variables.ts';

/** The plan for saving, with its commit and hashes of the variables that it refers to. */
export async function withOrigin(
  { plan, variables }: { readonly plan: Plan; readonly variables: ReadonlyMap<string, string> },
  folder: string,
): Promise<Plan> {
  const names = planVariables(plan);
  const hashes = names.map(
    async (name) => [name, await hashVariable(variables.get(name) ?? '')] as const,
  );
  const git = await readGitState(folder);
  return seal({
    ...plan,
    ...defined({
      git,
      variables: names.length > 0 ? Object.fromEntries(await Promise.all(hashes)) : undefined,
    }),
  });
}

/** Milliseconds to wait for git, whose answer is optional in a plan. */
const timeout = 3_000;

/** The commit of a directory, and whether it has uncommitted changes; undefined without git or outside a repo. */
async function readGitState(folder: string): Promise<{ sha: string; dirty: boolean } | undefined> {
  const [sha, status] = await Promise.all([
    git(folder, ['rev-parse', 'HEAD']),
    git(folder, ['status', '--porcelain', '--', '.']),
  ]);
  return sha === undefined || status === undefined
    ? undefined
    : { sha: sha.trim(), dirty: status.trim() !== '' };
}

/**
 * A folder of a cloned repo can look like a bare repository, whose configuration git would read: one that names a program
 * as its file system monitor has it started by `git status`.
 */
const startNothing = ['-c', 'safe.bareRepository=explicit', '-c', 'core.fsmonitor=false'];

/**
 * Where a program is started. Windows, and a `.` in PATH, look for it there first: a cloned repo could bring a git of its own.
 */
const noRepo = path.dirname(process.execPath);

/** Runs git without a shell, and without locks that could block the user's own git commands. */
function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      'git',
      [...startNothing, '--no-optional-locks', '-C', path.resolve(folder), ...args],
      { cwd: noRepo, timeout, windowsHide: true, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout) => resolve(error ? undefined : stdout),
    );
  });
}

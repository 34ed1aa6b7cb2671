import { execFile } from 'node:child_process';
import path from 'node:path';

/** Milliseconds to wait for git, whose answer is always optional. */
const timeout = 3_000;

/**
 * A folder of a cloned repo can look like a bare repository, whose configuration git would read: one that names a program
 * as its file system monitor has it started by `git status`.
 */
const startNothing = ['-c', 'safe.bareRepository=explicit', '-c', 'core.fsmonitor=false'];

/**
 * Where a program is started. Windows, and a `.` in PATH, look for it there first: a cloned repo could bring a git of its own.
 */
const noRepo = path.dirname(process.execPath);

export type Env = Readonly<Record<string, string | undefined>>;

const gitVariables =
  /^(GIT_\w+|LC_\w+|LANG|PATH|PATHEXT|HOME|HOMEDRIVE|HOMEPATH|USERPROFILE|XDG_CONFIG_HOME|PROGRAMDATA|SYSTEMROOT|WINDIR|TMPDIR|TEMP|TMP)$/i;

/** The variables that git reads. Programs that a repo's filters name would otherwise get tokens and secrets of the environment. */
export const gitEnvironment = (env: Env): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => gitVariables.test(name)));

/**
 * Runs git without a shell, and without locks that could block the user's own git commands.
 * @returns undefined without git or outside a repo
 */
export function git(
  folder: string,
  env: Env,
  args: readonly string[],
): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      'git',
      [...startNothing, '--no-optional-locks', '-C', path.resolve(folder), ...args],
      { cwd: noRepo, env: gitEnvironment(env), timeout, windowsHide: true, maxBuffer: 16 << 20 },
      (error, stdout) => resolve(error ? undefined : stdout),
    );
  });
}

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Ctrl-C on the terminal reaches the command by itself. */
  readonly sharesTerminal: boolean;
}

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What shells answer for a command that is not there, and for one that can't be run. */
export const childCodes = { notFound: 127, notRunnable: 126 } as const;

/** How a command ended; `problem` says why it could not even begin. */
export interface Ended {
  readonly code: number;
  readonly problem?: string;
}

/**
 * Runs a command on this process's own streams and hands signals on to it.
 * @returns its exit code; as in a shell, 128 and the number of the signal that ended it
 */
export async function runChild(
  command: string,
  args: readonly string[],
  { env, cwd, sharesTerminal }: ChildOptions,
): Promise<Ended> {
  const child = spawn(command, args, { env, cwd, stdio: 'inherit' });
  const stopForwarding = forwardSignals(child, sharesTerminal);
  try {
    return await new Promise<Ended>((resolve) => {
      child.once('error', (error) => resolve(notStarted(command, error)));
      child.once('exit', (code, signal) =>
        resolve({ code: code ?? 128 + (signal === null ? 0 : constants.signals[signal]) }),
      );
    });
  } finally {
    stopForwarding();
  }
}

/** @returns ends it */
function forwardSignals(child: ChildProcess, sharesTerminal: boolean): () => void {
  const listeners = forwarded
    .filter((signal) => !(sharesTerminal && signal === 'SIGINT'))
    .map((signal) => [signal, () => void child.kill(signal)] as const);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  // Where this process is made to end at once, the command must not go on without its server.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
    process.off('exit', kill);
  };
}

function notStarted(command: string, error: NodeJS.ErrnoException): Ended {
  const name = JSON.stringify(command);
  return error.code === 'ENOENT'
    ? { code: childCodes.notFound, problem: `Command not found: ${name}` }
    : {
        code: childCodes.notRunnable,
        problem: `The command ${name} cannot be run: ${error.message}`,
      };
}

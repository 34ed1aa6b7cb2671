import { spawn } from 'node:child_process';
import path from 'node:path';
import type { CommandConfig } from '../../config/config.ts';

/** How a command ended, and what it printed. */
export interface Ended {
  /** Absent where a signal ended it, or it was not started. */
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  /** Why it was not started, such as ENOENT. */
  readonly notStarted?: string;
  /** It took longer than it may, and was killed. */
  readonly isLate: boolean;
  /** Undefined: it was more than is read. */
  readonly stdout: string | undefined;
  /** The last 4 KiB. */
  readonly stderr: string;
}

/** Bytes of stdout that are read; the rest is thrown away, so that the command is not held up. */
const longestOutput = 1 << 20;
const longestError = 4_096;
/** Milliseconds between SIGTERM and SIGKILL of a command that took too long, and of one that the server's stop ends. */
const killAfter = 2_000;
const killAfterStop = 500;
/** Milliseconds that its streams get once it has ended: somebody outside of its group may hold them open. */
const streamsWithin = 1_000;

/**
 * Runs a command of the operator, without a shell, in a process group of its own. Whatever it leaves running in that
 * group is killed.
 * @param input goes to its stdin
 * @throws the reason of `signal` where it was aborted, once the command is gone
 */
export function runCommand(
  { timeoutMs, ...command }: CommandConfig,
  input: string,
  signal: AbortSignal,
): Promise<Ended> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = start(command);
    if (!('stdout' in child)) {
      resolve({ notStarted: child.code ?? child.name, isLate: false, stdout: '', stderr: '' });
      return;
    }
    const output = createHead(longestOutput);
    let stderr: Buffer = Buffer.alloc(0);
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;

    const killGroup = (by: NodeJS.Signals): void => {
      try {
        // Windows has no groups.
        if (process.platform === 'win32') child.kill(by);
        else if (child.pid !== undefined) process.kill(-child.pid, by);
      } catch {
        // Nobody is left in it.
      }
    };
    const endWithin = (ms: number): void => {
      clearTimeout(timer);
      killGroup('SIGTERM');
      timer = setTimeout(() => killGroup('SIGKILL'), ms);
    };
    const abort = (): void => endWithin(killAfterStop);
    const end = (how: Pick<Ended, 'exitCode' | 'signal' | 'notStarted'>): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      if (signal.aborted)
        reject(signal.reason as Error); // an AbortSignal's reason is one, unless someone gave another
      else resolve({ ...how, isLate, stdout: output.text(), stderr: stderr.toString('utf8') });
    };

    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid === undefined) end({ notStarted: error.code ?? error.name });
    });
    if (child.pid === undefined) return;
    signal.addEventListener('abort', abort, { once: true });
    timer = setTimeout(() => {
      isLate = true;
      endWithin(killAfter);
    }, timeoutMs);
    child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-longestError);
    });
    // It need not read what it is told.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('exit', (exitCode, by) => {
      clearTimeout(timer);
      killGroup('SIGKILL');
      timer = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, streamsWithin);
      child.once('close', () => {
        end({ ...(exitCode === null ? {} : { exitCode }), ...(by === null ? {} : { signal: by }) });
      });
    });
  });
}

/** What can't be started is told by an event or an error, depending on what is wrong. */
function start({ command, env, cwd }: Pick<CommandConfig, 'command' | 'env' | 'cwd'>) {
  const [program = '', ...args] = command;
  try {
    return spawn(program, args, {
      env,
      cwd: cwd ?? path.parse(program).root,
      detached: true,
      shell: false,
      windowsHide: true,
      stdio: 'pipe',
    });
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** The beginning of a stream. */
function createHead(longest: number) {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    add(chunk: Buffer): void {
      length += chunk.length;
      if (length <= longest) chunks.push(chunk);
      else chunks.length = 0;
    },
    /** Undefined where there was more. */
    text: () => (length > longest ? undefined : Buffer.concat(chunks).toString('utf8')),
  };
}

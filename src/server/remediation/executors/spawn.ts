import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defined } from '../../../contract/defined.ts';
import type { CommandConfig } from '../../config/config.ts';

/** How a command ended, and what it printed. */
export interface Ended {
  /** Absent where a signal ended it, or it was not started. */
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
  /** Why it was not started, such as ENOENT. */
  readonly notStarted?: string;
  /** Why it was killed, in words that go after its name. */
  readonly killed?: string;
  /** Undefined: it exceeded the limit. */
  readonly stdout: string | undefined;
  /** The last 4 KiB. */
  readonly stderr: string;
}

/** Bytes of stdout that are stored; the rest is read and discarded, so that the command does not block. */
const longestOutput = 1 << 20;
const longestError = 4_096;
/** Bytes of both streams after which the command is killed: reading more would delay other work. */
const mostOutput = 64 << 20;
/** Milliseconds between SIGTERM and SIGKILL of a command that took too long, and of one that the server's stop ends. */
const killAfter = 2_000;
const killAfterStop = 500;
/** Milliseconds to wait for the streams after the command has ended: a process outside of its group may keep them open. */
const streamsWithin = 1_000;

/**
 * Runs a command of the operator, without a shell, in a process group of its own. Whatever it leaves running in that
 * group is killed.
 * @param input what it reads from its stdin: all of it, even if the server is killed meanwhile
 * @throws the reason of `signal` where it was aborted, once the command is gone
 */
export async function runCommand(
  command: CommandConfig,
  input: string,
  signal: AbortSignal,
): Promise<Ended> {
  let stdin: FileHandle;
  try {
    stdin = await holdInput(input);
  } catch (error) {
    return notStarted(error);
  }
  try {
    signal.throwIfAborted();
    const child = start(command, stdin.fd);
    return child instanceof Error
      ? notStarted(child)
      : await watch(child, command.timeoutMs, signal);
  } finally {
    await stdin.close();
  }
}

const notStarted = (error: unknown): Ended => ({
  notStarted: codeOf(error),
  stdout: '',
  stderr: '',
});

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** An unlinked file: a pipe would be cut off if the server were killed. */
async function holdInput(input: string): Promise<FileHandle> {
  const file = path.join(tmpdir(), `govctl-${randomUUID()}`);
  const handle = await open(file, 'wx+', 0o600);
  try {
    await unlink(file);
    const bytes = Buffer.from(input);
    // At given places, so that reading begins at the first byte.
    for (let at = 0; at < bytes.length;) {
      at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Node reports a failed start by an event or an exception, depending on the cause. */
function start({ command, env, cwd }: CommandConfig, stdin: number): ChildProcess | Error {
  const [program = '', ...args] = command;
  try {
    return spawn(program, args, {
      env,
      cwd: cwd ?? path.parse(program).root,
      detached: true,
      shell: false,
      windowsHide: true,
      stdio: [stdin, 'pipe', 'pipe'],
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function watch(child: ChildProcess, timeoutMs: number, signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const output = createHead(longestOutput);
    let stderr: Buffer = Buffer.alloc(0);
    let length = 0;
    let killed: string | undefined;
    let timer: NodeJS.Timeout | undefined;

    const killGroup = (by: NodeJS.Signals): void => {
      try {
        // Windows has no process groups.
        if (process.platform === 'win32') child.kill(by);
        else if (child.pid !== undefined) process.kill(-child.pid, by);
      } catch {
        // The group is already empty.
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
      // An AbortSignal's reason is one, unless someone gave another.
      if (signal.aborted) reject(signal.reason as Error);
      else
        resolve({
          ...how,
          ...defined({ killed }),
          stdout: output.text(),
          stderr: stderr.toString('utf8'),
        });
    };

    child.once('error', (error) => {
      if (child.pid === undefined) end({ notStarted: codeOf(error) });
    });
    if (child.pid === undefined) return;
    signal.addEventListener('abort', abort, { once: true });
    const kill = (why: string): void => {
      if (killed !== undefined) return;
      killed = why;
      endWithin(killAfter);
    };
    const countOutput = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > mostOutput) kill(`wrote more than ${mostOutput >> 20} MiB and was killed`);
    };
    timer = setTimeout(
      () => kill(`did not finish within ${timeoutMs / 1_000} s and was killed`),
      timeoutMs,
    );
    child.stdout?.on('data', countOutput);
    child.stderr?.on('data', countOutput);
    child.stdout?.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = Buffer.concat([stderr, chunk]).subarray(-longestError);
    });
    child.once('exit', (exitCode, by) => {
      clearTimeout(timer);
      killGroup('SIGKILL');
      timer = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, streamsWithin);
      child.once('close', () => {
        end({ ...(exitCode === null ? {} : { exitCode }), ...(by === null ? {} : { signal: by }) });
      });
    });
  });
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
    /** Undefined if there was more than the limit. */
    text: () => (length > longest ? undefined : Buffer.concat(chunks).toString('utf8')),
  };
}

import type { ChalkInstance } from 'chalk';
import { Chalk } from 'chalk';
import { on } from 'node:events';
import { addAbortSignal } from 'node:stream';
import { GovctlError } from '../../contract/errors.ts';

/** Where text goes. `write` resolves when the stream took it, so a slow pipe slows the producer. */
interface Sink {
  write(data: string | Uint8Array): Promise<void>;
  /** Its reader went away: what is still written is lost. */
  readonly isClosed?: boolean;
}

/** The terminal as a value: tests replace it. stdout is data, stderr is talk. */
export interface Terminal {
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** All of standard input, as UTF-8 text. */
  readStdin(): Promise<string>;
  /** Standard input as it comes, for what may be too large to hold; ends with an error when the signal is given. */
  stdinBytes(signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Keys as they are pressed, until the signal is given; Ctrl-C is one of them. Only where stdin is a terminal. */
  keys?(signal: AbortSignal): AsyncIterable<string>;
  readonly stdinIsTty: boolean;
  readonly stdoutIsTty: boolean;
  readonly stderrIsTty: boolean;
  /** Columns of stdout; where it is no terminal, those of the variable COLUMNS, else 80. */
  readonly columns: number;
}

/** Colours for one stream, and the end of a cut table cell on it; without colour every style gives the text back. */
export const createStyle = (colour: boolean, ellipsis = '…'): Style =>
  Object.assign(new Chalk({ level: colour ? 1 : 0 }), { ellipsis });
export type Style = ChalkInstance & { readonly ellipsis: string };

/** https://no-color.org; FORCE_COLOR as in Node. */
export function wantsColour(isTty: boolean, env: NodeJS.ProcessEnv): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return isTty && env.TERM !== 'dumb';
}

/** The process's own streams. A reader that goes away (`govctl ... | head`) is no error: the work goes on to
 * its exit code, unseen. */
export function processTerminal(): Terminal {
  return {
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    readStdin: readAll,
    stdinBytes: (signal) => addAbortSignal(signal, process.stdin),
    ...(process.stdin.isTTY === true ? { keys: readKeys } : {}),
    stdinIsTty: process.stdin.isTTY === true,
    stdoutIsTty: process.stdout.isTTY === true,
    stderrIsTty: process.stderr.isTTY === true,
    columns: process.stdout.columns || columnsOf(process.env) || 80,
  };
}

/** As POSIX has it, for output that goes through a pager. */
const columnsOf = ({ COLUMNS: text = '' }: NodeJS.ProcessEnv): number | undefined =>
  /^[1-9]\d{1,3}$/.test(text) ? Number(text) : undefined;

function sinkOf(stream: NodeJS.WriteStream): Sink {
  let isClosed = false;
  // Failures are told to who wrote, below; unheard, they would end the process.
  stream.on('error', () => undefined);
  const write = (data: string | Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isClosed) {
        resolve();
        return;
      }
      stream.write(data, (cause: NodeJS.ErrnoException | null | undefined) => {
        isClosed ||= cause?.code === 'EPIPE' || cause?.code === 'ERR_STREAM_DESTROYED';
        // What stderr does not take can be said nowhere else.
        if (!cause || isClosed || stream === process.stderr) resolve();
        else reject(notWritten(cause));
      });
    });
  return {
    get isClosed() {
      return isClosed;
    },
    write,
  };
}

const notWritten = (cause: Error): GovctlError =>
  new GovctlError('file_error', `Standard output could not be written: ${cause.message}`, {
    cause,
  });

async function readAll(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function* readKeys(signal: AbortSignal): AsyncGenerator<string> {
  const { stdin } = process;
  stdin.setRawMode(true);
  try {
    const presses = on(stdin, 'data', { signal }) as AsyncIterable<[Buffer]>;
    stdin.resume();
    for await (const [bytes] of presses) yield* bytes.toString('utf8');
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
  }
}

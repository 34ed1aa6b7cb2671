import { GovctlError } from '../contract/errors.ts';

/** A line of a stream; `text` is absent where it is too long, or is no UTF-8. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly text?: string;
  readonly problem?: string;
  readonly bytes: number;
}

const newline = 0x0a;
/** A byte order mark before the first line is left out. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Splits a stream of bytes into its lines, of which it holds one at a time, up to so many bytes. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<Line> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let number = 1;
  const take = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes <= longest) parts.push(part);
    else parts = [];
  };
  const end = (): Line => {
    const line = lineOf(parts, number, bytes, longest);
    parts = [];
    bytes = 0;
    number += 1;
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      take(chunk.subarray(from, at));
      yield end();
      from = at + 1;
    }
    // A copy: whoever gives the chunks may use their memory again.
    if (from < chunk.length) take(chunk.slice(from));
  }
  if (bytes > 0) yield end();
}

function lineOf(
  parts: readonly Uint8Array[],
  number: number,
  bytes: number,
  longest: number,
): Line {
  if (bytes > longest) {
    return { number, bytes, problem: `is longer than ${longest / (1 << 20)} MiB` };
  }
  try {
    return { number, bytes, text: utf8.decode(Buffer.concat(parts)) };
  } catch {
    return { number, bytes, problem: 'is not valid UTF-8' };
  }
}

export const cutOff = 'The request body ended early';

/** Fails as a body does; what fails in storing it is no fault of the sender's. @throws GovctlError malformed_request */
export async function* uncut(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw cause instanceof GovctlError
      ? cause
      : new GovctlError('malformed_request', cutOff, { cause });
  }
}

/** Bytes that are handed on at once, unless a line is longer. Small enough that what they give stays small too. */
export const chunkBytes = 256 * 1024;

/** Bytes. A resource is a few kilobytes; a longer line is not read into memory. */
const longestLine = 64 * 1024 * 1024;

export class LineTooLongError extends Error {
  constructor() {
    super(`a line is longer than ${longestLine / 1024 / 1024} MiB`);
  }
}

/**
 * Cuts a stream of bytes at line ends: each piece holds whole lines and owns its memory, so that it can be handed to a
 * worker. @throws LineTooLongError after all lines before the long one
 */
export async function* cutAtLineEnds(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let waiting: Uint8Array[] = [];
  let held = 0;
  for await (const bytes of source) {
    waiting.push(bytes);
    held += bytes.length;
    if (held < chunkBytes) continue;
    if (!bytes.includes(newline)) {
      if (held <= longestLine) continue;
    }
    const whole = join(waiting);
    const cut = whole.lastIndexOf(newline) + 1;
    waiting = [whole.slice(cut)];
    held = whole.length - cut;
    if (cut > 0) yield whole.subarray(0, cut);
    if (held > longestLine) throw new LineTooLongError();
  }
  const rest = join(waiting);
  if (rest.length > 0) yield rest;
}

const newline = 0x0a;

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

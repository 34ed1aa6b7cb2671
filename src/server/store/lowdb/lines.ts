import type { FileLayer } from './file-layer.ts';

export interface Line {
  /** From 1. */
  readonly number: number;
  /** Where it begins in the file, in bytes. */
  readonly offset: number;
  /** Without the line break. */
  readonly bytes: Buffer;
  /** False where the file ends before the line does. */
  readonly whole: boolean;
}

const CHUNK = 1 << 20;
const LINE_BREAK = 0x0a;

/** The lines of a file in batches, a chunk in memory at a time; no string ever holds the whole file. */
export async function* readLines(
  files: FileLayer,
  path: string,
): AsyncGenerator<readonly Line[], void, undefined> {
  const file = await files.open(path, 'read');
  try {
    let rest: Buffer[] = [];
    let number = 1;
    let offset = 0;
    let position = 0;
    for (;;) {
      const into = Buffer.allocUnsafe(CHUNK);
      const count = await file.read(into, position);
      if (count === 0) break;
      position += count;
      const chunk = into.subarray(0, count);
      const lines: Line[] = [];
      let start = 0;
      for (
        let end = chunk.indexOf(LINE_BREAK);
        end !== -1;
        end = chunk.indexOf(LINE_BREAK, start)
      ) {
        const piece = chunk.subarray(start, end);
        const bytes = rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
        rest = [];
        lines.push({ number, offset, bytes, whole: true });
        number += 1;
        offset += bytes.length + 1;
        start = end + 1;
      }
      if (start < count) rest.push(chunk.subarray(start));
      if (lines.length > 0) yield lines;
    }
    if (rest.length > 0) yield [{ number, offset, bytes: Buffer.concat(rest), whole: false }];
  } finally {
    await file.close();
  }
}

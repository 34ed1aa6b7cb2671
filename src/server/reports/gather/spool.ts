import type { Deps } from '../../deps.ts';
import type { BlobWriter } from '../../store/store.ts';
import { blobPrefix } from '../generation/scratch.ts';
import type { Rows } from '../../../report/content/rows.ts';

/** Characters that a part keeps in memory before they are written down, and all parts together. */
const partAtMost = 128 << 10;
const allAtMost = 8 << 20;
const rowsPerBatch = 500;

export type SpoolDeps = Pick<Deps, 'store' | 'ids'>;

/** Where rows are put aside under keys, and are read in the order of these; under one key, in the order they came. */
export interface Spool<T> {
  add(key: string, row: T): void;
  /** Resolves when more can be taken. Asked for now and then while rows are added. */
  drain(): Promise<void>;
  /** After the last row. `compare` orders the keys; absent: by code unit. */
  finish(compare?: (a: string, b: string) => number): Promise<Rows<T>>;
  /** Leaves nothing of it. No matter whether it was finished. */
  close(): Promise<void>;
}

interface Part {
  /** Lines that are in memory, and their characters. */
  lines: string[];
  length: number;
  /** Of what is written: where each piece starts and ends, in bytes. */
  readonly pieces: [start: number, end: number][];
}

/**
 * Keeps rows in memory while they are few. Beyond that they go, as lines of JSON, into a blob, a piece of a part at a
 * time, so that what stays is where the pieces are. Nothing has to be sorted: a part is read piece by piece.
 */
export function createSpool<T>({ store, ids }: SpoolDeps, reportId: string): Spool<T> {
  const parts = new Map<string, Part>();
  // What a crash leaves is removed at the next start, as all blobs of a report that it doesn't name.
  const id = `${blobPrefix(reportId, ids.next('job'))}.rows`;
  let writer: BlobWriter | undefined;
  let count = 0;
  let waiting = 0;
  let written = 0;
  const full = new Set<Part>();

  async function writePart(part: Part): Promise<void> {
    if (part.lines.length === 0) return;
    const bytes = Buffer.from(`${part.lines.join('\n')}\n`);
    waiting -= part.length;
    part.lines = [];
    part.length = 0;
    writer ??= await store.blobs.create(id);
    await writer.write(bytes);
    part.pieces.push([written, written + bytes.length]);
    written += bytes.length;
  }

  async function* readPart(part: Part): AsyncGenerator<readonly T[]> {
    for (const [start, end] of part.pieces) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of store.blobs.read(id, { start, end })) chunks.push(chunk);
      yield* parsed(Buffer.concat(chunks).toString('utf8').trimEnd().split('\n'));
    }
    yield* parsed(part.lines);
  }

  // The rows are as they were added.
  function* parsed(lines: readonly string[]): Generator<readonly T[]> {
    for (let at = 0; at < lines.length; at += rowsPerBatch) {
      yield lines.slice(at, at + rowsPerBatch).map((line) => JSON.parse(line) as T);
    }
  }

  return {
    add(key, row) {
      let part = parts.get(key);
      if (!part) parts.set(key, (part = { lines: [], length: 0, pieces: [] }));
      const line = JSON.stringify(row);
      part.lines.push(line);
      part.length += line.length;
      waiting += line.length;
      count += 1;
      if (part.length >= partAtMost) full.add(part);
    },
    async drain() {
      if (waiting < allAtMost) return;
      // Parts that are large first: small pieces cost a read each.
      for (const part of full) await writePart(part);
      full.clear();
      if (waiting >= allAtMost / 2) for (const part of parts.values()) await writePart(part);
    },
    async finish(compare) {
      if (writer) {
        for (const part of parts.values()) await writePart(part);
        await writer.finish();
      }
      const ordered = [...parts].sort(([a], [b]) => (compare ?? byCodeUnit)(a, b));
      return {
        count,
        async *read() {
          let batch: T[] = [];
          for (const [, part] of ordered) {
            for await (const rows of readPart(part)) {
              batch.push(...rows);
              if (batch.length < rowsPerBatch) continue;
              yield batch;
              batch = [];
            }
          }
          if (batch.length > 0) yield batch;
        },
      };
    },
    async close() {
      parts.clear();
      if (!writer) return;
      await writer.abandon();
      await store.blobs.remove(id);
    },
  };
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

import { createHash } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { isMissing } from '../store/lowdb/checkpoint.ts';
import type { FileLayer } from '../store/lowdb/file-layer.ts';
import { nodeFiles } from '../store/lowdb/file-layer.ts';
import type { ListedFile } from './list.ts';

const chunkBytes = 256 << 10;

/** Told of bytes that were read, and asked whether to go on. @throws the reason of a signal */
export type Told = (bytes: number) => void;

/** The bytes of a file, a chunk in memory at a time. @param most bytes */
export async function* bytesOf(
  files: Pick<FileLayer, 'open'>,
  path: string,
  told: Told,
  most = Infinity,
): AsyncGenerator<Buffer> {
  const file = await files.open(path, 'read');
  try {
    for (let at = 0; at < most;) {
      const into = Buffer.allocUnsafe(Math.min(chunkBytes, most - at));
      const count = await file.read(into, at);
      if (count === 0) return;
      at += count;
      told(count);
      yield into.subarray(0, count);
    }
  } finally {
    await file.close();
  }
}

/** @returns what it is, as it was read */
async function measure(chunks: AsyncIterable<Uint8Array>): Promise<ListedFile> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
}

/**
 * Writes a new file, durably but for its name.
 * @param changedAt milliseconds since the epoch
 * @returns what was written
 */
export async function writeFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  changedAt: number,
): Promise<ListedFile> {
  const file = await open(path, 'wx', 0o600);
  try {
    const written = await measure(
      (async function* () {
        for await (const chunk of chunks) {
          await file.writeFile(chunk);
          yield chunk;
        }
      })(),
    );
    await file.utimes(changedAt / 1_000, changedAt / 1_000);
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}

export const measureFile = (path: string, told: Told): Promise<ListedFile> =>
  measure(bytesOf(nodeFiles, path, told));

/** Of a directory that may be missing. */
export const namesIn = (dir: string): Promise<readonly string[]> =>
  readdir(dir).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });

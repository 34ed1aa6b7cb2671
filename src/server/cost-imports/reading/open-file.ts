import { Readable, pipeline } from 'node:stream';
import { brotliDecompressSync, createGunzip, gunzipSync } from 'node:zlib';
import { detectFormat, headSize } from '../../../cost/read/detect.ts';
import type { FileFormat } from '../../../cost/read/detect.ts';
import type { Decompress } from '../../../cost/read/parquet.ts';
import { ReadError } from '../../../cost/read/place.ts';

/** Bytes that are decompressed at once. */
const chunkSize = 256 * 1024;
/** Decompressed bytes for each compressed one, of which exports have 10 to 50; small files may have more. */
const mostRatio = 200;
const ratioFrom = 64 * 1024 * 1024;
/** Decompressed bytes of all files. */
export const mostBytes = 64 * 1024 ** 3;

const within =
  (decompress: typeof gunzipSync): Decompress =>
  (input, length) =>
    decompress(input, { maxOutputLength: Math.max(1, length) });

/** Of pages in Parquet. */
export const pageCodecs = { GZIP: within(gunzipSync), BROTLI: within(brotliDecompressSync) };

export interface OpenedFile {
  readonly format: Exclude<FileFormat, { kind: 'gzip' }>;
  readonly compressed: boolean;
  /** Decompressed; of a Parquet file nothing is read from them. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Finds out what a file is. @throws ReadError */
export async function openFile(bytes: AsyncIterable<Uint8Array>): Promise<OpenedFile> {
  const outer = await peek(bytes);
  try {
    const format = detectFormat(outer.head);
    if (format.kind !== 'gzip') {
      // Its footer comes first: it is read in parts.
      if (format.kind === 'parquet') await outer.end();
      return { format, compressed: false, chunks: outer.chunks };
    }
    const inner = await peek(gunzipped(outer.chunks));
    const unpacked = detectFormat(inner.head);
    if (unpacked.kind === 'gzip') {
      throw new ReadError('is compressed twice; decompress it once and import it again');
    }
    if (unpacked.kind === 'parquet') {
      throw new ReadError('is a Parquet file inside gzip; decompress it first');
    }
    return { format: unpacked, compressed: true, chunks: inner.chunks };
  } catch (error) {
    await outer.end();
    throw error;
  }
}

interface Peeked {
  readonly head: Uint8Array;
  /** All of the bytes. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Reads no more. */
  readonly end: () => Promise<void>;
}

async function peek(bytes: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let size = 0;
  while (size < headSize) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    first.push(value);
    size += value.length;
  }
  const head = Buffer.concat(first);
  return {
    head: head.subarray(0, headSize),
    chunks: following(head, iterator),
    async end() {
      await iterator.return?.();
    },
  };
}

async function* following(
  head: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (head.length > 0) yield head;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let read = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      read += chunk.length;
      yield chunk;
    }
  };
  const gunzip = createGunzip({ chunkSize });
  // What fails ends the reading of it below.
  pipeline(Readable.from(counted(), { objectMode: false }), gunzip, () => undefined);
  let made = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      made += chunk.length;
      if (made > ratioFrom && made > mostRatio * read) {
        throw new ReadError(
          `decompresses to more than ${mostRatio} times its size; decompress it first if it is really a cost export`,
        );
      }
      yield chunk;
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('Z_')) throw error;
    throw new ReadError(
      code === 'Z_BUF_ERROR'
        ? 'is truncated: the gzip data ends too early'
        : 'is damaged: the gzip data cannot be decompressed',
    );
  }
}

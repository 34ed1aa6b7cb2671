import { close, constants, createReadStream, fstat, open } from 'node:fs';
import { Socket } from 'node:net';
import { ReadStream, isatty } from 'node:tty';
import { addAbortSignal } from 'node:stream';
import { promisify } from 'node:util';
import { chunkBytes } from '../check/line-chunks.ts';

/**
 * The bytes of a file, a pipe or a device as they come, until the signal is given. A pipe that nobody writes to is
 * waited for without a thread that can't be woken: such a thread would keep the process from ending.
 */
export async function openBytes(
  absolute: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const fd = await promisify(open)(absolute, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await promisify(fstat)(fd);
    if (stats.isFIFO()) return addAbortSignal(signal, new Socket({ fd, readable: true }));
    if (isatty(fd)) return addAbortSignal(signal, new ReadStream(fd));
    return createReadStream(absolute, { fd, highWaterMark: chunkBytes, signal });
  } catch (error) {
    await promisify(close)(fd);
    throw error;
  }
}

import type { Socket } from 'node:net';

/** Bytes. */
const part = 512;

/**
 * Hands a connection's parser what has arrived in short parts, and nothing more once the connection is given up: undici's
 * goes on to the end of a part, and makes an error for each header of an answer that has too many.
 */
export function readInParts(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = () => {
    if (socket.destroyed) return null;
    // Of nothing, a part tells that more is wanted.
    return read(Math.min(socket.readableLength, part) || undefined) as unknown;
  };
}

import type { Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { nextTurn } from '../next-turn.ts';

/** Bytes: some hundred packets of SSH, which take milliseconds. */
const part = 4_096;

/**
 * A connection whose other side is heard in short parts, each in a turn of its own: Node hands over up to 2 MiB in one,
 * and a parser of small packets holds everybody up for seconds with them. Ends, and calls `tooMuch`, once the other side
 * has said more than `most` bytes: whatever is answered to them is kept in memory until it is read there.
 */
export function heardInTurns(socket: Socket, most: number, tooMuch: () => void): Duplex {
  async function* parts(): AsyncGenerator<Buffer> {
    let heard = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      heard += chunk.length;
      if (heard > most) return tooMuch();
      for (let at = 0; at < chunk.length; at += part) {
        yield chunk.subarray(at, at + part);
        await nextTurn();
      }
    }
  }
  const heard = Duplex.from({ readable: Readable.from(parts()), writable: socket });
  // It may break before anybody listens, who then finds it closed.
  return heard.on('error', () => undefined);
}

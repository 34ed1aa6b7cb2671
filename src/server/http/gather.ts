import type { IncomingMessage } from 'node:http';

/** Chunks of a body that may be of any size. */
const chunksOfAnySize = 4_096;
/** Bytes that the chunks of a body with more of them have on average, at least. */
const leastPerChunk = 16;

/**
 * Hands what arrives of a body in one turn of the event loop to its readers as one part: a sender that makes a chunk of each
 * byte costs them no more than another. Node's parser alone then costs more than the bytes are worth, so a body of very many
 * tiny chunks is read no further.
 * @param onTinyChunks called once; nothing more comes of the body, not even its end
 */
export function gatherBody(incoming: IncomingMessage, onTinyChunks: () => void): void {
  const push = incoming.push.bind(incoming);
  let parts: Buffer[] = [];
  let chunks = 0;
  let bytes = 0;
  let isRefused = false;
  const handOn = (): void => {
    if (parts.length === 0) return;
    const part = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    parts = [];
    push(part);
  };
  // Where it returns false, nothing is read of the connection until a reader asks for more.
  incoming.push = (part: Buffer | null): boolean => {
    if (isRefused) return false;
    if (part === null) {
      handOn();
      return push(null);
    }
    chunks += 1;
    bytes += part.length;
    if (chunks > chunksOfAnySize && bytes < chunks * leastPerChunk) {
      isRefused = true;
      parts = [];
      onTinyChunks();
      return false;
    }
    parts.push(part);
    if (parts.length === 1) setImmediate(handOn);
    return false;
  };
}

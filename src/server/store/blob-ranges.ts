import type { Blobs } from './store.ts';

/** Reads parts of a blob, each as a whole. */
export const rangesOf =
  (blobs: Pick<Blobs, 'read'>, id: string) =>
  async (start: number, end: number): Promise<Uint8Array> => {
    const bytes = new Uint8Array(end - start);
    let at = 0;
    for await (const chunk of blobs.read(id, { start, end })) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  };

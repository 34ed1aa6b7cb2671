import { createHash } from 'node:crypto';
import type { Blobs } from '../../../src/server/store/store.ts';

/** Blobs in memory, read in small chunks. */
export function memoryBlobs(chunk = 1_000): Blobs {
  const whole = new Map<string, Buffer>();
  return {
    create(id) {
      const parts: Uint8Array[] = [];
      return Promise.resolve({
        write: (part) => Promise.resolve(void parts.push(Buffer.from(part))),
        finish() {
          const bytes = Buffer.concat(parts);
          whole.set(id, bytes);
          const sha256 = createHash('sha256').update(bytes).digest('hex');
          return Promise.resolve({ size: bytes.length, sha256 });
        },
        abandon: () => Promise.resolve(),
      });
    },
    stat(id) {
      const bytes = whole.get(id);
      return Promise.resolve(bytes && { size: bytes.length });
    },
    async *read(id, range) {
      const bytes = whole.get(id);
      if (!bytes) throw new Error(`no blob ${id}`);
      const { start, end } = range ?? { start: 0, end: bytes.length };
      for (let at = start; at < end; at += chunk) {
        yield await Promise.resolve(bytes.subarray(at, Math.min(end, at + chunk)));
      }
    },
    remove: (id) => Promise.resolve(void whole.delete(id)),
    list: () =>
      (async function* () {
        for (const id of whole.keys()) yield await Promise.resolve(id);
      })(),
  };
}

import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StoreUnavailable } from './store/store.ts';

/** What is too large for memory, in a file without a name, which goes with the process. */
export interface NamelessFile {
  /** @throws StoreUnavailable where it cannot be written, as on a full disk */
  append(chunk: Uint8Array): Promise<void>;
  /** Bytes that were appended. */
  size(): number;
  /** From the beginning, a chunk in memory at a time. */
  read(): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

const chunkSize = 1 << 17;

/** @param what it is, for errors: `a signed upload` */
export async function openNamelessFile(what: string): Promise<NamelessFile> {
  const refuse = (error: NodeJS.ErrnoException): never => {
    throw new StoreUnavailable(`${what} cannot be stored in ${tmpdir()}: ${error.message}`);
  };
  const file = path.join(tmpdir(), `govctl-${randomUUID()}`);
  const handle = await open(file, 'wx+', 0o600).catch(refuse);
  // Windows removes no file that is open.
  const isGone = await rm(file).then(() => true, () => false); // prettier-ignore
  let size = 0;
  return {
    async append(chunk) {
      await handle.appendFile(chunk).catch(refuse);
      size += chunk.length;
    },
    size: () => size,
    async *read() {
      for (let at = 0; ;) {
        const into = Buffer.allocUnsafe(chunkSize);
        const { bytesRead, buffer } = await handle.read(into, 0, chunkSize, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    },
    async close() {
      await handle.close();
      if (!isGone) await rm(file, { force: true });
    },
  };
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';

/** A file that is being written. */
export interface PartFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Its bytes are on the disk when this resolves. */
  close(): Promise<void>;
}

/** What of a file system a download uses. */
export interface PartFiles {
  /** Bytes; undefined where there is no such file. */
  size(file: string): Promise<number | undefined>;
  read(file: string): Promise<string | undefined>;
  write(file: string, text: string): Promise<void>;
  /** Opens a file for writing: at its end, or emptied. Only its owner may read one that is made. */
  open(file: string, how: 'append' | 'anew'): Promise<PartFile>;
  /** Lower-case hex. */
  sha256(file: string): Promise<string>;
  /** In place of what is there. */
  rename(from: string, to: string): Promise<void>;
  remove(file: string): Promise<void>;
}

const absent = (error: unknown): undefined => {
  // An error of Node's fs.
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
};

/** A report tells what is wrong with an organisation: it is its owner's. */
const mode = 0o600;

export const partFiles: PartFiles = {
  size: (file) => stat(file).then(({ size }) => size, absent),
  read: (file) => readFile(file, 'utf8').catch(absent),
  write: (file, text) => writeFile(file, text, { mode }),
  open: async (file, how) => {
    const handle = await open(file, how === 'append' ? 'a' : 'w', mode);
    return {
      write: async (bytes) => {
        for (let at = 0; at < bytes.length;) {
          at += (await handle.write(bytes, at)).bytesWritten;
        }
      },
      close: async () => {
        try {
          await handle.sync();
        } finally {
          await handle.close();
        }
      },
    };
  },
  sha256: async (file) => {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  },
  rename,
  remove: (file) => rm(file, { force: true }),
};

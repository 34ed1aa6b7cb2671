import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, readFile, rename, rm, writeFile } from 'node:fs/promises';

/** A file that is being written. */
export interface PartFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Its bytes are on the disk when this resolves. */
  close(): Promise<void>;
}

/** What of a file system a download uses. */
export interface PartFiles {
  /** Keeps a place for this call, by a file that says so; false while another has it. What a dead process had counts no more. */
  claim(file: string): Promise<boolean>;
  /** Bytes; undefined where there is no such file of ours, and for a link to one. */
  size(file: string): Promise<number | undefined>;
  read(file: string): Promise<string | undefined>;
  /** In place of what is there. */
  write(file: string, text: string): Promise<void>;
  /** Opens a file for writing: at its end, or a new one in its place. Only its owner may read it; no link is followed. */
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

/** Windows has no such flag. */
const noFollow = (constants.O_NOFOLLOW as number | undefined) ?? 0;

/** Bytes of a plain file that is ours and has no other name: what else is there, somebody may have put there for us. */
async function ownSize(file: string): Promise<number | undefined> {
  const stat = await lstat(file).catch(absent);
  if (!stat?.isFile() || stat.nlink > 1) return undefined;
  return stat.uid === (process.getuid?.() ?? stat.uid) ? stat.size : undefined;
}

const remove = (file: string): Promise<void> => rm(file, { force: true });

async function openEnd(file: string): Promise<FileHandle> {
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND | noFollow);
  await handle.chmod(mode).catch(() => undefined); // on a file system without modes
  return handle;
}

async function openNew(file: string): Promise<FileHandle> {
  await remove(file);
  return open(file, 'wx', mode);
}

/** The time tells this process from an earlier one with its number, as in a container. */
const self = { pid: process.pid, since: performance.timeOrigin };

async function isHeld(file: string): Promise<boolean> {
  const stat = await lstat(file).catch(absent);
  // A link, a pipe or a device is none of ours, and may have no end.
  if (stat && !stat.isFile() && !stat.isDirectory()) return false;
  const text = await readFile(file, 'utf8').catch(absent);
  if (text === undefined) return false;
  const [, pid, since] = /^(\d{1,15}) ([\d.]{1,30})$/.exec(text) ?? [];
  // Another may be just writing it.
  if (pid === undefined) return true;
  if (Number(pid) === self.pid) return Number(since) === self.since;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'; // EPERM: another user's, and alive
  }
}

async function claim(file: string): Promise<boolean> {
  const place = async (): Promise<boolean> => {
    try {
      await writeFile(file, `${self.pid} ${self.since}`, { flag: 'wx', mode });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      await remove(file); // a full disk takes an empty one
      throw error;
    }
  };
  if (await place()) return true;
  if (await isHeld(file)) return false;
  // Somebody else may have seen that too, and have put theirs there since.
  const away = `${file}.${randomUUID()}`;
  await rename(file, away).catch(absent);
  if (await isHeld(away)) {
    await rename(away, file);
    return false;
  }
  await remove(away);
  return place();
}

export const partFiles: PartFiles = {
  claim,
  size: ownSize,
  read: async (file) =>
    (await ownSize(file)) === undefined ? undefined : readFile(file, 'utf8').catch(absent),
  write: async (file, text) => {
    await remove(file);
    await writeFile(file, text, { flag: 'wx', mode });
  },
  open: async (file, how) => {
    const handle = await (how === 'append' ? openEnd(file) : openNew(file));
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
  remove,
};

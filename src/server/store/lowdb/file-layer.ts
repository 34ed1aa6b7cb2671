import { constants } from 'node:fs';
import {
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname } from 'node:path';

/** The file system as the store uses it: a value, so that tests can put faults in. */
export interface FileLayer {
  /** Creates the folder and its parents, for the owner only, so that their names outlive a power cut. */
  makeFolder(path: string): Promise<void>;
  list(folder: string): Promise<string[]>;
  /** In bytes. */
  size(path: string): Promise<number>;
  /** The number of the user whose file, or link, it is. */
  owner(path: string): Promise<number>;
  /** `read` and `append` take an existing file, `create` a new one (0600), `overwrite` either. */
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** A second name for the same file. */
  link(from: string, to: string): Promise<void>;
  copy(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes creations, renames and removals in a folder durable. */
  syncFolder(path: string): Promise<void>;
}

type OpenMode = 'read' | 'append' | 'create' | 'overwrite';

export interface OpenFile {
  /** @returns bytes read; 0 at the end of the file */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes at the end; of a file that is overwritten, at its beginning. @returns bytes written, which may be fewer than given */
  write(bytes: Uint8Array): Promise<number>;
  /** Makes content and size durable (fdatasync). */
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  /**
   * Locks a file against other openings of it, also of other processes, until it is closed or the process ends; one that was
   * opened for reading only against those for writing. `unavailable`: the system or the file system has no such locks.
   */
  tryLock(): Promise<'locked' | 'held' | 'unavailable'>;
  close(): Promise<void>;
}

const FLAGS: Record<OpenMode, number> = {
  read: constants.O_RDONLY,
  append: constants.O_WRONLY | constants.O_APPEND,
  create: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
  overwrite: constants.O_WRONLY | constants.O_CREAT,
};

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

/** Step by step: Node's own recursion never ends where a folder that is there takes none, as /proc does. */
async function makeFolder(path: string): Promise<void> {
  /** @returns whether it was not there before */
  const make = async (): Promise<boolean> => {
    try {
      await mkdir(path, { mode: 0o700 });
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && (await stat(path)).isDirectory()) return false;
      throw error;
    }
  };
  const parent = dirname(path);
  const isNew = await make().catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent);
    return make();
  });
  await syncFolder(parent).catch((error: unknown) => {
    // One that was there may have been made by a process that was killed before its name was durable: worth a try. And
    // a folder that takes new names can be one that only its owner may read.
    if (isNew && codeOf(error) !== 'EACCES') throw error;
  });
}

async function syncFolder(path: string): Promise<void> {
  // Windows can't open a folder; its renames are durable with the file.
  if (process.platform === 'win32') return;
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A byte behind any data: Windows keeps others from writing what is locked. */
const lockedByte = 2 ** 52;

async function lockFile(fd: number, shared: boolean): Promise<'locked' | 'held' | 'unavailable'> {
  try {
    const { tryLock } = await import('fs-native-extensions');
    const [at, length] = process.platform === 'win32' ? [lockedByte, 1] : [0, 0];
    const isLocked = tryLock(fd, at, length, { shared });
    return isLocked ? 'locked' : 'held';
  } catch {
    return 'unavailable';
  }
}

export const nodeFiles: FileLayer = {
  makeFolder,
  list: (folder) => readdir(folder),
  size: async (path) => (await stat(path)).size,
  owner: async (path) => (await lstat(path)).uid,
  async open(path, mode) {
    const handle = await open(path, FLAGS[mode], 0o600);
    return {
      read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
      write: async (bytes) =>
        (await handle.write(bytes, 0, bytes.length, mode === 'overwrite' ? 0 : null)).bytesWritten,
      sync: () => handle.datasync(),
      truncate: (size) => handle.truncate(size),
      tryLock: () => lockFile(handle.fd, mode === 'read'),
      close: () => handle.close(),
    };
  },
  rename: (from, to) => rename(from, to),
  link: (from, to) => link(from, to),
  copy: (from, to) => copyFile(from, to),
  remove: (path) => unlink(path),
  syncFolder,
};

/** What a disk says that is full, or takes no changes at all. Both can pass. */
const NO_CHANGES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** @returns the error of a disk that takes no changes @throws any other */
export const unlessNoChanges = (error: unknown): unknown => {
  if (!NO_CHANGES.has(codeOf(error))) throw error;
  return error;
};

/** Writes all of `bytes`, however many calls that takes. */
export const writeWhole = async (file: OpenFile, bytes: Uint8Array): Promise<void> => {
  for (let rest = bytes; rest.length > 0;) {
    const written = await file.write(rest);
    if (written <= 0) throw new Error('no more bytes could be written to the file');
    rest = rest.subarray(written);
  }
};

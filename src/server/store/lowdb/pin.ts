import { open, readFile, readdir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissing } from './checkpoint.ts';
import type { FileLayer, OpenFile } from './file-layer.ts';
import { nodeFiles } from './file-layer.ts';
import { manifestPath } from './manifest.ts';
import { markPath } from './refusal.ts';
import { segmentsIn } from './segments.ts';

/**
 * A folder at one moment, whoever writes it meanwhile: its files are held open, so that what is renamed or removed stays as
 * it was, and what is appended is not seen. Nothing in the folder is changed, nor locked.
 */
export interface Pinned {
  /** Reads only. */
  readonly files: FileLayer;
  /** When the last commit was written, in milliseconds since the epoch; a checkpoint may be later than that. */
  readonly writtenAt: number;
  /** Milliseconds since the epoch. */
  changedAt(path: string): number;
  /** Whether the end of the journal was cut off since: its disk failed, and the last changes were refused. */
  wasCut(): Promise<boolean>;
  close(): Promise<void>;
}

interface Held {
  readonly size: number;
  readonly changedAt: number;
  read(into: Uint8Array, position: number): Promise<number>;
  sizeNow(): Promise<number>;
  close(): Promise<void>;
}

/** Milliseconds between tries, and their number: a server needs far less to end the fold that came between. */
const pause = 50;
const mostTries = 100;

const contentOf = (path: string): Promise<Buffer | undefined> =>
  readFile(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });

const holdFile = async (path: string): Promise<Held> => {
  const handle: FileHandle = await open(path, 'r');
  const { size, mtimeMs } = await handle.stat();
  return {
    size,
    changedAt: mtimeMs,
    read: async (into, position) => {
      const length = Math.min(into.length, size - position);
      return length <= 0 ? 0 : (await handle.read(into, 0, length, position)).bytesRead;
    },
    sizeNow: async () => (await handle.stat()).size,
    close: () => handle.close(),
  };
};

/** For what is written in place. */
const holdBytes = (bytes: Buffer): Held => ({
  size: bytes.length,
  changedAt: Date.now(),
  read: async (into, position) => bytes.copy(into, 0, position),
  sizeNow: async () => bytes.length,
  close: async () => undefined,
});

const reading = (held: Held, told: (bytes: number) => void): OpenFile => {
  const refuse = (): never => {
    throw new Error('the directory is read-only here');
  };
  return {
    async read(into, position) {
      const count = await held.read(into, position);
      told(count);
      return count;
    },
    write: refuse,
    sync: refuse,
    truncate: refuse,
    tryLock: refuse,
    close: async () => undefined,
  };
};

/** What of a folder is read when it is opened: checkpoints, journal, and the mark. */
const isOfState = (name: string): boolean => /^[a-z][a-z0-9_-]*(\.lanes)?\.json$/.test(name);

/** @returns undefined where a fold came between: the files are of several moments */
const holdAll = async (dir: string): Promise<Map<string, Held> | undefined> => {
  const held = new Map<string, Held>();
  const take = async (name: string): Promise<void> =>
    void held.set(name, await holdFile(join(dir, name)));
  const manifest = await contentOf(manifestPath(dir));
  // First: it must not say more than the journal has.
  const mark = await contentOf(markPath(dir));
  try {
    const names = await readdir(dir);
    for (const name of names.filter(isOfState)) await take(name);
    for (const { name } of segmentsIn(names)) await take(name);
    if (mark) held.set(basename(markPath(dir)), holdBytes(mark));
    const after = await contentOf(manifestPath(dir));
    const isSame = manifest ? after?.equals(manifest) === true : after === undefined;
    if (isSame) return held;
  } catch (error) {
    await closeAll(held);
    if (isMissing(error)) return undefined;
    throw error;
  }
  await closeAll(held);
  return undefined;
};

const closeAll = async (held: ReadonlyMap<string, Held>): Promise<void> => {
  for (const file of held.values()) await file.close();
};

/**
 * @param told of the bytes that were read
 * @throws Error what the file system says
 */
export const pinFolder = async (dir: string, told: (bytes: number) => void): Promise<Pinned> => {
  const names = await readdir(dir);
  let held = await holdAll(dir);
  for (let tries = 1; !held && tries < mostTries; tries += 1) {
    await sleep(pause);
    held = await holdAll(dir);
  }
  if (!held) throw new Error(`${dir} is changing too fast to open its files`);
  const files = held;
  const find = (path: string): Held => {
    const file = files.get(basename(path));
    if (file) return file;
    throw Object.assign(new Error(`ENOENT: no such file, ${path}`), { code: 'ENOENT' });
  };
  const refuse = (): never => {
    throw new Error(`${dir} is read-only here`);
  };
  const journal = segmentsIn([...files.keys()]).map(({ name }) => find(name));
  const newest = journal.findLast(({ size }) => size > 0) ?? files.get('store.json');
  return {
    files: {
      ...nodeFiles,
      list: async () => [
        ...new Set([...files.keys(), ...names.filter((one) => /\.bak$/.test(one))]),
      ],
      size: async (path) => find(path).size,
      open: async (path, mode) => (mode === 'read' ? reading(find(path), told) : refuse()),
      makeFolder: refuse,
      rename: refuse,
      link: refuse,
      copy: refuse,
      remove: refuse,
      syncFolder: refuse,
    },
    writtenAt: newest?.changedAt ?? 0,
    changedAt: (path) => find(path).changedAt,
    async wasCut() {
      for (const file of journal) if ((await file.sizeNow()) < file.size) return true;
      return false;
    },
    close: () => closeAll(files),
  };
};

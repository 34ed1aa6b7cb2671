import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { FileLayer, OpenFile } from '../../src/server/store/lowdb/file-layer.ts';

/** A file's content as programs see it, and the part of it that would outlive a power cut. */
interface Inode {
  live: Buffer;
  durable: Buffer;
  /** A sync failed: the kernel counts what it could not write as written, and never tries it again. */
  dropped?: boolean;
}

type Folder = Map<string, Inode>;

/** What a change of the disk is, for deciding which of them fails. */
export type Change =
  | 'create'
  | 'write'
  | 'sync'
  | 'truncate'
  | 'rename'
  | 'link'
  | 'remove'
  | 'makeFolder'
  | 'syncFolder';

export interface MemoryFiles extends FileLayer {
  /** The disk after the process was killed: all it had written is there. */
  afterKill(): MemoryFiles;
  /** The disk after a power cut: only what had been synced is there. */
  afterPowerCut(): MemoryFiles;
  /** One of the disks that a power cut may leave: of what was not synced, any sector and any name is there or not. */
  afterSomePowerCut(random: () => number): MemoryFiles;
  /** Sees each change before it happens; throws to make it fail. May write a part by itself. */
  before: (
    change: Change,
    name: string,
    inode?: { append(bytes: Uint8Array): void },
    bytes?: Uint8Array,
  ) => void | Promise<void>;
  content(name: string): Buffer;
  put(name: string, content: Buffer): void;
  names(): string[];
}

export const failure = (code: string): Error =>
  Object.assign(new Error(`${code}: injected`), { code });

const copyOf = (folder: Folder, side: 'live' | 'durable'): Folder => {
  const copies = new Map<Inode, Inode>();
  const copy = (inode: Inode): Inode => {
    const known = copies.get(inode);
    if (known) return known;
    const content = Buffer.from(inode[side]);
    const made = { live: content, durable: content };
    copies.set(inode, made);
    return made;
  };
  return new Map(Array.from(folder, ([name, inode]) => [name, copy(inode)]));
};

const SECTOR = 512;

/** Content of which some unsynced sectors, or pages of eight, were written, and others not. */
const someOf = ({ live, durable }: Inode, random: () => number): Buffer => {
  if (live === durable) return live;
  const [shorter, longer] = [live.length, durable.length].sort((a, b) => a - b) as [number, number];
  const within = shorter + Math.floor(random() * (longer - shorter + 1));
  const length = [live.length, durable.length, within][Math.floor(random() * 3)] ?? within;
  const content = Buffer.alloc(length);
  const piece = random() < 0.5 ? SECTOR : 8 * SECTOR;
  const likely = random();
  for (let at = 0; at < length; at += piece) {
    const isNew = random() < likely;
    const hole = !isNew && random() < 0.5;
    for (let from = at; from < Math.min(length, at + piece); from += SECTOR) {
      const to = Math.min(length, from + SECTOR);
      // What was synced stays, or is replaced: a disk writes a sector as one.
      const source = isNew ? live : hole && from >= durable.length ? Buffer.alloc(0) : durable;
      source.subarray(from, to).copy(content, from);
    }
  }
  return content;
};

/** Names of which some unsynced changes happened; a rename leaves one of its two names at least. */
const someNames = (live: Folder, durable: Folder, random: () => number): Folder => {
  const some: Folder = new Map();
  const likely = random();
  for (const name of new Set([...live.keys(), ...durable.keys()])) {
    const inode = (random() < likely ? live : durable).get(name);
    if (inode) some.set(name, inode);
  }
  const kept = new Set(some.values());
  for (const [name, inode] of live) {
    if (!kept.has(inode) && [...durable.values()].includes(inode)) some.set(name, inode);
  }
  return some;
};

/** The one folder in the store's, and what its files' names begin with here. */
const INNER = 'blobs';

const isInner = (folder: string): boolean => basename(folder) === INNER;

const nameOf = (path: string): string =>
  isInner(dirname(path)) ? `${INNER}/${basename(path)}` : basename(path);

/** What lies in a folder itself. */
const within =
  (folder: string) =>
  (name: string): boolean =>
    name.startsWith(`${INNER}/`) === isInner(folder);

/**
 * A disk in memory with the durability rules of a POSIX file system taken at their strictest:
 * content lasts after a sync of the file, names last after a sync of the folder. (Only the folder
 * itself is real, as the lock lies there.)
 */
export const memoryFiles = (start: Folder = new Map()): MemoryFiles => {
  const live: Folder = start;
  const durable: Folder = new Map(start);

  const inodeOf = (path: string): Inode => {
    const inode = live.get(nameOf(path));
    if (!inode) throw Object.assign(failure('ENOENT'), { path });
    return inode;
  };

  const layer: MemoryFiles = {
    before: () => {},
    afterKill: () => memoryFiles(copyOf(live, 'live')),
    afterPowerCut() {
      // A folder whose own name did not last takes its files with it.
      const lasting = [...durable].filter(
        ([name]) => !name.startsWith(`${INNER}/`) || durable.has(INNER),
      );
      return memoryFiles(copyOf(new Map(lasting), 'durable'));
    },
    afterSomePowerCut(random) {
      const some = someNames(live, durable, random);
      const contents = new Map<Inode, Inode>();
      for (const inode of some.values()) {
        const content = someOf(inode, random);
        contents.set(inode, { live: content, durable: content });
      }
      const made = Array.from(some, ([name, inode]) => [name, contents.get(inode)] as const);
      return memoryFiles(
        new Map(made.filter((one): one is [string, Inode] => one[1] !== undefined)),
      );
    },
    content: (name) => inodeOf(name).live,
    put(name, content) {
      live.set(name, { live: content, durable: content });
      durable.set(name, { live: content, durable: content });
    },
    names: () => [...live.keys()].sort(),
    async makeFolder(path) {
      if (!isInner(path)) {
        await mkdir(path, { recursive: true, mode: 0o700 });
      } else if (!live.has(INNER)) {
        await layer.before('makeFolder', INNER);
        live.set(INNER, { live: Buffer.alloc(0), durable: Buffer.alloc(0) });
      }
      if (isInner(path)) await layer.syncFolder(dirname(path));
    },
    async list(folder) {
      if (isInner(folder)) inodeOf(folder);
      return [...live.keys()].filter(within(folder)).map((name) => basename(name));
    },
    owner: () => Promise.resolve(process.getuid?.() ?? 0),
    size: async (path) => inodeOf(path).live.length,
    async open(path, mode): Promise<OpenFile> {
      const name = nameOf(path);
      if (mode === 'create') {
        await layer.before('create', name);
        if (live.has(name)) throw failure('EEXIST');
        live.set(name, { live: Buffer.alloc(0), durable: Buffer.alloc(0) });
      }
      if (mode === 'overwrite' && !live.has(name)) {
        await layer.before('create', name);
        live.set(name, { live: Buffer.alloc(0), durable: Buffer.alloc(0) });
      }
      const inode = inodeOf(path);
      const append = (bytes: Uint8Array): void => {
        inode.live = Buffer.concat([inode.live, bytes]);
      };
      return {
        read: async (into, position) => inode.live.copy(into, 0, position),
        async write(bytes) {
          await layer.before('write', name, { append }, bytes);
          if (mode === 'overwrite') {
            inode.live = Buffer.concat([bytes, inode.live.subarray(bytes.length)]);
          } else append(bytes);
          return bytes.length;
        },
        async sync() {
          try {
            await layer.before('sync', name);
          } catch (error) {
            inode.dropped = true;
            throw error;
          }
          if (!inode.dropped) inode.durable = inode.live;
        },
        async truncate(size) {
          await layer.before('truncate', name);
          inode.live = inode.live.subarray(0, size);
        },
        tryLock: () => Promise.resolve('locked'),
        close: async () => {},
      };
    },
    async rename(from, to) {
      await layer.before('rename', nameOf(to));
      live.set(nameOf(to), inodeOf(from));
      live.delete(nameOf(from));
    },
    async link(from, to) {
      const inode = inodeOf(from);
      await layer.before('link', nameOf(to));
      live.set(nameOf(to), inode);
    },
    async copy(from, to) {
      await layer.before('create', nameOf(to));
      live.set(nameOf(to), { live: inodeOf(from).live, durable: Buffer.alloc(0) });
    },
    async remove(path) {
      inodeOf(path);
      await layer.before('remove', nameOf(path));
      live.delete(nameOf(path));
    },
    async syncFolder(path) {
      await layer.before('syncFolder', basename(path));
      const inside = within(path);
      for (const name of [...durable.keys()].filter(inside)) durable.delete(name);
      for (const [name, inode] of live) if (inside(name)) durable.set(name, inode);
    },
  };
  return layer;
};

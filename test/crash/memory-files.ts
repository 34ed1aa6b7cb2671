import { mkdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { FileLayer, OpenFile } from '../../src/server/store/lowdb/file-layer.ts';

/** A file's content as programs see it, and the part of it that would outlive a power cut. */
interface Inode {
  live: Buffer;
  durable: Buffer;
}

type Folder = Map<string, Inode>;

/** What a change of the disk is, for deciding which of them fails. */
export type Change =
  'create' | 'write' | 'sync' | 'truncate' | 'rename' | 'link' | 'remove' | 'syncFolder';

export interface MemoryFiles extends FileLayer {
  /** The disk after the process was killed: all it had written is there. */
  afterKill(): MemoryFiles;
  /** The disk after a power cut: only what had been synced is there. */
  afterPowerCut(): MemoryFiles;
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

/**
 * A disk in memory with the durability rules of a POSIX file system taken at their strictest:
 * content lasts after a sync of the file, names last after a sync of the folder. (Only the folder
 * itself is real, as the lock lies there.)
 */
export const memoryFiles = (start: Folder = new Map()): MemoryFiles => {
  const live: Folder = start;
  let durable: Folder = new Map(start);

  const inodeOf = (path: string): Inode => {
    const inode = live.get(basename(path));
    if (!inode) throw Object.assign(failure('ENOENT'), { path });
    return inode;
  };

  const layer: MemoryFiles = {
    before: () => {},
    afterKill: () => memoryFiles(copyOf(live, 'live')),
    afterPowerCut: () => memoryFiles(copyOf(durable, 'durable')),
    content: (name) => inodeOf(name).live,
    put(name, content) {
      live.set(name, { live: content, durable: content });
      durable.set(name, { live: content, durable: content });
    },
    names: () => [...live.keys()].sort(),
    async makeFolder(path) {
      await mkdir(path, { recursive: true, mode: 0o700 });
    },
    list: async () => [...live.keys()],
    size: async (path) => inodeOf(path).live.length,
    async open(path, mode): Promise<OpenFile> {
      const name = basename(path);
      if (mode === 'create') {
        await layer.before('create', name);
        if (live.has(name)) throw failure('EEXIST');
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
          append(bytes);
          return bytes.length;
        },
        async sync() {
          await layer.before('sync', name);
          inode.durable = inode.live;
        },
        async truncate(size) {
          await layer.before('truncate', name);
          inode.live = inode.live.subarray(0, size);
        },
        close: async () => {},
      };
    },
    async rename(from, to) {
      await layer.before('rename', basename(to));
      live.set(basename(to), inodeOf(from));
      live.delete(basename(from));
    },
    async link(from, to) {
      const inode = inodeOf(from);
      await layer.before('link', basename(to));
      live.set(basename(to), inode);
    },
    async copy(from, to) {
      await layer.before('create', basename(to));
      live.set(basename(to), { live: inodeOf(from).live, durable: Buffer.alloc(0) });
    },
    async remove(path) {
      inodeOf(path);
      await layer.before('remove', basename(path));
      live.delete(basename(path));
    },
    async syncFolder(path) {
      await layer.before('syncFolder', basename(dirname(path)));
      durable = new Map(live);
    },
  };
  return layer;
};

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { StoreUnavailable, blobId } from '../store.ts';
import type { BlobWriter, Blobs, ByteRange, StoredBlob } from '../store.ts';
import { isMissing, removeIfThere } from './checkpoint.ts';
import { unlessNoChanges, writeWhole } from './file-layer.ts';
import type { FileLayer, OpenFile } from './file-layer.ts';
import { messageOf } from './refusal.ts';

/** Beside the collections' files, one file for each blob, under its id. */
const folderOf = (dir: string): string => join(dir, 'blobs');

/** Ends the name of a blob that is being written; no id can hold it. */
const UNFINISHED = '~';

const CHUNK = 128 << 10;

export interface BlobOptions {
  readonly dir: string;
  readonly files: FileLayer;
  /** @throws StoreUnavailable while the store is closed */
  readonly assertOpen: () => void;
  /** @throws StoreUnavailable while the store can't be written */
  readonly assertWritable: () => void;
}

export interface LowdbBlobs extends Blobs {
  /** Leaves nothing of what is unfinished, and takes nothing more. */
  close(): Promise<void>;
}

const checkId = (id: string): void => {
  if (!blobId.test(id)) throw new Error(`${JSON.stringify(id)} is not a valid blob ID`);
};

const namesIn = async (files: FileLayer, folder: string): Promise<readonly string[]> => {
  try {
    return await files.list(folder);
  } catch (error) {
    // It is made with the first blob.
    if (isMissing(error)) return [];
    throw error;
  }
};

/** Removes what a crash left half written. Only before anybody writes. */
export const removeUnfinished = async (files: FileLayer, dir: string): Promise<void> => {
  const folder = folderOf(dir);
  for (const name of await namesIn(files, folder)) {
    if (name.endsWith(UNFINISHED)) await files.remove(join(folder, name)).catch(unlessNoChanges);
  }
};

interface Target {
  readonly files: FileLayer;
  readonly folder: string;
  readonly id: string;
  /** Called once, when it was finished, failed or was abandoned. */
  readonly onEnd: () => void;
}

/**
 * Writes under another name first. What fails is removed at once and refuses everything from then on; the store goes
 * on, as a report can be written again, and the journal notices by itself when the disk takes nothing any more.
 */
const beginWriter = (file: OpenFile, { files, folder, id, onEnd }: Target): BlobWriter => {
  const path = join(folder, id);
  const unfinished = `${path}${UNFINISHED}`;
  const hash = createHash('sha256');
  let size = 0;
  let ended: { readonly why: string } | undefined;
  /** One thing after another, as a store that closes may come between. */
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <R>(work: () => Promise<R>): Promise<R> => {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };

  /** Best effort: what can't be removed now is at the next start. */
  const clear = async (why: string, paths: readonly string[]): Promise<void> => {
    ended = { why };
    await file.close().catch(() => undefined);
    for (const one of paths) await removeIfThere(files, one).catch(() => undefined);
    onEnd();
  };

  const orClear = async <R>(paths: readonly string[], work: () => Promise<R>): Promise<R> => {
    if (ended) throw new StoreUnavailable(`blob ${id} accepts no more data: ${ended.why}`);
    try {
      return await work();
    } catch (error) {
      await clear(messageOf(error), paths);
      throw new StoreUnavailable(`blob ${id} was not written: ${messageOf(error)}`);
    }
  };

  return {
    write: (chunk) =>
      inTurn(() =>
        orClear([unfinished], async () => {
          await writeWhole(file, chunk);
          hash.update(chunk);
          size += chunk.length;
        }),
      ),
    finish: () =>
      inTurn(() =>
        orClear([unfinished, path], async (): Promise<StoredBlob> => {
          await file.sync();
          await file.close();
          await files.rename(unfinished, path);
          await files.syncFolder(folder);
          ended = { why: 'the blob is finished' };
          onEnd();
          return { size, sha256: hash.digest('hex') };
        }),
      ),
    abandon: () =>
      inTurn(async () => {
        if (!ended) await clear('the blob was abandoned', [unfinished]);
      }),
  };
};

/** The bytes of a file from `start` to `end`, a chunk in memory at a time. */
async function* readBytes(
  file: OpenFile,
  path: string,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let position = start; position < end;) {
      const into = Buffer.allocUnsafeSlow(Math.min(CHUNK, end - position));
      const count = await file.read(into, position);
      if (count === 0) throw new Error(`${path} ends before byte ${end}`);
      position += count;
      yield into.subarray(0, count);
    }
  } finally {
    await file.close();
  }
}

export const createBlobs = (options: BlobOptions): LowdbBlobs => {
  const { dir, files, assertOpen, assertWritable } = options;
  const folder = folderOf(dir);
  const writers = new Set<BlobWriter>();
  /** For each listing that is under way, the ids begun since. */
  const listings = new Set<Set<string>>();
  let made: Promise<void> | undefined;
  let closed = false;

  const makeFolder = (): Promise<void> => {
    made ??= files.makeFolder(folder).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };

  const pathOf = (id: string): string => {
    checkId(id);
    return join(folder, id);
  };

  const sizeOf = async (path: string): Promise<number | undefined> => {
    try {
      return await files.size(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };

  const openNew = async (id: string): Promise<OpenFile> => {
    try {
      await makeFolder();
      return await files.open(`${join(folder, id)}${UNFINISHED}`, 'create');
    } catch (error) {
      throw new StoreUnavailable(`blob ${id} was not written: ${messageOf(error)}`);
    }
  };

  return {
    async create(id) {
      const path = pathOf(id);
      assertOpen();
      assertWritable();
      for (const since of listings) since.add(id);
      if ((await sizeOf(path)) !== undefined) throw new Error(`blob ${id} already exists`);
      const file = await openNew(id);
      const writer: BlobWriter = beginWriter(file, {
        files,
        folder,
        id,
        onEnd: () => writers.delete(writer),
      });
      writers.add(writer);
      if (closed) await writer.abandon();
      assertOpen();
      return writer;
    },
    async stat(id) {
      const path = pathOf(id);
      assertOpen();
      const size = await sizeOf(path);
      return size === undefined ? undefined : { size };
    },
    async *read(id, range) {
      const path = pathOf(id);
      assertOpen();
      const size = await files.size(path);
      const { start, end } = range ?? { start: 0, end: size };
      if (!(start >= 0 && start <= end && end <= size)) {
        throw new Error(`blob ${id} has ${size} bytes, but none from ${start} to ${end}`);
      }
      yield* readBytes(await files.open(path, 'read'), path, { start, end });
    },
    async remove(id) {
      const path = pathOf(id);
      assertOpen();
      await removeIfThere(files, path);
    },
    list() {
      assertOpen();
      const since = new Set<string>();
      listings.add(since);
      const names = namesIn(files, folder).finally(() => listings.delete(since));
      names.catch(() => undefined); // whoever reads the listing is told
      return (async function* () {
        for (const name of await names) if (blobId.test(name) && !since.has(name)) yield name;
      })();
    },
    async close() {
      closed = true;
      await Promise.all(Array.from(writers, (writer) => writer.abandon()));
    },
  };
};

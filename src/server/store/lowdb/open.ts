import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreRefusal } from '../store.ts';
import type { CollectionSpec, Document, LaneSpec, Store } from '../store.ts';
import { removeUnfinished } from './blobs.ts';
import { nodeFiles, unlessNoChanges } from './file-layer.ts';
import type { FileLayer } from './file-layer.ts';
import { foldState } from './fold.ts';
import { guardFolder } from './guard.ts';
import type { Guard } from './guard.ts';
import { versionsOf } from '../migrate.ts';
import { createJournal } from './journal.ts';
import type { Journal } from './journal.ts';
import type { Lock } from '../../../lock/lock.ts';
import { refuseBackup } from './kinds.ts';
import { checkNotHeld, lockFolder } from './lock.ts';
import { createEngine } from './lowdb-store.ts';
import type { Durability, Engine } from './lowdb-store.ts';
import { writeManifest } from './manifest.ts';
import { recover } from './recover.ts';
import { messageOf } from './refusal.ts';
import { segmentsIn } from './segments.ts';

/** Where the store tells an operator what it found and did; a pino logger fits. */
interface StoreLog {
  info(message: string): void;
  warn(message: string): void;
}

export interface OpenOptions {
  /** The folder the store owns; created when missing. */
  readonly dir: string;
  /** All collections that any service uses. `never`: the store reads documents through the specs' own functions only. */
  readonly collections: readonly CollectionSpec<never>[];
  /** All families of lanes that any service uses. */
  readonly lanes?: readonly LaneSpec[];
  readonly files?: FileLayer;
  /** The journal is folded into the checkpoints once it is larger than this, and than they are. */
  readonly checkpointBytes?: number;
  /** Milliseconds between tries to write again, after the disk took no changes. */
  readonly retryMs?: number;
  readonly log?: StoreLog;
}

const SILENT: StoreLog = { info() {}, warn() {} };

/** Checkpoints that failed are tried again after so many times the pause of the journal: they are longer. */
const FOLD_RETRY_FACTOR = 30;

/** Names of files the store uses for itself. */
const RESERVED = new Set(['store', 'lock', 'backup']);

const checkNames = (what: string, specs: readonly { readonly name: string }[]): void => {
  const seen = new Set<string>();
  for (const { name } of specs) {
    if (!/^[a-z][a-z0-9_-]*$/.test(name) || RESERVED.has(name) || seen.has(name)) {
      throw new Error(`"${name}" cannot name ${what}: not a file name, reserved, or duplicated`);
    }
    seen.add(name);
  }
};

/**
 * Warns of a folder that others may use. Where everybody may put files, none of another user but root is taken: it could
 * be a key for secrets, or an API key, that its owner knows.
 * @throws StoreRefusal naming the first such file
 */
const checkOthers = async (dir: string, files: FileLayer, log: StoreLog): Promise<void> => {
  const me = process.getuid?.();
  if (me === undefined) return; // Windows has neither such owners nor such modes
  const { mode } = await stat(dir);
  if ((mode & 0o077) === 0) return;
  const may = (mode & 0o022) === 0 ? 'read it' : 'write to it';
  log.warn(`${dir} already existed and others can ${may}; to prevent this, run "chmod 700 ${dir}"`);
  if ((mode & 0o002) === 0) return;
  for (const name of await files.list(dir)) {
    const file = join(dir, name);
    const owner = await files.owner(file);
    if (owner !== me && owner !== 0) throw foreign(dir, file, owner);
  }
};

const foreign = (dir: string, file: string, owner: number): StoreRefusal =>
  new StoreRefusal(
    `Everyone can write to ${dir}, and ${file} belongs to another user (${owner}), who may know its keys.\n` +
      `Fix: use another data directory (--data-dir). If you trust the file, take ownership with chown, then run chmod 700 ${dir}.`,
  );

/** Files of which nothing is read once a signal is aborted. */
const readUntil = (signal: AbortSignal, files: FileLayer): FileLayer => ({
  ...files,
  async open(path, mode) {
    const file = await files.open(path, mode);
    return {
      ...file,
      async read(into, position) {
        signal.throwIfAborted();
        return file.read(into, position);
      },
    };
  },
});

/** What keeps others out of a folder. */
interface Locks {
  readonly guard: Guard;
  /** Writes the lock file, where a disk that took no changes kept it from being written. */
  complete(): Promise<void>;
  release(): Promise<void>;
}

/** What another server changes that writes the folder: the files of its journal and their sizes. */
const journalOf = async (files: FileLayer, dir: string): Promise<string> => {
  const sizes = segmentsIn(await files.list(dir)).map(
    async ({ name }) => `${name} ${await files.size(join(dir, name))}`,
  );
  return (await Promise.all(sizes)).join();
};

/** Files of which nothing is written once a signal is aborted. */
const writeUntil = (signal: AbortSignal, files: FileLayer): FileLayer => ({
  ...files,
  async open(path, mode) {
    const file = await files.open(path, mode);
    return {
      ...file,
      async write(bytes) {
        signal.throwIfAborted();
        return file.write(bytes);
      },
    };
  },
});

const openLocked = async (
  {
    dir,
    lanes = [],
    files = nodeFiles,
    checkpointBytes = 16 << 20,
    retryMs = 1_000,
    log = SILENT,
  }: OpenOptions,
  specs: readonly CollectionSpec<Document>[],
  { guard, complete, release }: Locks,
  signal: AbortSignal | undefined,
): Promise<Store> => {
  const {
    state,
    folded,
    journal: found,
    manifest,
  } = await recover({
    dir,
    files: signal ? readUntil(signal, files) : files,
    specs,
    lanes,
    warn: (message) => log.warn(message),
  });
  if (state.commit > folded) {
    log.info(`${dir}: ${state.commit - folded} commits recovered from the journal`);
  }
  const { segment } = found;
  await guard.move(join(dir, segment.name));
  await removeUnfinished(files, dir);
  /** What the state was read from, where another server may change it until this one can lock it. */
  let asRead = guard.isExclusive() ? undefined : await journalOf(files, dir);
  let hasOldManifest = found.isOld;
  let failed = false;
  let foldedAt = folded;
  let nextFold = checkpointBytes;
  let folding: Promise<void> | undefined;
  let foldFailure: string | undefined;
  let foldTimer: NodeJS.Timeout | undefined;
  let closing = false;
  let timer: NodeJS.Timeout | undefined;
  let resuming: Promise<void> | undefined;
  /** Why it is read-only, or the last try to write again failed. */
  let told = '';

  /** Folds up to now; the journal must have nothing in flight until it has been rotated. */
  const fold = async (onRotated: () => void, to = files): Promise<void> => {
    const { commit } = state;
    await journal.rotate(commit);
    const written = foldState(to, dir, state);
    onRotated();
    nextFold = Math.max(checkpointBytes, await written);
    foldedAt = commit;
    if (foldFailure !== undefined) log.info(`${dir}: rewriting the checkpoints`);
    foldFailure = undefined;
  };

  /** The journal has every change, so a fold that fails loses nothing: it is told and tried later. */
  const tellFoldFailed = (error: unknown): void => {
    nextFold = journal.size() + checkpointBytes;
    foldFailure = messageOf(error);
    log.warn(`${dir}: writing the checkpoints failed, so the journal continues: ${foldFailure}`);
    if (!closing) foldLater();
  };

  /** As what is stored may not change for long, and the journal grows until then. */
  const foldLater = (): void => {
    clearTimeout(foldTimer);
    foldTimer = setTimeout(() => {
      nextFold = 0;
      journal.look();
    }, retryMs * FOLD_RETRY_FACTOR);
    foldTimer.unref();
  };

  /** Flushes go on as soon as the journal is rotated, beside the fold. */
  const afterFlush = (): Promise<void> => {
    const isDue = journal.size() >= nextFold && state.commit > foldedAt;
    if (folding || failed || !isDue) return Promise.resolve();
    return new Promise((resolve) => {
      folding = fold(resolve)
        .catch(tellFoldFailed)
        .finally(() => {
          folding = undefined;
          resolve();
        });
    });
  };

  const fail = (reason: string): void => {
    failed = true;
    engine.fail(reason);
    log.warn(`${dir}: read-only until its disk is writable again (no restart required): ${reason}`);
    told = reason;
    tryAgain();
  };

  const tryAgain = (): void => {
    if (closing) return;
    timer = setTimeout(() => {
      resuming = resume().finally(() => (resuming = undefined));
    }, retryMs);
    timer.unref();
  };

  /** Leaves the folder to another server, which came up on the same read-only disk and was first. */
  const giveUp = async (reason: string): Promise<void> => {
    engine.fail(reason);
    log.warn(`${dir}: read-only: ${reason}`);
    await release();
  };

  const resume = async (): Promise<void> => {
    try {
      // First: it keeps others out while the guard lets go of what it has, to take all.
      const other = await complete().catch((error: unknown) => {
        if (error instanceof StoreRefusal) return error;
        throw error;
      });
      if (other) {
        await giveUp(
          `another server now uses the directory; stop this one: ${messageOf(other).split('\n')[0]}`,
        );
        return;
      }
      await guard.claim();
      if (asRead !== undefined && asRead !== (await journalOf(files, dir))) {
        await giveUp('another server has changed the directory; restart this server');
        return;
      }
      await engine.resume(async (newest, last) => {
        const from = await journal.resume(newest, last);
        if (hasOldManifest) await writeManifest(files, dir, manifest);
        hasOldManifest = false;
        return from;
      });
      asRead = undefined;
      failed = false;
      log.info(`${dir}: writable again`);
    } catch (error) {
      const reason = messageOf(error);
      if (!told.includes(reason)) log.warn(`${dir}: still read-only: ${reason}`);
      told = reason;
      tryAgain();
    }
  };

  const durability: Durability = {
    append: (sealed) => journal.append(sealed),
    checkpoints: () => foldFailure,
    async close(signal) {
      closing = true;
      clearTimeout(timer);
      clearTimeout(foldTimer);
      await resuming;
      await journal.idle();
      await folding;
      const to = signal ? writeUntil(signal, files) : files;
      if (!failed && state.commit > foldedAt) await fold(() => {}, to).catch(tellFoldFailed);
      try {
        await journal.close();
      } finally {
        await release();
      }
    },
  };
  const engine: Engine = createEngine(state, lanes, durability, { dir, files });
  const journal: Journal = createJournal({
    dir,
    files,
    guard,
    ...found,
    commit: state.commit,
    versions: versionsOf(specs),
    onUnmarked: (error) =>
      log.warn(
        `${dir}: the position of the journal on disk cannot be recorded: ${messageOf(error)}`,
      ),
    onDurable: engine.settle,
    onFailure: fail,
    afterFlush,
  });
  const begin = async (): Promise<void> => {
    if (found.uncut !== undefined) throw found.uncut;
    await journal.begin();
    await complete();
    if (!hasOldManifest) return;
    // Groups go where the first format wrote nothing; versions that know no groups refuse the folder from then on.
    await journal.rotate(state.commit);
    await writeManifest(files, dir, manifest);
    hasOldManifest = false;
  };
  try {
    await begin().then(
      () => (asRead = undefined),
      (error: unknown) => fail(messageOf(unlessNoChanges(error))),
    );
  } catch (error) {
    await journal.close();
    throw error;
  }
  return engine.store;
};

/** A folder that this process has locked. */
export interface LockedFolder {
  /**
   * Loads the store, in turns. Call it once; the store has the lock from then on.
   * @throws StoreRefusal when the files can't be used or trusted; the reason of the signal
   */
  load(signal?: AbortSignal): Promise<Store>;
  /** Lets go of a folder that was not loaded. */
  release(): Promise<void>;
}

const wayOut = (error: unknown): string =>
  error instanceof Error && 'code' in error && error.code === 'EIO'
    ? 'Fix: the disk is failing. Copy the directory to another disk, check the copy with `govctl server verify`, and start the server with the copy (--data-dir).'
    : 'Fix: make sure that the directory is writable and its disk has space, or use another directory (--data-dir).';

/** @throws StoreRefusal where it is no StoreRefusal already */
const refusing = async <T>(dir: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreRefusal) throw error;
    throw new StoreRefusal(
      `${dir} cannot be used as a data directory: ${messageOf(error)}\n${wayOut(error)}`,
      { cause: error },
    );
  }
};

/**
 * Locks the folder of an embedded store.
 * @throws StoreRefusal when another process has it open, or it can't be used
 */
export const lockLowdbStore = (options: OpenOptions): Promise<LockedFolder> => {
  const { dir, collections, files = nodeFiles, log = SILENT } = options;
  // Each spec only ever gets documents that came in under it.
  const specs = collections as readonly unknown[] as readonly CollectionSpec<Document>[];
  checkNames('a collection', specs);
  checkNames('lanes', options.lanes ?? []);
  return refusing(dir, async () => {
    await files.makeFolder(dir);
    await checkOthers(dir, files, log);
    refuseBackup(dir, await files.list(dir));
    // First: a lock file that another container wrote looks left over from here, and is replaced.
    const guard = await guardFolder(files, dir, (message) => log.warn(message));
    let lock: Lock | undefined;
    const locks: Locks = {
      guard,
      async complete() {
        lock ??= await lockFolder(dir);
      },
      async release() {
        await guard.release();
        await lock?.release();
      },
    };
    try {
      await locks.complete().catch(async (error: unknown) => {
        unlessNoChanges(error);
        await checkNotHeld(dir);
      });
    } catch (error) {
      await guard.release();
      throw error;
    }
    return {
      async load(signal) {
        try {
          return await refusing(dir, () => openLocked(options, specs, locks, signal));
        } catch (error) {
          await locks.release();
          throw signal?.aborted ? signal.reason : error;
        }
      },
      release: locks.release,
    };
  });
};

/** Opens the embedded store of a folder. @throws as `lockLowdbStore` and its `load` */
export const openLowdbStore = async (options: OpenOptions): Promise<Store> =>
  (await lockLowdbStore(options)).load();

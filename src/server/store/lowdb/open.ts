import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CollectionSpec, Document, Store } from '../store.ts';
import { nodeFiles } from './file-layer.ts';
import type { FileLayer } from './file-layer.ts';
import { createSegment, openJournal, segmentName } from './journal.ts';
import { createEngine } from './lowdb-store.ts';
import type { Engine, State } from './lowdb-store.ts';
import { Table } from './table.ts';

/** Where the store tells an operator what it found and did; a pino logger fits. */
export interface StoreLog {
  info(message: string): void;
  warn(message: string): void;
}

export interface OpenOptions {
  /** The folder the store owns; created when missing. */
  readonly dir: string;
  /** All collections that any service uses. `never`: the store reads them through their own functions only. */
  readonly collections: readonly CollectionSpec<never>[];
  readonly files?: FileLayer;
  /** The journal is folded into the checkpoints when it is larger than this and than they are. */
  readonly checkpointBytes?: number;
  readonly log?: StoreLog;
}

/**
 * Opens the embedded store of a folder.
 * @throws StoreRefusal when another process has it open, or its files can't be trusted
 */
export const openLowdbStore = async ({
  dir,
  collections,
  files = nodeFiles,
}: OpenOptions): Promise<Store> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // Each spec only ever gets documents that came in under it.
  const specs = collections as readonly unknown[] as readonly CollectionSpec<Document>[];
  const state: State = {
    commit: 0,
    tables: new Map(specs.map((spec) => [spec.name, new Table(spec, new Map())])),
    sequences: new Map(),
  };
  await (await createSegment(files, dir, 0)).close();
  const engine: Engine = createEngine(state, {
    append: (commit) => journal.append(commit),
    async close() {
      await journal.idle();
      await journal.close();
    },
  });
  const journal = await openJournal({
    dir,
    files,
    segment: { name: segmentName(0), from: 0 },
    size: 0,
    onDurable: engine.settle,
    onFailure: engine.fail,
    afterFlush: async () => {},
  });
  void join;
  return engine.store;
};

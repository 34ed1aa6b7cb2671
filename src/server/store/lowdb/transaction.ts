import type { Awaitable } from '../../awaitable.ts';
import { StoreConflict } from '../store.ts';
import type { CollectionSpec, Document, Page, Tx, Versioned, WriteOptions } from '../store.ts';
import { beginLaneChanges } from './lane-transaction.ts';
import type { LanesView } from './lane-view.ts';
import type { Operation } from './operation.ts';
import { Overlay } from './overlay.ts';
import { uniqueValuesOf } from './spec.ts';
import { findRow, getRow, pageRows } from './view.ts';
import type { View } from './view.ts';

/** What a transaction starts from: the committed state, on disk or on its way there. */
export interface Committed {
  viewOf(collection: string): View;
  lanesOf(family: string): LanesView;
  sequence(name: string): number;
}

export interface Transaction {
  readonly tx: Tx;
  /** Ends the transaction: its `tx` is of no use from here on. */
  finish(): readonly Operation[];
}

const checkRevision = (
  collection: string,
  before: Versioned<Document>,
  { ifRevision }: WriteOptions = {},
): void => {
  if (ifRevision !== undefined && ifRevision !== before.revision) {
    throw new StoreConflict('revision', collection, before.doc.id);
  }
};

/** Begins a transaction whose writes will carry the revision `commit`. */
export const beginTransaction = (committed: Committed, commit: number): Transaction => {
  const overlays = new Map<string, Overlay>();
  const sequences = new Map<string, number>();
  let finished = false;

  const assertOpen = (): void => {
    if (finished) throw new Error('the transaction was used after it had ended');
  };

  const viewOf = (collection: string): View => {
    assertOpen();
    const below = committed.viewOf(collection);
    const own = overlays.get(collection);
    return own ? { table: below.table, overlays: [own, ...below.overlays] } : below;
  };

  const write = (view: View, id: string, doc: Document | undefined): void => {
    const { spec } = view.table;
    for (const [index, value] of doc ? uniqueValuesOf(spec, doc) : []) {
      const holder = findRow(view, index, value);
      if (holder && holder.doc.id !== id) throw new StoreConflict('unique', spec.name, id, index);
    }
    const overlay = overlays.get(spec.name) ?? new Overlay(spec);
    overlays.set(spec.name, overlay);
    overlay.set(id, { doc, revision: commit });
  };

  const existing = (view: View, id: string, options?: WriteOptions): void => {
    const before = getRow(view, id);
    if (!before) throw new StoreConflict('missing', view.table.spec.name, id);
    checkRevision(view.table.spec.name, before, options);
  };

  const next = (sequence: string): number => {
    const value = (sequences.get(sequence) ?? committed.sequence(sequence)) + 1;
    sequences.set(sequence, value);
    return value;
  };

  const lanes = beginLaneChanges({
    assertOpen,
    lanesOf: committed.lanesOf,
    next,
    current: (sequence) => sequences.get(sequence) ?? committed.sequence(sequence),
  });

  // The casts below give back the type under which the same collection took the document in.
  const tx: Tx = {
    get<T extends Document>(collection: CollectionSpec<T>, id: string) {
      return getRow(viewOf(collection.name), id) as Versioned<T> | undefined;
    },
    find<T extends Document>(collection: CollectionSpec<T>, index: string, value: string) {
      return findRow(viewOf(collection.name), index, value) as Versioned<T> | undefined;
    },
    page(collection, query) {
      return pageRows(() => viewOf(collection.name), query) as Awaitable<Page<never>>;
    },
    async insert<T extends Document>(collection: CollectionSpec<T>, doc: T) {
      const view = viewOf(collection.name);
      if (getRow(view, doc.id)) throw new StoreConflict('exists', collection.name, doc.id);
      write(view, doc.id, doc);
      return { doc, revision: commit };
    },
    async replace<T extends Document>(
      collection: CollectionSpec<T>,
      doc: T,
      options?: WriteOptions,
    ) {
      const view = viewOf(collection.name);
      existing(view, doc.id, options);
      write(view, doc.id, doc);
      return { doc, revision: commit };
    },
    async remove(collection, id, options) {
      const view = viewOf(collection.name);
      existing(view, id, options);
      write(view, id, undefined);
    },
    async next(sequence) {
      assertOpen();
      return next(sequence);
    },
    ...lanes.tx,
  };

  return {
    tx,
    finish() {
      finished = true;
      const operations: Operation[] = [];
      for (const [name, value] of sequences) operations.push(['seq', name, value]);
      for (const [collection, { changes }] of overlays) {
        for (const [id, { doc }] of changes) {
          operations.push(doc ? ['put', collection, doc] : ['del', collection, id]);
        }
      }
      return operations.concat(lanes.operations);
    },
  };
};

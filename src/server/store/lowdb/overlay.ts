import type { CollectionSpec, Document } from '../store.ts';
import { uniqueValuesOf } from './spec.ts';

/** What became of a record: `doc` is undefined where it was removed. */
export interface Change {
  readonly revision: number;
  readonly doc: Document | undefined;
}

/**
 * Changes of one collection that lie above its durable rows: those of a running transaction, or
 * those of committed transactions whose journal lines are not yet on disk.
 */
export class Overlay {
  readonly changes = new Map<string, Change>();
  readonly #taken = new Map<string, Map<string, string>>();

  constructor(readonly spec: CollectionSpec<Document>) {
    for (const index of Object.keys(spec.unique ?? {})) this.#taken.set(index, new Map());
  }

  set(id: string, change: Change): void {
    if (this.changes.has(id)) this.drop(id);
    this.changes.set(id, change);
    if (!change.doc) return;
    for (const [index, value] of uniqueValuesOf(this.spec, change.doc)) {
      this.#taken.get(index)?.set(value, id);
    }
  }

  drop(id: string): void {
    const doc = this.changes.get(id)?.doc;
    this.changes.delete(id);
    if (!doc) return;
    for (const [index, value] of uniqueValuesOf(this.spec, doc)) {
      const holders = this.#taken.get(index);
      if (holders?.get(value) === id) holders.delete(value);
    }
  }

  /** The id that holds a unique value through a change of this overlay. */
  holderOf(index: string, value: string): string | undefined {
    return this.#taken.get(index)?.get(value);
  }
}

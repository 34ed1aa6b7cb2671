import type { CollectionSpec, Document, Scalar, Versioned } from '../store.ts';
import { compareAscending, OrderedView } from './sorted-keys.ts';
import type { Key } from './sorted-keys.ts';
import { orderOf } from './spec.ts';
import { sortInTurns } from './sort-in-turns.ts';
import { createPace, PER_TURN } from './pace.ts';

/** Up to this many rows are sorted without yielding. */
const SORTED_AT_ONCE = 2048;
/** An unused order survives at least this many writes. */
const FEWEST_UNUSED = 1 << 16;

/** Indexed by ordinal; undefined for free ordinals. */
export type Rows = (Versioned<Document> | undefined)[];

interface Order {
  readonly read: (doc: Document) => Scalar | undefined;
  /** Contains ordinals of rows. */
  readonly view: OrderedView<number>;
  /** The number of writes before its last use. */
  usedAt: number;
}

/** An order that is being built. */
interface Build {
  readonly done: Promise<void>;
  /** Rows written since the build started that it has not processed yet. */
  readonly changed: Set<number>;
}

/**
 * The declared orders of a collection. Each is built on first use, in slices so that the event loop stays free, and
 * updated from then on; it takes 8 bytes per row. An unused order is dropped after as many writes as there are rows,
 * because by then updating it has cost as much as rebuilding it.
 */
export class Orders {
  readonly #built = new Map<string, Order>();
  readonly #builds = new Map<string, Build>();
  /** Settles after the last queued build. Builds run one at a time, as parallel builds would share one slice. */
  #line: Promise<unknown> = Promise.resolve();
  #writes = 0;

  /** @param rows the collection's live rows; only read here */
  constructor(
    private readonly spec: CollectionSpec<Document>,
    private readonly rows: Rows,
  ) {}

  /** @returns undefined if the order must be prepared first */
  find(orderBy: string): OrderedView<number> | undefined {
    const order = this.#built.get(orderBy);
    if (!order) return undefined;
    order.usedAt = this.#writes;
    return order.view;
  }

  /** @returns a promise that resolves once the order is built; undefined if it exists or was built synchronously */
  prepare(orderBy: string): Promise<void> | undefined {
    if (this.#built.has(orderBy)) return undefined;
    const read = orderOf(this.spec, orderBy);
    if (this.rows.length <= SORTED_AT_ONCE) {
      const keyOf = (ordinal: number): Key => keyAt(this.rows, read, ordinal);
      const view = new OrderedView(keyOf);
      const sorted = ordinalsIn(this.rows).sort((a, b) => compareAscending(keyOf(a), keyOf(b)));
      view.append([...sorted]);
      this.#keep(orderBy, read, view);
      return undefined;
    }
    const begun = this.#builds.get(orderBy);
    if (begun) return begun.done;
    const changed = new Set<number>();
    const done = this.#line
      .then(() => this.#build(orderBy, changed))
      .finally(() => this.#builds.delete(orderBy));
    this.#line = done.catch(() => undefined);
    this.#builds.set(orderBy, { done, changed });
    return done;
  }

  /**
   * Removes a row from the orders in which its position changes.
   * @param before its document, which `rows` still contains; undefined for a new row
   * @param after undefined for a deleted row
   * @returns a function that inserts the row again; call it once `rows` contains the new document
   */
  move(ordinal: number, before: Document | undefined, after: Document | undefined): () => void {
    this.#writes += 1;
    if ((this.#writes & 1023) === 0) this.#dropUnused();
    for (const { changed } of this.#builds.values()) changed.add(ordinal);
    const moved: Order[] = [];
    for (const order of this.#built.values()) {
      if (before && after && order.read(before) === order.read(after)) continue;
      if (before) order.view.remove(ordinal);
      if (after) moved.push(order);
    }
    return () => {
      for (const { view } of moved) view.insert(ordinal);
    };
  }

  async #build(orderBy: string, changed: Set<number>): Promise<void> {
    const read = orderOf(this.spec, orderBy);
    // Documents are immutable, so a copy of the rows keeps the sort keys stable during the build.
    let seen = this.rows.slice();
    changed.clear();
    const keyOf = (ordinal: number): Key => keyAt(seen, read, ordinal);
    const sorted = ordinalsIn(seen);
    await sortInTurns(sorted, keyOf);
    const view = new OrderedView(keyOf);
    const pace = createPace();
    for (let at = 0; at < sorted.length; at += PER_TURN) {
      view.append([...sorted.subarray(at, at + PER_TURN)]);
      await pace.spend(PER_TURN);
    }
    // Rows written during this loop are added to the set, and the loop reaches them too.
    for (const ordinal of changed) {
      changed.delete(ordinal);
      if (seen[ordinal]) view.remove(ordinal);
      seen[ordinal] = this.rows[ordinal];
      if (seen[ordinal]) view.insert(ordinal);
      await pace.spend(1);
    }
    seen = this.rows;
    this.#keep(orderBy, read, view);
  }

  #keep(orderBy: string, read: Order['read'], view: OrderedView<number>): void {
    this.#built.set(orderBy, { read, view, usedAt: this.#writes });
  }

  #dropUnused(): void {
    const unused = Math.max(this.rows.length, FEWEST_UNUSED);
    for (const [orderBy, { usedAt }] of this.#built) {
      if (this.#writes - usedAt > unused) this.#built.delete(orderBy);
    }
  }
}

/** The sort key of a row, which must exist. */
const keyAt = (rows: Rows, read: Order['read'], ordinal: number): Key => {
  const { doc } = rows[ordinal] as Versioned<Document>;
  return { value: read(doc), id: doc.id };
};

const ordinalsIn = (rows: Rows): Uint32Array => {
  const ordinals = new Uint32Array(rows.length);
  let count = 0;
  for (let at = 0; at < rows.length; at += 1) if (rows[at]) ordinals[count++] = at;
  return ordinals.subarray(0, count);
};

import type { CollectionSpec, Document, Scalar, Versioned } from '../store.ts';
import { compareAscending, OrderedView } from './sorted-keys.ts';
import type { Key } from './sorted-keys.ts';
import { orderOf } from './spec.ts';
import { sortInTurns } from './sort-in-turns.ts';
import { createTurns, PER_TURN } from './turns.ts';

/** Up to this many rows are sorted at once. */
const SORTED_AT_ONCE = 2048;
/** An order is not dropped before this many writes without a use. */
const FEWEST_UNUSED = 1 << 16;

/** By ordinal; undefined where there is none. */
export type Rows = (Versioned<Document> | undefined)[];

interface Order {
  readonly read: (doc: Document) => Scalar | undefined;
  /** Rows by their ordinals. */
  readonly view: OrderedView<number>;
  /** The write that came before its last use. */
  usedAt: number;
}

/** An order on its way. */
interface Build {
  readonly done: Promise<void>;
  /** Rows written since it was begun, and not yet seen by it. */
  readonly changed: Set<number>;
}

/**
 * The declared orders of a collection. Each is built when it is first needed, in slices between which others have their
 * turn, and kept up from then on: 8 bytes for each row. One that nobody uses is dropped when as many rows were written
 * as there are: keeping it up has cost what building it again would.
 */
export class Orders {
  readonly #built = new Map<string, Order>();
  readonly #builds = new Map<string, Build>();
  /** Ends when the last build in line is done: several at once would share a turn. */
  #line: Promise<unknown> = Promise.resolve();
  #writes = 0;

  /** @param rows as they are now; they are only read */
  constructor(
    private readonly spec: CollectionSpec<Document>,
    private readonly rows: Rows,
  ) {}

  /** Undefined: it has to be prepared first. */
  find(orderBy: string): OrderedView<number> | undefined {
    const order = this.#built.get(orderBy);
    if (!order) return undefined;
    order.usedAt = this.#writes;
    return order.view;
  }

  /** Resolves when the order was built; undefined where it is there already, or was built at once. */
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
   * Takes a row out of the orders in which its place changes.
   * @param before its document, which `rows` still has; undefined: it is new
   * @param after undefined: it goes
   * @returns puts it in its place again, once `rows` has what it is now
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
    // Documents never change: with the rows as they were, the order holds still while it is built.
    let seen = this.rows.slice();
    changed.clear();
    const keyOf = (ordinal: number): Key => keyAt(seen, read, ordinal);
    const sorted = ordinalsIn(seen);
    await sortInTurns(sorted, keyOf);
    const view = new OrderedView(keyOf);
    const turns = createTurns();
    for (let at = 0; at < sorted.length; at += PER_TURN) {
      view.append([...sorted.subarray(at, at + PER_TURN)]);
      await turns.spend(PER_TURN);
    }
    // What is written meanwhile joins the set, and is come by.
    for (const ordinal of changed) {
      changed.delete(ordinal);
      if (seen[ordinal]) view.remove(ordinal);
      seen[ordinal] = this.rows[ordinal];
      if (seen[ordinal]) view.insert(ordinal);
      await turns.spend(1);
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

/** The place of a row, which must be there. */
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

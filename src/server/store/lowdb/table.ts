import type { CollectionSpec, Document, Versioned } from '../store.ts';
import { Bits, inAll, withOrdinal, withoutOrdinal } from './ordinals.ts';
import type { Ordinals } from './ordinals.ts';
import { Orders } from './orders.ts';
import type { Rows } from './orders.ts';
import { compareKeys } from './sorted-keys.ts';
import type { Direction, Key } from './sorted-keys.ts';
import { indexOf, orderOf, undeclared, uniqueValuesOf, valuesOf } from './spec.ts';
import type { Conditions } from './spec.ts';
import { createPace } from './pace.ts';

/** Up to this many matches may be sorted for a page. */
const MOST_GATHERED = 1024;

/** What entering a row in its indexes takes, in items of a turn. */
const ITEMS_PER_ROW = 8;

/** The rows that fulfil some conditions, until the next write: all, a few in no order, or many. */
export type Matches = undefined | readonly number[] | Bits;

export interface Scan {
  readonly matches: Matches;
  readonly orderBy: string;
  readonly direction: Direction;
  readonly after?: Key | undefined;
  /** Rows that are left out, by id, as if they didn't match. */
  readonly hidden: ReadonlyMap<string, unknown>;
  /** Of those that are not hidden. */
  readonly skip: number;
  readonly most: number;
}

interface Clash {
  readonly index: string;
  readonly ids: readonly [string, string];
}

interface Postings {
  readonly read: (doc: Document) => string | readonly string[] | undefined;
  readonly byValue: Map<string, Ordinals>;
}

const NONE: readonly string[] = [];

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, at) => value === b[at]);

/**
 * A collection in memory with its declared indexes. Holds durable rows only; what a transaction
 * reads beyond that lies in overlays above it.
 */
export class Table {
  readonly #ordinals = new Map<string, number>();
  readonly #rows: Rows = [];
  /** Ordinals of removed rows. */
  readonly #free: number[] = [];
  readonly #unique = new Map<string, Map<string, string>>();
  readonly #postings = new Map<string, Postings>();
  readonly #orders: Orders;

  constructor(readonly spec: CollectionSpec<Document>) {
    this.#orders = new Orders(spec, this.#rows);
    for (const name of Object.keys(spec.unique ?? {})) this.#unique.set(name, new Map());
    for (const name of Object.keys(spec.index ?? {})) {
      this.#postings.set(name, { read: indexOf(spec, name), byValue: new Map() });
    }
  }

  /**
   * Fills it, in turns.
   * @returns two of the rows that hold the same unique value
   */
  async fill(rows: Iterable<Versioned<Document>>): Promise<Clash | undefined> {
    const pace = createPace();
    let clash: Clash | undefined;
    for (const row of rows) {
      clash ??= this.#clashOf(row.doc);
      this.#ordinals.set(row.doc.id, this.#rows.length);
      this.#enter(this.#rows.length, undefined, row.doc);
      this.#rows.push(row);
      await pace.spend(ITEMS_PER_ROW);
    }
    return clash;
  }

  get size(): number {
    return this.#ordinals.size;
  }

  /** The rows as they are now, unmoved by later writes. */
  snapshot(): readonly Versioned<Document>[] {
    return this.#rows.filter((row) => row !== undefined);
  }

  get(id: string): Versioned<Document> | undefined {
    const ordinal = this.#ordinals.get(id);
    return ordinal === undefined ? undefined : this.#rows[ordinal];
  }

  /** The id that holds a unique value. */
  holderOf(index: string, value: string): string | undefined {
    const values = this.#unique.get(index);
    if (!values) throw undeclared('unique index', this.spec, index);
    return values.get(value);
  }

  put(doc: Document, revision: number): void {
    let ordinal = this.#ordinals.get(doc.id);
    if (ordinal === undefined) {
      ordinal = this.#free.pop() ?? this.#rows.length;
      this.#ordinals.set(doc.id, ordinal);
    }
    this.#write(ordinal, { doc, revision });
  }

  remove(id: string): void {
    const ordinal = this.#ordinals.get(id);
    if (ordinal === undefined) return;
    this.#write(ordinal, undefined);
    this.#ordinals.delete(id);
    this.#free.push(ordinal);
  }

  /** @throws where `where` names an index that is not declared */
  select(where: Conditions | undefined): Matches {
    const groups: Ordinals[][] = [];
    for (const [index, condition] of Object.entries(where ?? {})) {
      const postings = this.#postings.get(index);
      if (!postings) throw undeclared('index', this.spec, index);
      const setsOf = (values: readonly string[]): Ordinals[] =>
        values.map((value) => postings.byValue.get(value)).filter((set) => set !== undefined);
      if ('all' in condition) groups.push(...condition.all.map((value) => setsOf([value])));
      else groups.push(setsOf([...new Set(condition.any)]));
    }
    return groups.length === 0 ? undefined : inAll(groups, this.#rows.length, this.#few());
  }

  count(matches: Matches): number {
    if (matches === undefined) return this.size;
    return matches instanceof Bits ? matches.size : matches.length;
  }

  /**
   * Resolves when a page in this order can be read at once; undefined: it can.
   * @throws where the order is not declared
   */
  prepare(where: Conditions | undefined, orderBy: string): Promise<void> | undefined {
    if (this.#orders.find(orderBy)) return undefined;
    if (Array.isArray(this.select(where))) return undefined;
    return this.#orders.prepare(orderBy);
  }

  /**
   * The places of rows that match, in order. A few are sorted; among many the order is walked, which takes microseconds
   * mostly, and some milliseconds for a million rows.
   */
  scan({ matches, orderBy, direction, after, hidden, skip, most }: Scan): Key[] {
    const read = orderOf(this.spec, orderBy);
    const keyOf = (ordinal: number): Key => {
      const { doc } = this.#rows[ordinal] as Versioned<Document>; // only ordinals of rows are asked for
      return { value: read(doc), id: doc.id };
    };
    if (matches !== undefined && !(matches instanceof Bits)) {
      return matches
        .map(keyOf)
        .filter((key) => !hidden.has(key.id) && (!after || compareKeys(direction, key, after) > 0))
        .sort((a, b) => compareKeys(direction, a, b))
        .slice(skip, skip + most);
    }
    const view = this.#orders.find(orderBy);
    if (!view) throw new Error(`${this.spec.name} has no prepared order by ${orderBy}`);
    const accepts = this.#accepting(matches, hidden);
    return view.take({ direction, after, accepts, skip, most }).map(keyOf);
  }

  /** Undefined: every row. */
  #accepting(
    matches: Bits | undefined,
    hidden: ReadonlyMap<string, unknown>,
  ): ((ordinal: number) => boolean) | undefined {
    const out: number[] = [];
    for (const id of hidden.keys()) {
      const ordinal = this.#ordinals.get(id);
      if (ordinal !== undefined) out.push(ordinal);
    }
    if (out.length === 0) return matches && ((ordinal) => matches.has(ordinal));
    const shown = matches?.copy() ?? Bits.below(this.#rows.length);
    for (const ordinal of out) shown.remove(ordinal);
    return (ordinal) => shown.has(ordinal);
  }

  /** So few matches that sorting them costs less than walking past the others. */
  #few(): number {
    return Math.min(MOST_GATHERED, Math.max(32, this.#rows.length >>> 6));
  }

  #write(ordinal: number, row: Versioned<Document> | undefined): void {
    const before = this.#rows[ordinal]?.doc;
    const enter = this.#orders.move(ordinal, before, row?.doc);
    this.#enter(ordinal, before, row?.doc);
    this.#rows[ordinal] = row;
    enter();
  }

  #clashOf(doc: Document): Clash | undefined {
    for (const [index, value] of uniqueValuesOf(this.spec, doc)) {
      const holder = this.holderOf(index, value);
      if (holder !== undefined) return { index, ids: [holder, doc.id] };
    }
    return undefined;
  }

  /** Brings the indexes from one document of a row to the next. */
  #enter(ordinal: number, before: Document | undefined, after: Document | undefined): void {
    for (const [index, holders] of this.#unique) {
      const read = this.spec.unique?.[index];
      const old = before && read?.(before);
      const now = after && read?.(after);
      if (old === now) continue;
      // Another document may have taken the value earlier in the same commit.
      if (old !== undefined && before && holders.get(old) === before.id) holders.delete(old);
      if (now !== undefined && after) holders.set(now, after.id);
    }
    for (const { read, byValue } of this.#postings.values()) {
      const old = before ? valuesOf(read(before)) : NONE;
      const now = after ? valuesOf(read(after)) : NONE;
      if (isSame(old, now)) continue;
      for (const value of old) {
        const set = byValue.get(value);
        const left = set === undefined ? undefined : withoutOrdinal(set, ordinal);
        if (left === undefined) byValue.delete(value);
        else if (left !== set) byValue.set(value, left);
      }
      for (const value of now) {
        const set = byValue.get(value);
        const more = withOrdinal(set, ordinal);
        if (more !== set) byValue.set(value, more);
      }
    }
  }
}

import type { CollectionSpec, Document, Versioned } from '../store.ts';
import { compareKeys, OrderedView } from './sorted-keys.ts';
import type { Direction, Key } from './sorted-keys.ts';
import { indexOf, orderOf, undeclared, uniqueValuesOf, valuesOf } from './spec.ts';
import type { Conditions } from './spec.ts';

export interface Scan {
  readonly where?: Conditions | undefined;
  readonly orderBy: string;
  readonly direction: Direction;
  readonly after?: Key | undefined;
  readonly skip?: number | undefined;
}

type Ids = ReadonlySet<string>;
const NONE: Ids = new Set();

/** An id must be in one of the sets of each group. */
interface Group {
  readonly sets: readonly Ids[];
  /** No id is in two of the sets. */
  readonly disjoint: boolean;
}
type Groups = readonly Group[];

interface Clash {
  readonly index: string;
  readonly ids: readonly [string, string];
}

interface Postings {
  readonly read: (doc: Document) => string | readonly string[] | undefined;
  readonly byValue: Map<string, Set<string>>;
  /** Once a document had several values, sizes of different values may count it twice. */
  overlapping: boolean;
}

const isInAll = (groups: Groups, id: string): boolean =>
  groups.every(({ sets }) => sets.some((ids) => ids.has(id)));

/** At least the number of ids in the group. */
const sizeOf = ({ sets }: Group): number => sets.reduce((sum, ids) => sum + ids.size, 0);

/**
 * A collection in memory with its declared indexes. Holds durable rows only; what a transaction
 * reads beyond that lies in overlays above it.
 */
export class Table {
  /** Two of the rows it was built from that hold the same unique value. */
  readonly clash: Clash | undefined;
  readonly #rows: Map<string, Versioned<Document>>;
  readonly #unique = new Map<string, Map<string, string>>();
  readonly #postings = new Map<string, Postings>();
  /** Built when an order is first asked for, kept up from then on. */
  readonly #views = new Map<string, OrderedView>();

  constructor(
    readonly spec: CollectionSpec<Document>,
    rows: Map<string, Versioned<Document>>,
  ) {
    this.#rows = rows;
    for (const name of Object.keys(spec.unique ?? {})) this.#unique.set(name, new Map());
    for (const name of Object.keys(spec.index ?? {})) {
      const read = indexOf(spec, name);
      this.#postings.set(name, { read, byValue: new Map(), overlapping: false });
    }
    for (const { doc } of rows.values()) {
      this.clash ??= this.#clashOf(doc);
      this.#enter(doc);
    }
  }

  get size(): number {
    return this.#rows.size;
  }

  /** The rows as they are now, unmoved by later writes. */
  snapshot(): Versioned<Document>[] {
    return [...this.#rows.values()];
  }

  get(id: string): Versioned<Document> | undefined {
    return this.#rows.get(id);
  }

  /** The id that holds a unique value. */
  holderOf(index: string, value: string): string | undefined {
    const values = this.#unique.get(index);
    if (!values) throw undeclared('unique index', this.spec, index);
    return values.get(value);
  }

  put(doc: Document, revision: number): void {
    const before = this.#rows.get(doc.id);
    this.#rows.set(doc.id, { doc, revision });
    if (before) this.#leave(before.doc);
    this.#enter(doc);
    this.#moveInViews(doc.id, before?.doc, doc);
  }

  remove(id: string): void {
    const before = this.#rows.get(id);
    if (!before) return;
    this.#rows.delete(id);
    this.#leave(before.doc);
    this.#moveInViews(id, before.doc, undefined);
  }

  /** How many rows fulfil `where`. */
  count(where: Conditions | undefined): number {
    return this.#countIn(this.#groupsOf(where));
  }

  /**
   * Keys that fulfil `where`, in order, one after the other. Walks the ordered view while that is
   * cheaper than sorting the matches, so a page of a broad filter touches about a page of keys and a
   * narrow filter never touches the whole collection.
   */
  scan(scan: Scan): Iterable<Key> {
    const groups = this.#groupsOf(scan.where);
    const view = this.#viewOf(scan.orderBy);
    if (groups.some((group) => sizeOf(group) === 0)) return [];
    return groups.length === 0
      ? view.walk(scan.direction, scan.after, scan.skip ?? 0)
      : this.#scanGroups(groups, view, scan);
  }

  *#scanGroups(
    groups: Groups,
    view: OrderedView,
    { orderBy, direction, after, skip = 0 }: Scan,
  ): Generator<Key> {
    let left = skip;
    let budget = 64 + 4 * Math.min(...groups.map(sizeOf));
    let place = after;
    for (const key of view.walk(direction, after, 0)) {
      if (budget <= 0) {
        yield* this.#sortedMatches(groups, orderBy, direction, place, left);
        return;
      }
      budget -= 1;
      place = key;
      if (!isInAll(groups, key.id)) continue;
      if (left > 0) left -= 1;
      else yield key;
    }
  }

  *#sortedMatches(
    groups: Groups,
    orderBy: string,
    direction: Direction,
    after: Key | undefined,
    skip: number,
  ): Generator<Key> {
    const read = orderOf(this.spec, orderBy);
    const keys: Key[] = [];
    for (const id of this.#idsIn(groups)) {
      const row = this.#rows.get(id);
      if (!row) continue;
      const key = { value: read(row.doc), id };
      if (!after || compareKeys(direction, key, after) > 0) keys.push(key);
    }
    keys.sort((a, b) => compareKeys(direction, a, b));
    for (let at = skip; at < keys.length; at += 1) yield keys[at] as Key; // in bounds
  }

  #groupsOf(where: Conditions | undefined): Groups {
    return Object.entries(where ?? {}).flatMap(([index, condition]) => {
      const postings = this.#postings.get(index);
      if (!postings) throw undeclared('index', this.spec, index);
      const idsOf = (value: string): Ids => postings.byValue.get(value) ?? NONE;
      return 'all' in condition
        ? condition.all.map((value) => ({ sets: [idsOf(value)], disjoint: true }))
        : [{ sets: [...new Set(condition.any)].map(idsOf), disjoint: !postings.overlapping }];
    });
  }

  #countIn(groups: Groups): number {
    const [only] = groups;
    if (!only) return this.#rows.size;
    if (groups.length === 1 && (only.disjoint || only.sets.length === 1)) return sizeOf(only);
    let count = 0;
    for (const ids = this.#idsIn(groups); !ids.next().done;) count += 1;
    return count;
  }

  /** Ids in all groups, each once, driven by the group with the fewest. */
  *#idsIn(groups: Groups): Generator<string> {
    const [smallest, ...others] = [...groups].sort((a, b) => sizeOf(a) - sizeOf(b));
    for (const [at, ids] of (smallest?.sets ?? []).entries()) {
      const earlier = smallest?.disjoint ? [] : (smallest?.sets.slice(0, at) ?? []);
      for (const id of ids) {
        if (!earlier.some((set) => set.has(id)) && isInAll(others, id)) yield id;
      }
    }
  }

  #viewOf(orderBy: string): OrderedView {
    const built = this.#views.get(orderBy);
    if (built) return built;
    const read = orderOf(this.spec, orderBy);
    const keys = Array.from(this.#rows.values(), ({ doc }) => ({ value: read(doc), id: doc.id }));
    const view = new OrderedView(keys);
    this.#views.set(orderBy, view);
    return view;
  }

  #moveInViews(id: string, before: Document | undefined, after: Document | undefined): void {
    for (const [orderBy, view] of this.#views) {
      const read = orderOf(this.spec, orderBy);
      const from = before && { value: read(before), id };
      const to = after && { value: read(after), id };
      if (from && to && from.value === to.value) continue;
      if (from) view.remove(from);
      if (to) view.insert(to);
    }
  }

  #clashOf(doc: Document): Clash | undefined {
    for (const [index, value] of uniqueValuesOf(this.spec, doc)) {
      const holder = this.holderOf(index, value);
      if (holder !== undefined) return { index, ids: [holder, doc.id] };
    }
    return undefined;
  }

  #enter(doc: Document): void {
    for (const [index, value] of uniqueValuesOf(this.spec, doc)) {
      this.#unique.get(index)?.set(value, doc.id);
    }
    for (const postings of this.#postings.values()) {
      const values = valuesOf(postings.read(doc));
      if (values.length > 1) postings.overlapping = true;
      for (const value of values) {
        const ids = postings.byValue.get(value);
        if (ids) ids.add(doc.id);
        else postings.byValue.set(value, new Set([doc.id]));
      }
    }
  }

  #leave(doc: Document): void {
    for (const [index, value] of uniqueValuesOf(this.spec, doc)) {
      // Another document may have taken the value earlier in the same commit.
      const holders = this.#unique.get(index);
      if (holders?.get(value) === doc.id) holders.delete(value);
    }
    for (const { read, byValue } of this.#postings.values()) {
      for (const value of valuesOf(read(doc))) {
        const ids = byValue.get(value);
        ids?.delete(doc.id);
        if (ids?.size === 0) byValue.delete(value);
      }
    }
  }
}

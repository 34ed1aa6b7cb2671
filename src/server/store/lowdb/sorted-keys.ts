import type { Position, Scalar } from '../store.ts';

/** The position of a row in an order. `value` is undefined if the row has no value. */
export interface Key {
  readonly value: Scalar | undefined;
  readonly id: string;
}

export type Direction = 'asc' | 'desc';

/** Maximum items per chunk: small enough to shift cheaply, and large enough that there are few chunks to count. */
const CHUNK = 1024;

const RANK = { boolean: 0, number: 1, string: 2 } as const;

const rankOf = (value: Scalar): number => RANK[typeof value as keyof typeof RANK];

/** Values of different types sort by type (booleans, numbers, strings); strings sort by code unit. */
const compareValues = (a: Scalar, b: Scalar): number => {
  if (typeof a !== typeof b) return rankOf(a) - rankOf(b);
  if (a < b) return -1;
  return a > b ? 1 : 0;
};

const compareIds = (a: string, b: string): number => {
  if (a < b) return -1;
  return a > b ? 1 : 0;
};

/** Ascending by value, then by id; keys without a value come last. */
export const compareAscending = (a: Key, b: Key): number => {
  if (a.value === undefined || b.value === undefined) {
    if (a.value === b.value) return compareIds(a.id, b.id);
    return a.value === undefined ? 1 : -1;
  }
  return compareValues(a.value, b.value) || compareIds(a.id, b.id);
};

/** The order of a page: `desc` reverses everything, except that keys without a value stay last. */
export const compareKeys = (direction: Direction, a: Key, b: Key): number => {
  if (direction === 'asc' || (a.value === undefined) !== (b.value === undefined)) {
    return compareAscending(a, b);
  }
  return -compareAscending(a, b);
};

export const keyOf = (position: Position): Key => ({
  value: position.value ?? undefined,
  id: position.id,
});

export const positionOf = (key: Key): Position => ({ value: key.value ?? null, id: key.id });

/** The number of items of a sorted list before the first for which `isPast` is true. */
export const countUntil = <T>(list: readonly T[], isPast: (item: T) => boolean): number => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // In bounds: low <= middle < high <= length.
    if (isPast(list[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** Chunks are never empty. */
const lastOf = <K>(chunk: readonly K[]): K => chunk[chunk.length - 1] as K;

/** Which items to take from an order. */
interface Wanted<K> {
  /** Default: accept all items. */
  readonly accepts?: ((item: K) => boolean) | undefined;
  /** Accepted items still to skip; counts down. */
  skip: number;
  readonly most: number;
  readonly found: K[];
}

/**
 * A sorted list of items in chunks. Insert, remove and search cost O(log n + chunk), skipping to the n-th item
 * O(n / chunk), so a write costs about the same with hundreds or a million rows.
 */
class SortedItems<K> {
  readonly #chunks: K[][] = [];
  size = 0;

  constructor(private readonly keyOf: (item: K) => Key) {}

  append(sorted: readonly K[]): void {
    for (let at = 0; at < sorted.length; at += CHUNK / 2) {
      this.#chunks.push(sorted.slice(at, at + CHUNK / 2));
    }
    this.size += sorted.length;
  }

  insert(item: K): void {
    const key = this.keyOf(item);
    this.size += 1;
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      const last = this.#chunks.at(-1);
      // Rows mostly arrive in order of creation, so full chunks are left full instead of being split.
      if (last === undefined || last.length >= CHUNK) this.#chunks.push([item]);
      else last.push(item);
      return;
    }
    chunk.splice(this.#placeIn(chunk, key), 0, item);
    if (chunk.length > CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK / 2));
  }

  /** Several items can have the same key while an order is built, so this compares the item, too. */
  remove(key: Key, item: K): void {
    let at = this.#chunkFor(key);
    let chunk = this.#chunks[at];
    let index = chunk ? this.#placeIn(chunk, key) : 0;
    while (chunk?.[index] !== item || !chunk) {
      const found = chunk?.[index];
      if (!chunk || found === undefined || compareAscending(this.keyOf(found), key) !== 0) {
        throw new Error(`the order does not contain the key of ${key.id}`);
      }
      index += 1;
      if (index === chunk.length) {
        at += 1;
        chunk = this.#chunks[at];
        index = 0;
      }
    }
    chunk.splice(index, 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
    this.size -= 1;
  }

  first(): K | undefined {
    return this.#chunks[0]?.[0];
  }

  last(): K | undefined {
    return this.#chunks.at(-1)?.at(-1);
  }

  /** The number of items before `key`; with `inclusive`, also those equal to it. */
  countBefore(key: Key, inclusive: boolean): number {
    const isPast = (other: K): boolean => {
      const compared = compareAscending(this.keyOf(other), key);
      return inclusive ? compared > 0 : compared >= 0;
    };
    const at = countUntil(this.#chunks, (chunk) => isPast(lastOf(chunk)));
    let count = 0;
    for (let index = 0; index < at; index += 1) count += this.#chunks[index]?.length ?? 0;
    return count + countUntil(this.#chunks[at] ?? [], isPast);
  }

  /** Collects items in `direction`, without the first `passed`. */
  take(direction: Direction, passed: number, wanted: Wanted<K>): void {
    const { accepts, most, found } = wanted;
    const step = direction === 'asc' ? 1 : -1;
    let left = passed;
    let at = direction === 'asc' ? 0 : this.#chunks.length - 1;
    for (let chunk = this.#chunks[at]; chunk; at += step, chunk = this.#chunks[at]) {
      if (left >= chunk.length) {
        left -= chunk.length;
        continue;
      }
      // Without a filter, whole chunks can be skipped.
      if (!accepts && left === 0 && wanted.skip >= chunk.length) {
        wanted.skip -= chunk.length;
        continue;
      }
      let index = direction === 'asc' ? left : chunk.length - 1 - left;
      left = 0;
      for (; index >= 0 && index < chunk.length; index += step) {
        const item = chunk[index] as K; // in bounds
        if (accepts && !accepts(item)) continue;
        if (wanted.skip > 0) {
          wanted.skip -= 1;
          continue;
        }
        if (found.length >= most) return;
        found.push(item);
      }
    }
  }

  #placeIn(chunk: readonly K[], key: Key): number {
    return countUntil(chunk, (other) => compareAscending(this.keyOf(other), key) >= 0);
  }

  /** The first chunk that can contain `key`; the number of chunks if `key` is after all of them. */
  #chunkFor(key: Key): number {
    return countUntil(this.#chunks, (chunk) => this.#isFrom(lastOf(chunk), key));
  }

  #isFrom(item: K, key: Key): boolean {
    return compareAscending(this.keyOf(item), key) >= 0;
  }
}

/** Which part of an order to take. */
export interface Part<K> {
  readonly direction: Direction;
  /** Only items after this position. */
  readonly after?: Key | undefined;
  /** Default: accept all items. */
  readonly accepts?: ((item: K) => boolean) | undefined;
  /** Accepted items to skip first. */
  readonly skip?: number;
  readonly most: number;
}

/** Items sorted by key, readable in both directions. */
export class OrderedView<K> {
  readonly #present: SortedItems<K>;
  readonly #absent: SortedItems<K>;

  /** @param keyOf must always return the same key for an item in this view */
  constructor(private readonly keyOf: (item: K) => Key) {
    this.#present = new SortedItems(keyOf);
    this.#absent = new SortedItems(keyOf);
  }

  /** Adds items, which must be in ascending order and after all items in this view. */
  append(sorted: readonly K[]): void {
    const firstAbsent = countUntil(sorted, (item) => this.keyOf(item).value === undefined);
    this.#present.append(sorted.slice(0, firstAbsent));
    this.#absent.append(sorted.slice(firstAbsent));
  }

  insert(item: K): void {
    this.#listOf(this.keyOf(item)).insert(item);
  }

  remove(item: K): void {
    const key = this.keyOf(item);
    this.#listOf(key).remove(key, item);
  }

  first(): K | undefined {
    return this.#present.first() ?? this.#absent.first();
  }

  last(): K | undefined {
    return this.#absent.last() ?? this.#present.last();
  }

  take({ direction, after, accepts, skip = 0, most }: Part<K>): K[] {
    const wanted: Wanted<K> = { accepts, skip, most, found: [] };
    let passed = after ? this.#countUpTo(direction, after) : 0;
    for (const list of [this.#present, this.#absent]) {
      if (passed < list.size && wanted.found.length < most) list.take(direction, passed, wanted);
      passed = Math.max(0, passed - list.size);
    }
    return wanted.found;
  }

  /** The number of items at or before `key` in this direction. */
  #countUpTo(direction: Direction, key: Key): number {
    const list = this.#listOf(key);
    const count =
      direction === 'asc' ? list.countBefore(key, true) : list.size - list.countBefore(key, false);
    return key.value === undefined ? this.#present.size + count : count;
  }

  #listOf(key: Key): SortedItems<K> {
    return key.value === undefined ? this.#absent : this.#present;
  }
}

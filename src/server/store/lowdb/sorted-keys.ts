import type { Position, Scalar } from '../store.ts';

/** Where a row stands in an order. `value` is undefined where the row has none. */
export interface Key {
  readonly value: Scalar | undefined;
  readonly id: string;
}

export type Direction = 'asc' | 'desc';

/** Chunks of at most this many keys: small enough to shift cheaply, few enough to count through. */
const CHUNK = 1024;

const RANK = { boolean: 0, number: 1, string: 2 } as const;

const rankOf = (value: Scalar): number => RANK[typeof value as keyof typeof RANK];

/** Values of different types order by type (booleans, numbers, strings), strings by code unit. */
const compareValues = (a: Scalar, b: Scalar): number => {
  if (typeof a !== typeof b) return rankOf(a) - rankOf(b);
  if (a < b) return -1;
  return a > b ? 1 : 0;
};

const compareIds = (a: string, b: string): number => {
  if (a < b) return -1;
  return a > b ? 1 : 0;
};

/** Ascending by value, then id; keys without a value come after all that have one. */
const compareAscending = (a: Key, b: Key): number => {
  if (a.value === undefined || b.value === undefined) {
    if (a.value === b.value) return compareIds(a.id, b.id);
    return a.value === undefined ? 1 : -1;
  }
  return compareValues(a.value, b.value) || compareIds(a.id, b.id);
};

/** The order of a page: absent values stay last when the direction turns, everything else turns. */
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

/** How many items of a sorted list stand before the first that `isPast`. */
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

/**
 * A sorted list of keys in chunks: insert, remove and search cost O(log n + chunk), skipping to the
 * n-th key O(n / chunk). That keeps writes flat from hundreds to a million rows.
 */
class SortedKeys<K extends Key> {
  readonly #chunks: K[][] = [];
  size = 0;

  /** `sorted` must already be in ascending order. */
  constructor(sorted: readonly K[]) {
    for (let at = 0; at < sorted.length; at += CHUNK / 2) {
      this.#chunks.push(sorted.slice(at, at + CHUNK / 2));
    }
    this.size = sorted.length;
  }

  insert(key: K): void {
    this.size += 1;
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at];
    if (chunk === undefined) {
      const last = this.#chunks.at(-1);
      // Rows mostly arrive in order of creation: full chunks stay full, instead of being halved.
      if (last === undefined || last.length >= CHUNK) this.#chunks.push([key]);
      else last.push(key);
      return;
    }
    chunk.splice(
      countUntil(chunk, (other) => compareAscending(other, key) >= 0),
      0,
      key,
    );
    if (chunk.length > CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(CHUNK / 2));
  }

  remove(key: Key): void {
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at];
    const index = chunk ? countUntil(chunk, (other) => compareAscending(other, key) >= 0) : 0;
    const found = chunk?.[index];
    if (!chunk || !found || compareAscending(found, key) !== 0) {
      throw new Error(`key of ${key.id} is not in the order it was to be removed from`);
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

  /** Keys before `key`; with `inclusive`, those equal to it too. */
  countBefore(key: Key, inclusive: boolean): number {
    const isPast = (other: Key): boolean =>
      inclusive ? compareAscending(other, key) > 0 : compareAscending(other, key) >= 0;
    const at = countUntil(this.#chunks, (chunk) => isPast(lastOf(chunk)));
    let count = 0;
    for (let index = 0; index < at; index += 1) count += this.#chunks[index]?.length ?? 0;
    return count + countUntil(this.#chunks[at] ?? [], isPast);
  }

  /** Keys in `direction`, without the first `skip` of that direction. */
  *walk(direction: Direction, skip: number): Generator<K> {
    const step = direction === 'asc' ? 1 : -1;
    let left = skip;
    let at = direction === 'asc' ? 0 : this.#chunks.length - 1;
    for (let chunk = this.#chunks[at]; chunk; at += step, chunk = this.#chunks[at]) {
      if (left >= chunk.length) {
        left -= chunk.length;
        continue;
      }
      let index = direction === 'asc' ? left : chunk.length - 1 - left;
      left = 0;
      for (let key = chunk[index]; key; index += step, key = chunk[index]) yield key;
    }
  }

  /** The first chunk that may hold `key`; the number of chunks when it lies past them all. */
  #chunkFor(key: Key): number {
    return countUntil(this.#chunks, (chunk) => compareAscending(lastOf(chunk), key) >= 0);
  }
}

/** All rows of a collection in one declared order, both ways. */
export class OrderedView<K extends Key = Key> {
  readonly #present: SortedKeys<K>;
  readonly #absent: SortedKeys<K>;

  constructor(keys: readonly K[]) {
    const sorted = [...keys].sort(compareAscending);
    const firstAbsent = countUntil(sorted, (key) => key.value === undefined);
    this.#present = new SortedKeys(sorted.slice(0, firstAbsent));
    this.#absent = new SortedKeys(sorted.slice(firstAbsent));
  }

  insert(key: K): void {
    this.#listOf(key).insert(key);
  }

  remove(key: Key): void {
    this.#listOf(key).remove(key);
  }

  first(): K | undefined {
    return this.#present.first() ?? this.#absent.first();
  }

  last(): K | undefined {
    return this.#absent.last() ?? this.#present.last();
  }

  /** Keys after `after` (all when undefined), without the first `skip` of them. */
  *walk(direction: Direction, after: Key | undefined, skip: number): Generator<K> {
    let left = skip + (after ? this.#countUpTo(direction, after) : 0);
    for (const list of [this.#present, this.#absent]) {
      if (left < list.size) yield* list.walk(direction, left);
      left = Math.max(0, left - list.size);
    }
  }

  /** How many keys stand at or before `key` in this direction. */
  #countUpTo(direction: Direction, key: Key): number {
    const list = this.#listOf(key);
    const count =
      direction === 'asc' ? list.countBefore(key, true) : list.size - list.countBefore(key, false);
    return key.value === undefined ? this.#present.size + count : count;
  }

  #listOf(key: Key): SortedKeys<K> {
    return key.value === undefined ? this.#absent : this.#present;
  }
}

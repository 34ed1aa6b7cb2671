import { countUntil } from './sorted-keys.ts';

/*
 * Sets of rows. Each row has an ordinal, counted from 0; ordinals of removed rows are reused, so they stay dense. A set
 * with one row is the ordinal itself, a small set a sorted list, and a large one a bitmap, whichever takes the least
 * memory. Counting and intersecting take microseconds at a million rows.
 */

/** Rows per word of a bitmap, and its binary logarithm. */
const WORD = 32;
const WORD_SHIFT = 5;
/** A list of at least this length becomes a bitmap if that takes at most 16 bytes (128 bits) per row in it. */
const LONGEST_THIN = 64;
const BITS_PER_ROW = 128;
/** Lists up to this length are copied on each change, because a growing array reserves room for 16 more items. */
const LONGEST_EXACT = 8;

const ones = (word: number): number => {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

/** A set with one bit for each row up to its last. */
export class Bits {
  constructor(
    public words: Uint32Array = new Uint32Array(1),
    public size = 0,
  ) {}

  /** All ordinals below `rows`, rounded up to a whole word. */
  static below(rows: number): Bits {
    const words = new Uint32Array((rows + WORD - 1) >>> WORD_SHIFT).fill(~0);
    return new Bits(words, words.length * WORD);
  }

  copy(): Bits {
    return new Bits(this.words.slice(), this.size);
  }

  has(ordinal: number): boolean {
    // Past the end the word is undefined, which `&` treats as 0.
    return ((this.words[ordinal >>> WORD_SHIFT] as number) & (1 << ordinal)) !== 0;
  }

  add(ordinal: number): void {
    const at = ordinal >>> WORD_SHIFT;
    if (at >= this.words.length) {
      const longer = new Uint32Array(Math.max(2 * this.words.length, at + 1));
      longer.set(this.words);
      this.words = longer;
    }
    const word = this.words[at] as number; // in bounds since the growth above
    const bit = 1 << ordinal;
    if ((word & bit) !== 0) return;
    this.words[at] = word | bit;
    this.size += 1;
  }

  remove(ordinal: number): void {
    if (!this.has(ordinal)) return;
    const at = ordinal >>> WORD_SHIFT;
    this.words[at] = (this.words[at] as number) & ~(1 << ordinal); // in bounds, as `has` found it
    this.size -= 1;
  }

  /** In ascending order. */
  toList(): number[] {
    const list: number[] = [];
    for (let at = 0; at < this.words.length; at += 1) {
      for (let left = this.words[at] as number; left !== 0; left &= left - 1) {
        list.push(at * WORD + 31 - Math.clz32(left & -left));
      }
    }
    return list;
  }
}

/** Never empty: an empty set is undefined. */
export type Ordinals = number | number[] | Bits;

const countOf = (set: Ordinals | undefined): number => {
  if (set === undefined) return 0;
  if (typeof set === 'number') return 1;
  return set instanceof Bits ? set.size : set.length;
};

const placeIn = (list: readonly number[], ordinal: number): number =>
  countUntil(list, (other) => other >= ordinal);

const hasOrdinal = (set: Ordinals, ordinal: number): boolean => {
  if (typeof set === 'number') return set === ordinal;
  return set instanceof Bits ? set.has(ordinal) : set[placeIn(set, ordinal)] === ordinal;
};

/** In ascending order. */
const listOf = (set: Ordinals): readonly number[] => {
  if (typeof set === 'number') return [set];
  return set instanceof Bits ? set.toList() : set;
};

const bitsOf = (list: readonly number[], highest: number): Bits => {
  const bits = new Bits(new Uint32Array((highest >>> WORD_SHIFT) + 1));
  for (const ordinal of list) bits.add(ordinal);
  return bits;
};

/** @returns the set with the row; may change `set` in place or return a new one */
export const withOrdinal = (set: Ordinals | undefined, ordinal: number): Ordinals => {
  if (set === undefined || set === ordinal) return ordinal;
  if (typeof set === 'number') return set < ordinal ? [set, ordinal] : [ordinal, set];
  if (set instanceof Bits) {
    // A set that was dense among few rows can be sparse among many.
    const bits = 2 * WORD * set.words.length;
    if (ordinal >= bits / 2 && set.size * 2 * BITS_PER_ROW < Math.max(bits, ordinal)) {
      return withOrdinal(set.toList(), ordinal);
    }
    set.add(ordinal);
    return set;
  }
  const last = set.at(-1) as number; // a list has at least two items
  if (set.length >= LONGEST_THIN && set.length * BITS_PER_ROW > Math.max(last, ordinal)) {
    const bits = bitsOf(set, last);
    bits.add(ordinal);
    return bits;
  }
  const at = last < ordinal ? set.length : placeIn(set, ordinal);
  if (set[at] === ordinal) return set;
  if (set.length < LONGEST_EXACT) return set.toSpliced(at, 0, ordinal);
  if (at === set.length) set.push(ordinal);
  else set.splice(at, 0, ordinal);
  return set;
};

/** @returns the set without the row, or undefined if it is then empty; may change `set` in place or return a new one */
export const withoutOrdinal = (set: Ordinals, ordinal: number): Ordinals | undefined => {
  if (typeof set === 'number') return set === ordinal ? undefined : set;
  if (set instanceof Bits) {
    set.remove(ordinal);
    const thin = set.size * 2 * BITS_PER_ROW < set.words.length * WORD;
    return thin || set.size < LONGEST_THIN / 2 ? shortened(set.toList()) : set;
  }
  const at = placeIn(set, ordinal);
  if (set[at] !== ordinal) return set;
  if (set.length <= LONGEST_EXACT) return shortened(set.toSpliced(at, 1));
  set.splice(at, 1);
  return set;
};

const shortened = (list: number[]): Ordinals | undefined => (list.length > 1 ? list : list[0]);

/** The union of the sets. For a single bitmap this is the bitmap itself, so the result must not be changed. */
const unionOf = (sets: readonly Ordinals[], rows: number): Bits => {
  const [only] = sets;
  if (sets.length === 1 && only instanceof Bits) return only;
  const words = new Uint32Array((rows + WORD - 1) >>> WORD_SHIFT);
  for (const set of sets) {
    if (set instanceof Bits) {
      // The bitmap can have spare words for future rows.
      const end = Math.min(words.length, set.words.length);
      for (let at = 0; at < end; at += 1) {
        words[at] = (words[at] as number) | (set.words[at] as number); // both in bounds
      }
      continue;
    }
    for (const ordinal of listOf(set)) {
      const at = ordinal >>> WORD_SHIFT;
      words[at] = (words[at] as number) | (1 << ordinal); // in bounds: all ordinals are below `rows`
    }
  }
  return new Bits(words, countIn(words));
};

const countIn = (words: Uint32Array): number => {
  let count = 0;
  for (let at = 0; at < words.length; at += 1) count += ones(words[at] as number); // in bounds
  return count;
};

/** A row matches if it is in at least one set of each group. There is at least one group. */
export type Groups = readonly (readonly Ordinals[])[];

/** An upper bound of the number of rows in the group. */
const mostOf = (sets: readonly Ordinals[]): number =>
  sets.reduce<number>((sum, set) => sum + countOf(set), 0);

/**
 * The rows in all groups: an unsorted list if there are at most `few`, else a bitmap that must not be changed.
 * @param rows all ordinals are below this
 */
export const inAll = (groups: Groups, rows: number, few: number): readonly number[] | Bits => {
  const [smallest = [], ...others] = groups.toSorted((a, b) => mostOf(a) - mostOf(b));
  if (mostOf(smallest) <= few) {
    const candidates =
      smallest.length === 1 ? smallest.flatMap(listOf) : new Set(smallest.flatMap(listOf));
    return [...candidates].filter((ordinal) =>
      others.every((sets) => sets.some((set) => hasOrdinal(set, ordinal))),
    );
  }
  const first = unionOf(smallest, rows);
  if (others.length === 0) return first.size <= few ? first.toList() : first;
  const words = first.words.slice();
  for (const sets of others) {
    const other = unionOf(sets, rows).words;
    const end = Math.min(words.length, other.length);
    for (let at = 0; at < end; at += 1) {
      words[at] = (words[at] as number) & (other[at] as number); // both in bounds
    }
    words.fill(0, end);
  }
  const both = new Bits(words, countIn(words));
  return both.size <= few ? both.toList() : both;
};

import type { Amount } from '../amount.ts';
import { carried } from '../amount.ts';
import type { Measure } from '../focus/record.ts';

/** In the order of the file. */
export const measures: readonly Measure[] = ['billed', 'effective', 'list', 'quantity'];

const firstCapacity = 256;
/** Additions after which lanes are carried: what is below is exact in a double. */
const carryAfter = 1 << 21;

/** The lanes of an amount, a column each. */
export class Lanes {
  units = new Float64Array(firstCapacity);
  nanos = new Float64Array(firstCapacity);
  attos = new Float64Array(firstCapacity);

  add(at: number, lanes: Float64Array, from: number): void {
    this.units[at] = (this.units[at] ?? 0) + (lanes[from] ?? 0);
    this.nanos[at] = (this.nanos[at] ?? 0) + (lanes[from + 1] ?? 0);
    this.attos[at] = (this.attos[at] ?? 0) + (lanes[from + 2] ?? 0);
  }
  at(at: number): Amount {
    return carried(this.units[at] ?? 0, this.nanos[at] ?? 0, this.attos[at] ?? 0);
  }
  carry(count: number): void {
    for (let at = 0; at < count; at++) {
      const { units, nanos, attos } = this.at(at);
      this.units[at] = units;
      this.nanos[at] = nanos;
      this.attos[at] = attos;
    }
  }
  grow(capacity: number): void {
    this.units = grown(this.units, capacity);
    this.nanos = grown(this.nanos, capacity);
    this.attos = grown(this.attos, capacity);
  }
}

/** The sums of a day: one row for each combination of codes that occurs. */
export class DayRows {
  count = 0;
  /** The codes of each column. */
  readonly codes: Uint32Array<ArrayBuffer>[];
  readonly lanes: Readonly<Record<Measure, Lanes>> = {
    billed: new Lanes(),
    effective: new Lanes(),
    list: new Lanes(),
    quantity: new Lanes(),
  };
  private readonly all: readonly Lanes[] = measures.map((measure) => this.lanes[measure]);
  private capacity = firstCapacity;
  /** Open addressing: rows by the hash of their codes, plus 1; 0 is free. At most half of it is taken. */
  private slots = new Uint32Array(2 * firstCapacity);
  private added = 0;

  /** @param day days since 1970-01-01 @param width columns of codes */
  constructor(
    readonly day: number,
    width: number,
  ) {
    this.codes = Array.from({ length: width }, () => new Uint32Array(firstCapacity));
  }

  /** @param lanes of each measure: units, nanos, attos */
  add(codes: ArrayLike<number>, lanes: Float64Array): void {
    const row = this.rowOf(codes);
    for (let at = 0; at < measures.length; at++) this.all[at]?.add(row, lanes, 3 * at);
    if ((this.added += 1) % carryAfter === 0) this.carry();
  }

  /** Puts the rows in the order of their codes' ranks, the first column first. @param ranks of each code, by column */
  sort(ranks: readonly Uint32Array[]): void {
    const order = sortedOrder(this.count, this.codes, ranks);
    for (const [column, values] of this.codes.entries()) this.codes[column] = picked(values, order);
    for (const one of this.all) {
      one.units = picked(one.units, order);
      one.nanos = picked(one.nanos, order);
      one.attos = picked(one.attos, order);
    }
    // Rows are found where they were: nothing is added any more.
    this.slots = new Uint32Array(0);
  }

  /** Makes all lanes those of amounts. */
  carry(): void {
    for (const measure of measures) this.lanes[measure].carry(this.count);
  }

  private rowOf(codes: ArrayLike<number>): number {
    const mask = this.slots.length - 1;
    for (let slot = hashOf(codes) & mask; ; slot = (slot + 1) & mask) {
      const taken = this.slots[slot] ?? 0;
      if (taken === 0) {
        this.slots[slot] = this.count + 1;
        return this.append(codes);
      }
      if (this.isRow(taken - 1, codes)) return taken - 1;
    }
  }

  private isRow(row: number, codes: ArrayLike<number>): boolean {
    for (let column = 0; column < codes.length; column++) {
      if (this.codes[column]?.[row] !== codes[column]) return false;
    }
    return true;
  }

  private append(codes: ArrayLike<number>): number {
    const row = this.count++;
    for (let column = 0; column < codes.length; column++) {
      const values = this.codes[column];
      if (values) values[row] = codes[column] ?? 0;
    }
    if (this.count === this.capacity) this.grow();
    return row;
  }

  private grow(): void {
    this.capacity *= 2;
    for (const [column, values] of this.codes.entries()) {
      this.codes[column] = grown(values, this.capacity);
    }
    for (const measure of measures) this.lanes[measure].grow(this.capacity);
    this.slots = new Uint32Array(2 * this.capacity);
    const mask = this.slots.length - 1;
    for (let row = 0; row < this.count; row++) {
      let slot = hashOf(this.codes.map((values) => values[row] ?? 0)) & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = row + 1;
    }
  }
}

/** FNV-1a over whole codes, with its upper half mixed in. */
function hashOf(codes: ArrayLike<number>): number {
  let hash = 0x811c9dc5;
  for (let column = 0; column < codes.length; column++) {
    hash = Math.imul(hash ^ (codes[column] ?? 0), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}

type Numbers = Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>;

/** The same numbers with room for more. */
export function grown<T extends Numbers>(values: T, capacity: number): T {
  const Kind = values.constructor as new (length: number) => T;
  const larger = new Kind(capacity);
  larger.set(values);
  return larger;
}

/** The same numbers in another order, and no more than are in it. */
function picked<T extends Numbers>(values: T, order: Uint32Array): T {
  const Kind = values.constructor as new (length: number) => T;
  const chosen = new Kind(order.length);
  for (let at = 0; at < order.length; at++) chosen[at] = values[order[at] ?? 0] ?? 0;
  return chosen;
}

const digitBits = 11;
const digits = 1 << digitBits;
/** Rows from which on counting digits is faster than comparing rows. */
const manyRows = 1_024;

/** The rows in the order of their codes' ranks. */
function sortedOrder(
  count: number,
  codes: readonly Uint32Array[],
  ranks: readonly Uint32Array[],
): Uint32Array {
  let order = Uint32Array.from({ length: count }, (_, row) => row);
  const rankOf = (column: number, row: number): number =>
    ranks[column]?.[codes[column]?.[row] ?? 0] ?? 0;
  if (count < manyRows) {
    return order.sort((a, b) => {
      for (let column = 0; column < codes.length; column++) {
        const by = rankOf(column, a) - rankOf(column, b);
        if (by !== 0) return by;
      }
      return 0;
    });
  }
  // The last column first: each pass keeps the order of those before it among equals.
  const keys = new Uint32Array(count);
  let next = new Uint32Array(count);
  const counts = new Uint32Array(digits);
  for (let column = codes.length - 1; column >= 0; column--) {
    let most = 0;
    const own = codes[column];
    const rank = ranks[column];
    if (!own || !rank) continue;
    for (let row = 0; row < count; row++) {
      const key = rank[own[row] ?? 0] ?? 0;
      keys[row] = key;
      if (key > most) most = key;
    }
    for (let shift = 0; most >>> shift > 0 && shift < 32; shift += digitBits) {
      counts.fill(0);
      for (let row = 0; row < count; row++) {
        const digit = ((keys[row] ?? 0) >>> shift) & (digits - 1);
        counts[digit] = (counts[digit] ?? 0) + 1;
      }
      let sum = 0;
      for (let digit = 0; digit < digits; digit++) {
        const those = counts[digit] ?? 0;
        counts[digit] = sum;
        sum += those;
      }
      for (let at = 0; at < count; at++) {
        const row = order[at] ?? 0;
        const digit = ((keys[row] ?? 0) >>> shift) & (digits - 1);
        const place = counts[digit] ?? 0;
        counts[digit] = place + 1;
        next[place] = row;
      }
      [order, next] = [next, order];
    }
  }
  return order;
}

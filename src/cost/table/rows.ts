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

  add(at: number, { units, nanos, attos }: Amount): void {
    this.units[at] = (this.units[at] ?? 0) + units;
    this.nanos[at] = (this.nanos[at] ?? 0) + nanos;
    this.attos[at] = (this.attos[at] ?? 0) + attos;
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

  add(codes: readonly number[], amounts: Readonly<Record<Measure, Amount>>): void {
    const row = this.rowOf(codes);
    for (const measure of measures) this.lanes[measure].add(row, amounts[measure]);
    if ((this.added += 1) % carryAfter === 0) this.carry();
  }

  /** Makes all lanes those of amounts. */
  carry(): void {
    for (const measure of measures) this.lanes[measure].carry(this.count);
  }

  private rowOf(codes: readonly number[]): number {
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

  private isRow(row: number, codes: readonly number[]): boolean {
    for (let column = 0; column < codes.length; column++) {
      if (this.codes[column]?.[row] !== codes[column]) return false;
    }
    return true;
  }

  private append(codes: readonly number[]): number {
    const row = this.count++;
    for (const [column, code] of codes.entries()) {
      const values = this.codes[column];
      if (values) values[row] = code;
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
function hashOf(codes: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const code of codes) hash = Math.imul(hash ^ code, 0x01000193);
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

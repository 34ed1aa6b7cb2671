import type { Amount } from '../amount.ts';
import { carried } from '../amount.ts';
import type { Numbers } from './format.ts';
import { grown } from './rows.ts';

/** Additions after which lanes are carried: what is below is exact in a double. */
const carryAfter = 1 << 22;

/** Sums by their place, in lanes. */
export class Sums {
  private readonly lanes = {
    units: new Float64Array(256),
    nanos: new Float64Array(256),
    attos: new Float64Array(256),
  };
  private count = 0;
  private sinceCarry = 0;

  /** Makes room for as many sums. */
  grow(count: number): void {
    this.count = count;
    const { length } = this.lanes.units;
    if (count <= length) return;
    for (const lane of ['units', 'nanos', 'attos'] as const) {
      this.lanes[lane] = grown(this.lanes[lane], Math.max(count, 2 * length));
    }
  }

  /** Adds a lane of rows to the sums at their places. */
  add(
    lane: keyof Amount,
    values: Numbers,
    rows: Int32Array,
    places: Int32Array,
    count: number,
  ): void {
    const sums = this.lanes[lane];
    for (let at = 0; at < count; at++) {
      const place = places[at] ?? 0;
      sums[place] = (sums[place] ?? 0) + (values[rows[at] ?? 0] ?? 0);
    }
  }

  /** So many rows were added, in all lanes. */
  added(rows: number): void {
    if ((this.sinceCarry += rows) < carryAfter) return;
    this.sinceCarry = 0;
    const { units, nanos, attos } = this.lanes;
    for (let at = 0; at < this.count; at++) {
      const amount = this.at(at);
      units[at] = amount.units;
      nanos[at] = amount.nanos;
      attos[at] = amount.attos;
    }
  }

  at(place: number): Amount {
    const { units, nanos, attos } = this.lanes;
    return carried(units[place] ?? 0, nanos[place] ?? 0, attos[place] ?? 0);
  }
}

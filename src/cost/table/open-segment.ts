import type { Measure } from '../focus/record.ts';
import type { Kind, Numbers } from './format.ts';
import { kinds, laneName, lanes, mostRows } from './format.ts';
import { grown, measures } from './rows.ts';

/** Rows of a day: codes, and lanes of some measures. */
export interface Rows {
  readonly day: number;
  readonly count: number;
  /** The codes of each column. */
  readonly codes: readonly ArrayView[];
  readonly lanes: Readonly<
    Partial<Record<Measure, Readonly<Record<'units' | 'nanos' | 'attos', Float64Array>>>>
  >;
}
type ArrayView = Uint32Array | Float64Array;

/** A segment that still has room. */
export class OpenSegment {
  count = 0;
  firstDay = Infinity;
  lastDay = -Infinity;
  private readonly values = new Map<string, Float64Array<ArrayBuffer>>();

  constructor(private readonly names: readonly string[]) {}

  /** Takes as many rows of a day as there is room for. @returns how many */
  take(day: Rows, from: number): number {
    const rows = Math.min(day.count - from, mostRows - this.count);
    const end = this.count + rows;
    this.column('day', end).fill(day.day, this.count, end);
    for (const [at, name] of this.names.entries()) {
      const codes = day.codes[at];
      if (codes) this.column(name, end).set(codes.subarray(from, from + rows), this.count);
    }
    for (const measure of measures) {
      const own = day.lanes[measure];
      for (const lane of own ? lanes : []) {
        const values = own?.[lane].subarray(from, from + rows) ?? [];
        this.column(laneName(measure, lane), end).set(values, this.count);
      }
    }
    this.firstDay = Math.min(this.firstDay, day.day);
    this.lastDay = Math.max(this.lastDay, day.day);
    this.count = end;
    return rows;
  }

  /** Begins anew, with the same memory: of many segments, those that are waiting to be collected would take as much again. */
  clear(): void {
    this.count = 0;
    this.firstDay = Infinity;
    this.lastDay = -Infinity;
  }

  *columns(): Generator<readonly [name: string, values: Float64Array<ArrayBuffer>]> {
    for (const [name, values] of this.values) yield [name, values.subarray(0, this.count)];
  }

  /** The values of a column, with room up to a row. */
  private column(name: string, end: number): Float64Array<ArrayBuffer> {
    const values = this.values.get(name) ?? new Float64Array(0);
    if (values.length >= end) return values;
    const larger = grown(values, Math.min(mostRows, Math.max(end, 4 * values.length)));
    this.values.set(name, larger);
    return larger;
  }
}

/** Whole numbers as the smallest kind that has them all; undefined: they are all 0. */
export function compact(
  values: Float64Array<ArrayBuffer>,
):
  { readonly kind: Kind; readonly values: Numbers & { readonly buffer: ArrayBuffer } } | undefined {
  let least = 0;
  let most = 0;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  if (least === 0 && most === 0) return undefined;
  const kind = kindFor(least, most);
  return { kind, values: new kinds[kind](values) };
}

function kindFor(least: number, most: number): Kind {
  if (least < 0) return least >= -0x8000_0000 && most < 0x8000_0000 ? 'i32' : 'f64';
  if (most < 0x100) return 'u8';
  if (most < 0x1_0000) return 'u16';
  return most < 0x1_0000_0000 ? 'u32' : 'f64';
}

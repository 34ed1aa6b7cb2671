import type { Measure } from '../focus/record.ts';
import type { DayRows } from './rows.ts';
import { grown, measures } from './rows.ts';

/** Rows that are written, and read, at once: some megabytes. */
export const mostRows = 65_536;

/** The kinds of numbers that a column is written as, the smallest that has them all. */
const kinds = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f64: Float64Array,
} as const;
type Kind = keyof typeof kinds;
export type Numbers = InstanceType<(typeof kinds)[Kind]>;

interface ColumnPlace {
  readonly kind: Kind;
  readonly offset: number;
}

interface Segment {
  readonly rows: number;
  readonly firstDay: number;
  readonly lastDay: number;
  /** By name: `day`, a text column, or a lane such as `billed.nanos`. Absent: 0 throughout. */
  readonly columns: Readonly<Record<string, ColumnPlace>>;
}

/** Where everything is, at the end of the file. */
export interface TableIndex {
  readonly version: 1;
  /** The texts of each text column, by code. */
  readonly dictionaries: Readonly<Record<string, readonly string[]>>;
  readonly segments: readonly Segment[];
}

const lanes = ['units', 'nanos', 'attos'] as const;
export const laneName = (measure: Measure, lane: (typeof lanes)[number]): string =>
  `${measure}.${lane}`;

/** Bytes after the index: its length, and which format it is. */
const tailBytes = 8;
const magic = 0x31_54_53_43; // `CST1`

/**
 * Writes days, in their order, as a table: columns of numbers, little-endian, in segments of up to 65,536 rows, then the index as
 * JSON, its length in bytes and a mark (4 bytes each).
 * @param texts of each text column, complete once the last day is read
 */
export async function* writeTable(
  days: AsyncIterable<DayRows> | Iterable<DayRows>,
  names: readonly string[],
  texts: () => Readonly<Record<string, readonly string[]>>,
): AsyncGenerator<Uint8Array> {
  const segments: Segment[] = [];
  let offset = 0;
  const flush = function* (open: OpenSegment): Generator<Uint8Array> {
    const columns: Record<string, ColumnPlace> = {};
    for (const [name, values] of open.columns()) {
      const written = compact(values);
      if (!written) continue;
      columns[name] = { kind: written.kind, offset };
      const bytes = new Uint8Array(written.values.buffer);
      offset += bytes.length;
      yield bytes;
    }
    segments.push({ rows: open.count, firstDay: open.firstDay, lastDay: open.lastDay, columns });
  };
  let open = new OpenSegment(names);
  for await (const day of days) {
    day.carry();
    for (let from = 0; from < day.count;) {
      from += open.take(day, from);
      if (open.count < mostRows) continue;
      yield* flush(open);
      open = new OpenSegment(names);
    }
  }
  if (open.count > 0) yield* flush(open);
  const index: TableIndex = { version: 1, dictionaries: texts(), segments };
  const json = new TextEncoder().encode(JSON.stringify(index));
  yield json;
  yield new Uint8Array(Uint32Array.of(json.length, magic).buffer);
}

/** A segment that still has room. */
class OpenSegment {
  count = 0;
  firstDay = Infinity;
  lastDay = -Infinity;
  private readonly values = new Map<string, Float64Array<ArrayBuffer>>();

  constructor(private readonly names: readonly string[]) {}

  /** Takes as many rows of a day as there is room for. @returns how many */
  take(day: DayRows, from: number): number {
    const rows = Math.min(day.count - from, mostRows - this.count);
    const end = this.count + rows;
    this.column('day', end).fill(day.day, this.count, end);
    for (const [at, name] of this.names.entries()) {
      const codes = day.codes[at];
      if (codes) this.column(name, end).set(codes.subarray(from, from + rows), this.count);
    }
    for (const measure of measures) {
      for (const lane of lanes) {
        const values = day.lanes[measure][lane].subarray(from, from + rows);
        this.column(laneName(measure, lane), end).set(values, this.count);
      }
    }
    this.firstDay = Math.min(this.firstDay, day.day);
    this.lastDay = Math.max(this.lastDay, day.day);
    this.count = end;
    return rows;
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
function compact(
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

/** Reads bytes of a file, from one up to, and without, another. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

/** @throws Error the file is none of ours, or cut off */
export async function readIndex(read: ReadRange, size: number): Promise<TableIndex> {
  if (size < tailBytes) throw new Error('the table is cut off');
  const tail = await read(size - tailBytes, size);
  const [length = 0, mark] = new Uint32Array(copied(tail));
  if (mark !== magic || length > size - tailBytes) throw new Error('the table is cut off');
  const json = await read(size - tailBytes - length, size - tailBytes);
  return JSON.parse(new TextDecoder().decode(json)) as TableIndex;
}

/** The numbers of a column of a segment; undefined: they are all 0. */
export async function readColumn(
  read: ReadRange,
  { rows, columns }: Segment,
  name: string,
): Promise<Numbers | undefined> {
  const place = columns[name];
  if (!place) return undefined;
  const Numbers = kinds[place.kind];
  const bytes = await read(place.offset, place.offset + rows * Numbers.BYTES_PER_ELEMENT);
  return new Numbers(copied(bytes));
}

/** Bytes as a buffer of their own, which is aligned. */
const copied = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

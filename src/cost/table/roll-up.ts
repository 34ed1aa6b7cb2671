import { carried } from '../amount.ts';
import type { Measure } from '../focus/record.ts';
import { OpenSegment } from './open-segment.ts';
import type { Rows } from './open-segment.ts';

/** Columns that have few texts in a period: each roll-up has them. */
const always = ['provider', 'billing_account', 'currency'];
/** What most queries group and filter by. */
const common = ['sub_account', 'service', 'service_category', 'category', 'region'];
const pairs = [
  ['sub_account', 'service'],
  ['tag:owner', 'tag:team'],
];
const summed: readonly Measure[] = ['billed', 'effective', 'list'];

/** Rows of a roll-up of a period: 31 days of a thousand texts. Beyond it, there is none. */
const mostRollUpRows = 32_768;
/** Codes that a list numbers; beyond it a map does. */
const mostListed = 1 << 22;
/** Additions after which lanes are carried: what is below is exact in a double. */
const carryAfter = 1 << 22;

/** The columns of each roll-up of a table. */
export const commonRollUps = (names: readonly string[]): readonly (readonly string[])[] =>
  [
    [],
    ...[...common, ...names.filter((name) => name.startsWith('tag:'))].map((one) => [one]),
    ...pairs,
  ]
    .filter((columns) => columns.every((name) => names.includes(name)))
    .map((columns) => [...always.filter((name) => names.includes(name)), ...columns]);

/** The rows of a day, and which of them have the same texts of the columns that each roll-up has. */
export class GroupedDay {
  /** By columns. */
  private readonly numberings = new Map<string, Numbering>();
  /** The lanes that are not 0 throughout. */
  readonly lanes: readonly (readonly [Measure, 'units' | 'nanos' | 'attos', Float64Array])[];

  constructor(readonly rows: Rows) {
    this.lanes = summed.flatMap((measure) =>
      (['units', 'nanos', 'attos'] as const).flatMap((lane) => {
        const values = rows.lanes[measure]?.[lane].subarray(0, rows.count);
        return values?.some((value) => value !== 0) ? [[measure, lane, values] as const] : [];
      }),
    );
  }

  /** @param columns places of codes; those before the last are numbered once for all roll-ups */
  numbered(columns: readonly number[]): Numbering {
    const last = columns.at(-1);
    if (last === undefined) return { ids: new Int32Array(this.rows.count), count: 1 };
    const key = columns.join();
    const known = this.numberings.get(key);
    if (known) return known;
    const made = combined(this.numbered(columns.slice(0, -1)), this.rows.codes[last] ?? new Uint32Array(), this.rows.count); // prettier-ignore
    this.numberings.set(key, made);
    return made;
  }
}

interface Numbering {
  /** Of each row, from 0 on. */
  readonly ids: Int32Array;
  readonly count: number;
}

function combined(before: Numbering, codes: ArrayLike<number>, rows: number): Numbering {
  let size = 1;
  for (let row = 0; row < rows; row++) size = Math.max(size, (codes[row] ?? 0) + 1);
  const ids = new Int32Array(rows);
  let count = 0;
  if (before.count * size <= mostListed) {
    const listed = new Int32Array(before.count * size);
    for (let row = 0; row < rows; row++) {
      const at = (before.ids[row] ?? 0) * size + (codes[row] ?? 0);
      ids[row] = (listed[at] || (listed[at] = ++count)) - 1;
    }
    return { ids, count };
  }
  const mapped = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    const at = (before.ids[row] ?? 0) * size + (codes[row] ?? 0);
    let id = mapped.get(at);
    if (id === undefined) mapped.set(at, (id = count++));
    ids[row] = id;
  }
  return { ids, count };
}

/** Sums the rows of days by some of their columns. */
export class RollUpWriter {
  private open: OpenSegment;
  private isFull = false;
  private readonly places: readonly number[];

  constructor(
    names: readonly string[],
    readonly columns: readonly string[],
  ) {
    this.open = new OpenSegment(columns);
    this.places = columns.map((name) => names.indexOf(name));
  }

  /** Undefined: there are too many rows. */
  get segment(): OpenSegment | undefined {
    return this.isFull || this.open.count === 0 ? undefined : this.open;
  }

  add(day: GroupedDay): void {
    const { rows, lanes } = day;
    if (this.isFull || rows.count === 0) return;
    const { ids, count } = day.numbered(this.places);
    if (this.open.count + count > mostRollUpRows) {
      this.isFull = true;
      this.open = new OpenSegment([]);
      return;
    }
    const sums = Object.fromEntries(
      summed.map((measure) => [
        measure,
        { units: new Float64Array(count), nanos: new Float64Array(count), attos: new Float64Array(count) }, // prettier-ignore
      ]),
    ) as Record<Measure, Record<'units' | 'nanos' | 'attos', Float64Array>>;
    for (let from = 0; from < rows.count; from += carryAfter) {
      const to = Math.min(rows.count, from + carryAfter);
      for (const [measure, lane, values] of lanes) addAll(sums[measure][lane], ids, values, from, to); // prettier-ignore
      for (const measure of summed) carry(sums[measure]);
    }
    const first = new Int32Array(count);
    for (let row = rows.count - 1; row >= 0; row--) first[ids[row] ?? 0] = row;
    const codes = this.places.map((place) => {
      const own = rows.codes[place];
      return Uint32Array.from(first, (row) => own?.[row] ?? 0);
    });
    this.open.take({ day: rows.day, count, codes, lanes: sums }, 0);
  }
}

function addAll(
  sums: Float64Array,
  ids: Int32Array,
  values: Float64Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row++) {
    const id = ids[row] ?? 0;
    sums[id] = (sums[id] ?? 0) + (values[row] ?? 0);
  }
}

function carry({ units, nanos, attos }: Record<'units' | 'nanos' | 'attos', Float64Array>): void {
  for (let at = 0; at < units.length; at++) {
    const amount = carried(units[at] ?? 0, nanos[at] ?? 0, attos[at] ?? 0);
    units[at] = amount.units;
    nanos[at] = amount.nanos;
    attos[at] = amount.attos;
  }
}

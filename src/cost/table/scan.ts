import { AmountSum, carried } from '../amount.ts';
import type { Amount } from '../amount.ts';
import type { Measure } from '../focus/record.ts';
import { dayText } from './days.ts';
import type { Numbers, ReadRange, TableIndex } from './file.ts';
import { laneName, readColumn } from './file.ts';

/** What is summed. */
export interface Query {
  /** Days since 1970-01-01: from, and up to without. */
  readonly from: number;
  readonly to: number;
  /** Only rows that have one of these texts, for each column. */
  readonly where: Readonly<Record<string, readonly string[]>>;
  /** Text columns, or `day`. None: one sum of all. */
  readonly groupBy: readonly string[];
  readonly measure: Measure;
}

interface Group {
  /** The texts of the columns of `groupBy`; a day as `2026-09-30`. */
  readonly key: readonly string[];
  readonly total: Amount;
}

/** Combined codes up to which a list finds a group; beyond it a map does. */
const mostListed = 1 << 22;
/** Amounts that are added between two carries: lanes of less than 2³⁰ stay exact in a double. */
const carryAfter = 1 << 21;

/** Sums over any number of tables, one after the other: only the columns that it needs are read. */
export class Scan {
  /** Rows that were looked at. */
  rows = 0;
  private readonly sums = new Map<string, { key: readonly string[]; sum: AmountSum }>();

  constructor(private readonly query: Query) {}

  /** @param pause is awaited after each segment; it may throw to end the scan */
  async add(
    index: TableIndex,
    read: ReadRange,
    pause: () => Promise<void> = async () => {},
  ): Promise<void> {
    const { from, to, where, groupBy, measure } = this.query;
    const wanted = Object.entries(where).map(
      ([name, texts]) => [name, flagsOf(index.dictionaries[name] ?? [], texts)] as const,
    );
    if (wanted.some(([, flags]) => !flags.includes(1))) return;
    const groups = new Groups(groupBy.map((name) => this.sizeOf(index, name)));
    for (const segment of index.segments) {
      if (segment.lastDay < from || segment.firstDay >= to) continue;
      const column = (name: string): Promise<Numbers | undefined> =>
        readColumn(read, segment, name);
      const days = await column('day');
      const filters: [Uint8Array, Numbers | undefined][] = [];
      for (const [name, flags] of wanted) filters.push([flags, await column(name)]);
      const keys: (Numbers | undefined)[] = [];
      for (const name of groupBy) keys.push(name === 'day' ? days : await column(name));
      const lanes = [
        await column(laneName(measure, 'units')),
        await column(laneName(measure, 'nanos')),
        await column(laneName(measure, 'attos')),
      ] as const;
      const isWhole = segment.firstDay >= from && segment.lastDay < to;
      const shift = groupBy.map((name) => (name === 'day' ? from : 0));
      rows: for (let row = 0; row < segment.rows; row++) {
        if (!isWhole) {
          const day = days?.[row] ?? 0;
          if (day < from || day >= to) continue;
        }
        for (const [flags, codes] of filters) {
          if (flags[codes?.[row] ?? 0] !== 1) continue rows;
        }
        let combined = 0;
        for (let at = 0; at < keys.length; at++) {
          combined = combined * (groups.sizes[at] ?? 1) + (keys[at]?.[row] ?? 0) - (shift[at] ?? 0);
        }
        groups.add(combined, lanes[0]?.[row] ?? 0, lanes[1]?.[row] ?? 0, lanes[2]?.[row] ?? 0);
      }
      this.rows += segment.rows;
      await pause();
    }
    for (const [codes, total] of groups.totals()) {
      const key = groupBy.map((name, at) => {
        const code = codes[at] ?? 0;
        return name === 'day' ? dayText(from + code) : (index.dictionaries[name]?.[code] ?? '');
      });
      const joined = key.join('\0');
      let found = this.sums.get(joined);
      if (!found) this.sums.set(joined, (found = { key, sum: new AmountSum() }));
      found.sum.add(total);
    }
  }

  /** In no particular order. */
  groups(): readonly Group[] {
    return [...this.sums.values()].map(({ key, sum }) => ({ key, total: sum.total }));
  }

  private sizeOf(index: TableIndex, name: string): number {
    if (name === 'day') return this.query.to - this.query.from;
    return Math.max(1, index.dictionaries[name]?.length ?? 0);
  }
}

/** 1 for each code of one of the texts. */
export function flagsOf(dictionary: readonly string[], texts: readonly string[]): Uint8Array {
  const wanted = new Set(texts);
  return Uint8Array.from(dictionary, (text) => (wanted.has(text) ? 1 : 0));
}

/** Sums by combined codes. */
class Groups {
  private readonly listed: Int32Array | undefined;
  private readonly mapped = new Map<number, number>();
  private readonly combined: number[] = [];
  private readonly units: number[] = [];
  private readonly nanos: number[] = [];
  private readonly attos: number[] = [];
  private added = 0;

  /** @param sizes how many codes each column has */
  constructor(readonly sizes: readonly number[]) {
    const all = sizes.reduce((product, size) => product * size, 1);
    if (all <= mostListed) this.listed = new Int32Array(all);
  }

  add(combined: number, units: number, nanos: number, attos: number): void {
    const at = this.find(combined);
    this.units[at] = (this.units[at] ?? 0) + units;
    this.nanos[at] = (this.nanos[at] ?? 0) + nanos;
    this.attos[at] = (this.attos[at] ?? 0) + attos;
    if ((this.added += 1) % carryAfter === 0) this.carry();
  }

  *totals(): Generator<readonly [codes: readonly number[], total: Amount]> {
    for (const [at, combined] of this.combined.entries()) {
      let rest = combined;
      const codes = this.sizes.toReversed().map((size) => {
        const code = rest % size;
        rest = (rest - code) / size;
        return code;
      });
      yield [codes.reverse(), this.amount(at)];
    }
  }

  private find(combined: number): number {
    const { listed } = this;
    const known = listed ? (listed[combined] ?? 0) : (this.mapped.get(combined) ?? 0);
    if (known > 0) return known - 1;
    const length = this.combined.push(combined);
    if (listed) listed[combined] = length;
    else this.mapped.set(combined, length);
    this.units.push(0);
    this.nanos.push(0);
    this.attos.push(0);
    return length - 1;
  }

  private amount(at: number): Amount {
    return carried(this.units[at] ?? 0, this.nanos[at] ?? 0, this.attos[at] ?? 0);
  }

  private carry(): void {
    for (let at = 0; at < this.combined.length; at++) {
      const { units, nanos, attos } = this.amount(at);
      this.units[at] = units;
      this.nanos[at] = nanos;
      this.attos[at] = attos;
    }
  }
}

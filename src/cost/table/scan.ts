import type { Amount } from '../amount.ts';
import type { Measure } from '../focus/record.ts';
import { Sums } from './sums.ts';
import { Combiner } from './combine.ts';
import { dayText } from './days.ts';
import type { Numbers } from './format.ts';
import { laneName, lanes, mostRows } from './format.ts';
import type { Table } from './read.ts';

/** What is summed. */
export interface Query {
  /** Days since 1970-01-01: from, and up to without. */
  readonly from: number;
  readonly to: number;
  /** Only rows that have one of these texts, for each column; of `has:COLUMN`, `1` is any text. */
  readonly where: Readonly<Record<string, readonly string[]>>;
  /** Text columns, `day`, or `has:COLUMN`, whether there is a text. None: one sum of all. */
  readonly groupBy: readonly string[];
  readonly measure: Measure;
  /** Sums of a group that are made apart from each other, by day. Default: one. */
  readonly slots?: Slots;
  /** Replaces the texts of a group, once for each combination of a table; undefined: its rows are left out. */
  readonly regroup?: (key: readonly string[]) => readonly string[] | undefined;
  /** Sums after which the scan is full, and takes nothing more. */
  readonly mostSums?: number;
}

export interface Slots {
  readonly count: number;
  /** The slot of each day, counted from `from`; -1: it is left out. */
  readonly of: Int32Array;
}

interface Group {
  readonly key: readonly string[];
  readonly total: Amount;
}

const has = 'has:';
const columnOf = (name: string): string => (name.startsWith(has) ? name.slice(has.length) : name);

/** Sums over any number of tables, one after the other: only the columns that it needs are read. */
export class Scan {
  /** Rows that were looked at. */
  rows = 0;
  /** There are more sums than it may have: what it has so far is of no use. */
  isFull = false;
  private readonly keys: (readonly string[])[] = [];
  private readonly ids = new Map<string, number>();
  private readonly sums = new Sums();
  private readonly slots: number;
  private readonly mostGroups: number;
  /** Of the segment at hand: its rows that count, and the sum that each of them goes to. */
  private readonly picked = new Int32Array(mostRows);
  private readonly places = new Int32Array(mostRows);
  private readonly combined = new Float64Array(mostRows);

  constructor(private readonly query: Query) {
    this.slots = query.slots?.count ?? 1;
    this.mostGroups = Math.floor((query.mostSums ?? Infinity) / this.slots);
  }

  /** @param pause is awaited after each segment; it may throw to end the scan */
  async add(table: Table, pause: () => Promise<void> = async () => {}): Promise<void> {
    const { from, to, where, groupBy, measure, slots } = this.query;
    const wanted = await wantedOf(table, where, pause);
    if (wanted.some(([, flags]) => !flags.includes(1))) return;
    const combiner = new Combiner(
      groupBy.map((name) => this.sizeOf(table, name)),
      this.combined,
    );
    const groupOf = combiner.memoized(await this.namingOf(table, combiner, pause));
    const columns = [...Object.keys(where), ...groupBy].map(columnOf);
    for (const segment of table.segmentsWith(columns, measure)) {
      if (this.isFull) return;
      if (segment.lastDay < from || segment.firstDay >= to) continue;
      const column = (name: string): Promise<Numbers | undefined> => table.column(segment, name);
      const days = await column('day');
      const isWhole = segment.firstDay >= from && segment.lastDay < to && !slots;
      let count = this.pick(segment.rows, isWhole ? undefined : days);
      for (const [name, flags] of wanted) count = this.keep(count, flags, await column(name));
      if (count > 0) {
        combiner.begin(count);
        for (const name of groupBy) {
          if (name === 'day') combiner.add(days, this.picked, from);
          else if (name.startsWith(has)) combiner.addHas(await column(columnOf(name)), this.picked);
          else combiner.add(await column(name), this.picked, 0);
        }
        const kept = this.place(count, combiner, groupOf, days);
        for (const lane of lanes) {
          const values = await column(laneName(measure, lane));
          if (values) this.sums.add(lane, values, this.picked, this.places, kept);
        }
        this.sums.added(kept);
      }
      this.rows += segment.rows;
      await pause();
    }
  }

  /** How many groups there are. */
  get size(): number {
    return this.keys.length;
  }

  /** The texts of the columns of `groupBy`; a day as `2026-09-30`, `has:` as `1` or nothing. */
  key(group: number): readonly string[] {
    return this.keys[group] ?? [];
  }

  sum(group: number, slot = 0): Amount {
    return this.sums.at(group * this.slots + slot);
  }

  /** In no particular order, with the sums of the first slot. */
  groups(): readonly Group[] {
    return this.keys.map((key, at) => ({ key, total: this.sum(at) }));
  }

  /** Picks all rows, or those of days that count. @returns how many */
  private pick(rows: number, days: Numbers | undefined): number {
    const { picked } = this;
    const { from, to, slots } = this.query;
    let count = 0;
    if (!days) {
      for (; count < rows; count++) picked[count] = count;
      return count;
    }
    for (let row = 0; row < rows; row++) {
      const day = days[row] ?? 0;
      if (day < from || day >= to || (slots && (slots.of[day - from] ?? -1) < 0)) continue;
      picked[count++] = row;
    }
    return count;
  }

  /** Keeps the picked rows whose code has a flag. @returns how many */
  private keep(count: number, flags: Uint8Array, codes: Numbers | undefined): number {
    const { picked } = this;
    if (!codes) return flags[0] === 1 ? count : 0;
    let kept = 0;
    for (let at = 0; at < count; at++) {
      const row = picked[at] ?? 0;
      if (flags[codes[row] ?? 0] === 1) picked[kept++] = row;
    }
    return kept;
  }

  /** Finds the sum that each picked row goes to, and drops rows that are left out. @returns how many are left */
  private place(
    count: number,
    combiner: Combiner,
    groupOf: (combined: number) => number,
    days: Numbers | undefined,
  ): number {
    const { picked, places, slots: width } = this;
    const { from, slots } = this.query;
    const { combined } = combiner;
    let kept = 0;
    let before = -1;
    let group = -1;
    for (let at = 0; at < count; at++) {
      const one = combined[at] ?? 0;
      if (one !== before) group = groupOf((before = one));
      if (group < 0) continue;
      const row = picked[at] ?? 0;
      picked[kept] = row;
      places[kept++] = slots ? group * width + (slots.of[(days?.[row] ?? 0) - from] ?? 0) : group;
    }
    return kept;
  }

  /** Finds the group of a combination of codes of a table; -1: it is left out. */
  private async namingOf(
    table: Table,
    combiner: Combiner,
    pause: () => Promise<void>,
  ): Promise<(combined: number) => number> {
    const { from, groupBy, regroup } = this.query;
    const naming: ((code: number) => string)[] = [];
    for (const name of groupBy) {
      if (name === 'day') naming.push((code) => dayText(from + code));
      else if (name.startsWith(has)) naming.push((code) => (code === 0 ? '' : '1'));
      else {
        const texts = await table.texts(name, pause);
        naming.push((code) => texts[code] ?? '');
      }
    }
    return (combined) => {
      const texts = combiner.codes(combined).map((code, at) => naming[at]?.(code) ?? '');
      const key = regroup ? regroup(texts) : texts;
      return key ? this.groupId(key) : -1;
    };
  }

  private groupId(key: readonly string[]): number {
    const joined = key.join('\0');
    const known = this.ids.get(joined);
    if (known !== undefined) return known;
    if (this.keys.length >= this.mostGroups) {
      this.isFull = true;
      return -1;
    }
    const id = this.keys.push(key) - 1;
    this.ids.set(joined, id);
    this.sums.grow((id + 1) * this.slots);
    return id;
  }

  private sizeOf(table: Table, name: string): number {
    if (name === 'day') return this.query.to - this.query.from;
    if (name.startsWith(has)) return 2;
    return table.textsIn(name);
  }
}

/** The columns that rows are chosen by, with 1 for each code that is wanted. */
export async function wantedOf(
  table: Table,
  where: Query['where'],
  pause?: () => Promise<void>,
): Promise<readonly (readonly [column: string, flags: Uint8Array])[]> {
  const wanted: (readonly [string, Uint8Array])[] = [];
  for (const [name, texts] of Object.entries(where)) {
    const known = await table.texts(columnOf(name), pause);
    const marks = name.startsWith(has) ? known.map((text) => (text === '' ? '' : '1')) : known;
    wanted.push([columnOf(name), flagsOf(marks, texts)]);
  }
  return wanted;
}

/** 1 for each code of one of the texts. */
function flagsOf(dictionary: readonly string[], texts: readonly string[]): Uint8Array {
  const wanted = new Set(texts);
  return Uint8Array.from(dictionary, (text) => (wanted.has(text) ? 1 : 0));
}

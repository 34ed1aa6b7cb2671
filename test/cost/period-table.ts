import { putLanes } from '../../src/cost/amount.ts';
import type { Amount } from '../../src/cost/amount.ts';
import type { Dimension, Measure } from '../../src/cost/focus/record.ts';
import { dimensions } from '../../src/cost/focus/record.ts';
import { dayNumber } from '../../src/cost/table/days.ts';
import { Dictionary } from '../../src/cost/table/dictionary.ts';
import { PeriodWriter, columnsOf } from '../../src/cost/table/period.ts';
import { DayRows, measures } from '../../src/cost/table/rows.ts';

/** A charge in plain form. */
export interface Charge extends Readonly<Record<Dimension, string>> {
  readonly day: string;
  readonly period: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly amounts: Readonly<Record<Measure, Amount>>;
}

/** The charges of a period, summed by day and all that they are grouped by. */
export class PeriodTable {
  readonly names: readonly string[];
  private readonly dictionaries: readonly Dictionary[];
  private readonly days = new Map<number, DayRows>();
  private last: { readonly day: string; readonly rows: DayRows } | undefined;
  /** Of the row that is added. */
  private readonly codes: number[];
  private readonly lanes = new Float64Array(3 * measures.length);

  /** @param tags lower-case keys */
  constructor(private readonly tags: readonly string[]) {
    this.names = columnsOf(tags);
    this.dictionaries = this.names.map(() => new Dictionary());
    this.codes = this.names.map(() => 0);
  }

  add(record: Charge): void {
    const { codes, tags, dictionaries } = this;
    let at = 0;
    for (const name of dimensions) {
      codes[at] = dictionaries[at]?.code(record[name]) ?? 0;
      at += 1;
    }
    for (const tag of tags) {
      codes[at] = dictionaries[at]?.code(record.tags.get(tag) ?? '') ?? 0;
      at += 1;
    }
    for (const [n, measure] of measures.entries()) {
      putLanes(this.lanes, 3 * n, record.amounts[measure]);
    }
    this.rowsOf(record.day).add(codes, this.lanes);
  }

  private rowsOf(day: string): DayRows {
    // Most rows are of the same day as the one before.
    if (this.last?.day === day) return this.last.rows;
    const number = dayNumber(day);
    let rows = this.days.get(number);
    if (!rows) this.days.set(number, (rows = new DayRows(number, this.names.length)));
    this.last = { day, rows };
    return rows;
  }

  /** The bytes of its file. */
  write(): AsyncGenerator<Uint8Array> {
    const days = [...this.days.values()].sort((a, b) => a.day - b.day);
    return new PeriodWriter(this.names, this.dictionaries).write(days);
  }
}

import type { CostRecord } from '../focus/record.ts';
import { dimensions } from '../focus/record.ts';
import { dayNumber } from './days.ts';
import { Dictionary } from './dictionary.ts';
import { writeTable } from './file.ts';
import { DayRows } from './rows.ts';

/** The name of the column of a chosen tag. */
const tagColumn = (tag: string): string => `tag:${tag}`;

/** The charges of a period, summed by day and all that they are grouped by. */
export class PeriodTable {
  readonly names: readonly string[];
  private readonly dictionaries: readonly Dictionary[];
  private readonly days = new Map<number, DayRows>();

  /** @param tags lower-case keys */
  constructor(private readonly tags: readonly string[]) {
    this.names = [...dimensions, ...tags.map(tagColumn)];
    this.dictionaries = this.names.map(() => new Dictionary());
    // An absent text, which most tags are, is a column of zeros.
    for (const dictionary of this.dictionaries) dictionary.code('');
  }

  add(record: CostRecord): void {
    const day = dayNumber(record.day);
    let rows = this.days.get(day);
    if (!rows) this.days.set(day, (rows = new DayRows(day, this.names.length)));
    const texts = [
      ...dimensions.map((name) => record[name]),
      ...this.tags.map((tag) => record.tags.get(tag) ?? ''),
    ];
    rows.add(
      texts.map((text, column) => this.dictionaries[column]?.code(text) ?? 0),
      record.amounts,
    );
  }

  /** The bytes of its file. */
  write(): AsyncGenerator<Uint8Array> {
    const days = [...this.days.values()].sort((a, b) => a.day - b.day);
    return writeTable(days, this.names, () =>
      Object.fromEntries(this.names.map((name, at) => [name, this.dictionaries[at]?.texts ?? []])),
    );
  }
}

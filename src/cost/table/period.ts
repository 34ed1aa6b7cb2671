import { AmountSum, showAmount } from '../amount.ts';
import { dimensions } from '../focus/record.ts';
import type { Dictionary } from './dictionary.ts';
import { writeTable } from './write.ts';
import type { DayRows } from './rows.ts';

const currencyColumn = dimensions.indexOf('currency');

/** The text columns of a table. @param tags lower-case keys */
export const columnsOf = (tags: readonly string[]): readonly string[] => [
  ...dimensions,
  ...tags.map((tag) => `tag:${tag}`),
];

/** The sums of a period in one currency, as decimals with all digits. */
export interface CurrencyTotals {
  readonly currency: string;
  readonly billed: string;
  readonly effective: string;
  readonly list: string;
}

interface Totals {
  readonly billed: AmountSum;
  readonly effective: AmountSum;
  readonly list: AmountSum;
}

/**
 * Writes the tables of periods whose charges have codes of the same dictionaries. The bytes of a table depend on its charges
 * only, not on the order in which they came, nor on what else the dictionaries have.
 */
export class PeriodWriter {
  private readonly ranks: readonly Uint32Array[];
  /** The code in the table of each code of the dictionaries, plus 1; 0: it has none yet. */
  private readonly own: readonly Uint32Array[];
  private sums = new Map<string, Totals>();

  /** @param dictionaries of each column, complete */
  constructor(
    private readonly names: readonly string[],
    private readonly dictionaries: readonly Dictionary[],
  ) {
    this.ranks = dictionaries.map((one) => one.ranks());
    this.own = dictionaries.map(({ texts }) => new Uint32Array(texts.length));
  }

  /** @param days in their order; those of a day may come in parts that always are the same */
  async *write(days: AsyncIterable<DayRows> | Iterable<DayRows>): AsyncGenerator<Uint8Array> {
    this.sums = new Map();
    const texts = this.names.map(() => ['']);
    for (const own of this.own) own[0] = 1;
    const taken = this.names.map(() => [0]);
    const coded = this.coded(days, texts, taken);
    yield* writeTable(coded, this.names, () =>
      Object.fromEntries(this.names.map((name, column) => [name, texts[column] ?? []])),
    );
    for (const [column, codes] of taken.entries()) {
      const own = this.own[column];
      if (own) for (const code of codes) own[code] = 0;
    }
  }

  /** Of the table that was written last, by currency. */
  totals(): readonly CurrencyTotals[] {
    return [...this.sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, { billed, effective, list }]) => ({
        currency,
        billed: showAmount(billed.total),
        effective: showAmount(effective.total),
        list: showAmount(list.total),
      }));
  }

  private async *coded(
    days: AsyncIterable<DayRows> | Iterable<DayRows>,
    texts: readonly string[][],
    taken: readonly number[][],
  ): AsyncGenerator<DayRows> {
    for await (const day of days) {
      day.carry();
      day.sort(this.ranks);
      this.addTotals(day);
      for (const [column, codes] of day.codes.entries()) {
        const own = this.own[column];
        const all = this.dictionaries[column]?.texts;
        if (!own || !all) continue;
        for (let row = 0; row < codes.length; row++) {
          const code = codes[row] ?? 0;
          if (own[code] === 0) {
            taken[column]?.push(code);
            own[code] = texts[column]?.push(all[code] ?? '') ?? 0;
          }
          codes[row] = (own[code] ?? 1) - 1;
        }
      }
      yield day;
    }
  }

  private addTotals({ codes, lanes, count }: DayRows): void {
    const texts = this.dictionaries[currencyColumn]?.texts ?? [];
    let last = -1;
    let totals: Totals | undefined;
    for (let row = 0; row < count; row++) {
      const code = codes[currencyColumn]?.[row] ?? 0;
      if (code !== last || !totals) {
        const currency = texts[code] ?? '';
        totals = this.sums.get(currency) ?? {
          billed: new AmountSum(),
          effective: new AmountSum(),
          list: new AmountSum(),
        };
        this.sums.set(currency, totals);
        last = code;
      }
      totals.billed.add(lanes.billed.at(row));
      totals.effective.add(lanes.effective.at(row));
      totals.list.add(lanes.list.at(row));
    }
  }
}

import type { RejectedRow } from '../../../contract/cost-imports.ts';
import { dimensions } from '../../../cost/focus/record.ts';
import type { CostRecord } from '../../../cost/focus/record.ts';
import type { PeriodOf, RecordReader } from '../../../cost/focus/reader.ts';
import type { Cells, Rejected } from '../../../cost/read/cells.ts';
import { ReadError } from '../../../cost/read/place.ts';
import { Dictionary } from '../../../cost/table/dictionary.ts';
import { columnsOf } from '../../../cost/table/period.ts';
import { measures } from '../../../cost/table/rows.ts';
import { Spool } from '../../../cost/table/spool.ts';

/** Rejected rows that are shown; the others are counted. */
const mostShown = 100;
const mostPeriods = 2_000;
const mostTexts = 2_000_000;
const mostCharacters = 200_000_000;
/** Of an import, each measure without its signs: doubles are exact up to nine times as much. No bill comes near it in any currency. */
const mostCost = 1e15;
const costs = ['billed', 'effective', 'list'] as const;
/** Where the units of each cost are in the lanes of a charge. */
const unitsAt = costs.map((cost) => 3 * measures.indexOf(cost));
const providerColumn = dimensions.indexOf('provider');
const accountColumn = dimensions.indexOf('billing_account');

export interface FoundPeriod extends PeriodOf {
  rows: number;
  skipped: number;
}

/** The charges of all files, put aside for their periods; and the rows that can't be read. */
export class Charges {
  readonly names: readonly string[];
  readonly dictionaries: readonly Dictionary[];
  readonly spool: Spool;
  readonly periods: FoundPeriod[] = [];
  readonly rejectedRows: RejectedRow[] = [];
  rows = 0;
  rejected = 0;
  /** Rejected rows by their period, and those whose period is not known. */
  private readonly skipped = new Map<string, number>();
  private skippedAnywhere = 0;
  /** Sums without their signs: so much no sum of some of the charges can exceed. */
  private readonly sizes = new Float64Array(costs.length);
  private readonly byKey = new Map<string, number>();
  private last: LastPeriod | undefined;

  constructor(
    tags: readonly string[],
    private readonly skipRejected: boolean,
  ) {
    this.names = columnsOf(tags);
    this.dictionaries = this.names.map(() => new Dictionary());
    this.spool = new Spool(this.names.length);
  }

  /** Whether rows were rejected that are not to be skipped: then nothing is imported, and rows are only looked at. */
  get isRefused(): boolean {
    return this.rejected > 0 && !this.skipRejected;
  }

  /** @throws ReadError more than an import may have */
  add(record: CostRecord, row: Cells): void {
    this.rows += 1;
    if (this.isRefused) return;
    const { lanes, codes, day } = record;
    for (let at = 0; at < costs.length; at++) {
      const size = (this.sizes[at] ?? 0) + Math.abs(lanes[unitsAt[at] ?? 0] ?? 0);
      if (size > mostCost) throw new ReadError(tooMuch(costs[at] ?? ''), row.place(0));
      this.sizes[at] = size;
    }
    const { at, found } = this.periodOf(record);
    found.rows += 1;
    this.spool.add(at, day, codes, lanes);
  }

  reject(
    file: string,
    { column, message, place }: Rejected,
    row: Cells,
    reader: RecordReader,
  ): void {
    this.rejected += 1;
    if (this.rejectedRows.length < mostShown) {
      this.rejectedRows.push({ file, ...place, field: column, reason: message });
    }
    if (!this.skipRejected) return;
    const of = reader.periodOf(row);
    const key = of && keyOf(of);
    const isCounted =
      key !== undefined && (this.skipped.size < mostPeriods || this.skipped.has(key));
    if (isCounted) this.skipped.set(key, (this.skipped.get(key) ?? 0) + 1);
    else this.skippedAnywhere += 1;
  }

  /** After the last row: counts the rows whose period is not known for every period, as any of them may lack them. */
  finish(): readonly FoundPeriod[] {
    for (const period of this.periods) {
      period.skipped = this.skippedAnywhere + (this.skipped.get(keyOf(period)) ?? 0);
    }
    return this.periods;
  }

  /** @throws ReadError more texts than an import may have: they are kept in memory */
  checkSize(): void {
    let texts = 0;
    let characters = 0;
    for (const one of this.dictionaries) {
      texts += one.texts.length;
      characters += one.characters;
    }
    if (texts <= mostTexts && characters <= mostCharacters) return;
    throw new ReadError(
      'the files have more than 2,000,000 distinct accounts, services, resources and tags; import them a month at a time',
    );
  }

  private periodOf({ period, codes }: CostRecord): LastPeriod {
    const { last } = this;
    const provider = codes[providerColumn] ?? 0;
    const account = codes[accountColumn] ?? 0;
    if (last?.found.period === period && last.account === account && last.provider === provider) {
      return last;
    }
    const of = {
      provider: this.dictionaries[providerColumn]?.texts[provider] ?? '',
      billing_account: this.dictionaries[accountColumn]?.texts[account] ?? '',
      period,
    };
    const key = keyOf(of);
    let at = this.byKey.get(key);
    if (at === undefined) {
      if (this.periods.length >= mostPeriods) {
        throw new ReadError(
          'the files have more than 2,000 billing periods (provider, billing account and month); import fewer files at a time',
        );
      }
      at = this.periods.push({ ...of, rows: 0, skipped: 0 }) - 1;
      this.byKey.set(key, at);
    }
    const found = this.periods[at] ?? { ...of, rows: 0, skipped: 0 };
    return (this.last = { provider, account, at, found });
  }
}

/** Rows that follow each other mostly are of one period. */
interface LastPeriod {
  readonly provider: number;
  readonly account: number;
  readonly at: number;
  readonly found: FoundPeriod;
}

const tooMuch = (measure: string): string =>
  `with this row, the ${measure} costs of the import add up to more than 1,000,000,000,000,000; correct them, or import fewer files at a time`;

const keyOf = ({ provider, billing_account: account, period }: PeriodOf): string =>
  `${period}\0${provider}\0${account}`;

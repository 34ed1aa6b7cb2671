import type { Amount } from '../../cost/amount.ts';
import type { Dimension, Measure } from '../../cost/focus/record.ts';
import { dayNumber } from '../../cost/table/days.ts';
import { Scan } from '../../cost/table/scan.ts';
import type { Query } from '../../cost/table/scan.ts';
import { nextTurn } from '../next-turn.ts';
import type { Blobs, Store } from '../store/store.ts';
import type { StoredPeriod } from './collection.ts';
import { withPeriods } from './periods.ts';
import { openTable } from './tables.ts';

/** What charges can be grouped by, and filtered by. */
export type CostField = Dimension | `tag:${string}`;

export interface CostQuery {
  /** ISO days: the first, and the one after the last. */
  readonly start: string;
  readonly end: string;
  /** With `currency`, unless `where` has one: currencies are never added together. */
  readonly groupBy: readonly (CostField | 'day')[];
  /** Only charges that have one of these texts, for each field. */
  readonly where?: Readonly<Partial<Record<CostField, readonly string[]>>>;
  readonly measure: Measure;
  readonly signal?: AbortSignal;
}

export interface CostGroup {
  /** In the order of `groupBy`; '' where a charge has none. */
  readonly key: readonly string[];
  readonly total: Amount;
}

/** Exact sums of the charges of all periods, in no particular order. Works in turns. */
export const costSums = (
  store: Store,
  { start, end, groupBy, where = {}, measure, signal }: CostQuery,
): Promise<readonly CostGroup[]> =>
  withPeriods(store, async (periods) => {
    const query = {
      from: dayNumber(start),
      to: dayNumber(end),
      where: Object.fromEntries(
        Object.entries(where).flatMap(([name, texts]) => (texts ? [[name, texts]] : [])),
      ),
      groupBy,
      measure,
    };
    const scan = await scanPeriods(store.blobs, periods, query, { signal });
    return scan.groups().map(({ key, total }) => ({ key, total }));
  });

interface ScanOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Scans the charges of periods, in turns. */
export async function scanPeriods(
  blobs: Blobs,
  periods: readonly StoredPeriod[],
  query: Query,
  { signal }: ScanOptions,
): Promise<Scan> {
  const scan = new Scan(query);
  const pause = async (): Promise<void> => {
    signal?.throwIfAborted();
    await nextTurn();
  };
  for (const { first_day: first, last_day: last, charges } of periods) {
    if (scan.isFull) break;
    if (dayNumber(last) < query.from || dayNumber(first) >= query.to) continue;
    const table = await openTable(blobs, charges);
    await scan.add(table, pause);
  }
  return scan;
}

import type { Amount } from '../../cost/amount.ts';
import type { Dimension, Measure } from '../../cost/focus/record.ts';
import { dayNumber } from '../../cost/table/days.ts';
import { readIndex } from '../../cost/table/file.ts';
import type { ReadRange } from '../../cost/table/file.ts';
import { Scan } from '../../cost/table/scan.ts';
import { nextTurn } from '../next-turn.ts';
import { allRows } from '../store/all-rows.ts';
import type { Blobs, Store } from '../store/store.ts';
import { costPeriods } from './collection.ts';

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
export async function costSums(
  store: Store,
  { start, end, groupBy, where = {}, measure, signal }: CostQuery,
): Promise<readonly CostGroup[]> {
  const scan = new Scan({
    from: dayNumber(start),
    to: dayNumber(end),
    where: Object.fromEntries(
      Object.entries(where).flatMap(([name, texts]) => (texts ? [[name, texts]] : [])),
    ),
    groupBy,
    measure,
  });
  const pause = async (): Promise<void> => {
    signal?.throwIfAborted();
    await nextTurn();
  };
  for await (const { doc: period } of allRows(store, costPeriods, {})) {
    if (period.last_day < start || period.first_day >= end) continue;
    const { blob, size = 0 } = period.charges;
    const read = rangesOf(store.blobs, blob);
    await scan.add(await readIndex(read, size), read, pause);
  }
  return scan.groups();
}

export const rangesOf =
  (blobs: Blobs, id: string): ReadRange =>
  async (start, end) => {
    const bytes = new Uint8Array(end - start);
    let at = 0;
    for await (const chunk of blobs.read(id, { start, end })) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    return bytes;
  };

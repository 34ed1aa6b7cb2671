import type { Measured } from '../../cost/rightsizing/series.ts';
import { Utilization, slotsPerDay } from '../../cost/rightsizing/series.ts';
import { nextTurn } from '../next-turn.ts';
import { allRows } from '../store/all-rows.ts';
import type { Store } from '../store/store.ts';
import { partSlots, utilization } from './collection.ts';
import type { StoredPart } from './collection.ts';
import type { StoredMetric } from './part-file.ts';
import { readBlob, readPart } from './part-file.ts';

/** Days that are looked back on. */
export const lookBackDays = 30;

/** What was measured of each machine while it had a size. */
export class Measurements {
  private readonly found = new Map<string, Measured>();

  set(key: string, measured: Measured): void {
    this.found.set(key, measured);
  }

  find(resource: string, metric: StoredMetric, size: string): Measured | undefined {
    return this.found.get(keyOf({ resource, metric, size }));
  }
}

const keyOf = (of: { resource: string; metric: StoredMetric; size: string }): string =>
  JSON.stringify([of.resource, of.metric, of.size]);

/** The parts with some of the last days, and a text that is another one where any of them is. */
export async function partsSince(
  store: Store,
  today: number,
): Promise<{ readonly parts: readonly StoredPart[]; readonly stamp: string }> {
  const since = (today - lookBackDays) * slotsPerDay;
  const parts: StoredPart[] = [];
  for await (const { doc } of allRows(store, utilization, {})) {
    if ((doc.week + 1) * partSlots > since) parts.push(doc);
  }
  return { parts, stamp: JSON.stringify([today, parts.map(({ file }) => file.blob)]) };
}

/** Adds up the series of parts, shard by shard, in turns. */
export async function measure(
  store: Store,
  parts: readonly StoredPart[],
  today: number,
): Promise<Measurements> {
  const since = (today - lookBackDays) * slotsPerDay;
  const measurements = new Measurements();
  const byShard = new Map<number, StoredPart[]>();
  for (const part of parts) byShard.set(part.shard, [...(byShard.get(part.shard) ?? []), part]);
  for (const own of byShard.values()) {
    const sums = new Map<string, Utilization>();
    for (const { week, file } of own) {
      for (const { codes, ...of } of readPart(await readBlob(store.blobs, file))) {
        const key = keyOf(of);
        let sum = sums.get(key);
        if (!sum) sums.set(key, (sum = new Utilization()));
        sum.add(codes, week * partSlots, since, Infinity);
      }
      await nextTurn();
    }
    for (const [key, sum] of sums) {
      const measured = sum.measured();
      if (measured) measurements.set(key, measured);
    }
  }
  return measurements;
}

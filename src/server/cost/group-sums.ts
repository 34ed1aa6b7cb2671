import { AmountSum } from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';
import type { DaySpan } from '../../cost/analysis/buckets.ts';
import type { Compared } from '../../cost/analysis/change.ts';
import type { Scan, Slots } from '../../cost/table/scan.ts';
import { createPace } from '../pace.ts';

/** The cost of reading a sum, beside that of an evaluation. */
const costOfSum = 0.1;

/** A group of a currency, in the period and in the one before. */
export interface GroupSum extends Compared {
  readonly currency: string;
  /** One text for each field. */
  readonly key: readonly string[];
  /** Its part of shared cost. */
  readonly shared?: Amount;
  /** By policy: the resources that fail it, and those of them whose cost is not known. */
  readonly resources?: number;
  readonly withoutCost?: number;
  /** Its place in the scan. */
  readonly at: number;
}

/** The groups of a scan, and their sums in each bucket. */
export interface GroupSums {
  readonly groups: readonly GroupSum[];
  /** What groups have together, for each bucket. */
  readonly series: (groups: readonly GroupSum[]) => Promise<readonly Amount[]>;
}

/** The period before has a slot of its own, the first; then each bucket has one. */
export function slotsOf(before: DaySpan, buckets: readonly DaySpan[]): Slots {
  const to = buckets.at(-1)?.to ?? before.to;
  const of = new Int32Array(to - before.from).fill(-1);
  of.fill(0, 0, before.to - before.from);
  for (const [at, bucket] of buckets.entries()) {
    of.fill(at + 1, bucket.from - before.from, bucket.to - before.from);
  }
  return { count: buckets.length + 1, of };
}

/** Reads the groups of a scan with such slots, whose keys end with the currency. */
export async function groupSums(
  scan: Scan,
  { count }: Slots,
  signal: AbortSignal,
): Promise<GroupSums> {
  const pace = createPace(signal);
  const groups: GroupSum[] = [];
  for (let at = 0; at < scan.size; at++) {
    const key = scan.key(at);
    const amount = new AmountSum();
    for (let slot = 1; slot < count; slot++) amount.add(scan.sum(at, slot));
    groups.push({
      currency: key.at(-1) ?? '',
      key: key.slice(0, -1),
      at,
      amount: amount.total,
      previous: scan.sum(at, 0),
    });
    await pace.spend(count * costOfSum);
  }
  return {
    groups,
    async series(some) {
      const sums = Array.from({ length: count - 1 }, () => new AmountSum());
      for (const { at } of some) {
        for (const [bucket, sum] of sums.entries()) sum.add(scan.sum(at, bucket + 1));
        await pace.spend(count * costOfSum);
      }
      return sums.map(({ total }) => total);
    },
  };
}

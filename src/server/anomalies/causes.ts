import type { RootCause } from '../../contract/cost-anomalies.ts';
import type * as z from 'zod';
import { showEstimate, toNumber } from '../../cost/amount.ts';
import { dayNumber, dayText } from '../../cost/table/days.ts';
import { costSums, usageCategories } from '../cost/service.ts';
import type { CostField } from '../cost/service.ts';
import type { Store } from '../store/store.ts';
import type { FoundAnomaly } from './judge.ts';

type Cause = z.infer<typeof RootCause>;

/** Days before an anomaly that it is compared with. */
const daysBefore = 28;
const mostCauses = 5;
/** What explains less of the impact is none. */
const leastShare = 0.1;

const columns: Readonly<Record<Cause['field'], CostField>> = {
  resource: 'resource',
  region: 'region',
  service: 'service',
  account: 'sub_account',
  provider: 'provider',
};

/** The parts of a group that rose most against the four weeks before, the largest rise first. */
export async function findCauses(
  store: Store,
  anomaly: FoundAnomaly,
  signal: AbortSignal,
): Promise<Cause[]> {
  const { name, start, end } = anomaly;
  const first = dayNumber(start);
  const days = dayNumber(end) - first + 1;
  const where = {
    category: usageCategories,
    currency: [name.currency],
    ...(name.scope === 'group'
      ? {
          provider: [name.provider ?? ''],
          sub_account: [name.account_id ?? ''],
          service: [name.service ?? ''],
        }
      : {}),
  };
  const fields: readonly Cause['field'][] =
    name.scope === 'group' ? ['resource', 'region'] : ['provider', 'account', 'service'];
  const causes: {
    readonly field: Cause['field'];
    readonly key: string;
    readonly change: number;
  }[] = [];
  for (const field of fields) {
    const sums = async (from: number, to: number) => {
      const groups = await costSums(store, {
        start: dayText(from),
        end: dayText(to),
        groupBy: [columns[field]],
        where,
        measure: 'effective',
        signal,
      });
      return new Map(groups.map(({ key: [key = ''], total }) => [key, toNumber(total)]));
    };
    const before = await sums(first - daysBefore, first);
    const now = await sums(first, first + days);
    for (const [key, cost] of now) {
      if (key === '') continue;
      causes.push({ field, key, change: cost - ((before.get(key) ?? 0) * days) / daysBefore });
    }
  }
  return causes
    .filter(({ change }) => change >= leastShare * anomaly.impact)
    .sort((a, b) => b.change - a.change)
    .slice(0, mostCauses)
    .map(({ field, key, change }) => ({ field, key, change: showEstimate(change) }));
}

import { toNumber } from '../../cost/amount.ts';
import { dayNumber, dayText } from '../../cost/table/days.ts';
import { costSums, usageCategories } from '../cost/service.ts';
import type { CostQuery, Days } from '../cost/service.ts';
import type { Store } from '../store/store.ts';
import type { StoredAnomaly } from './collection.ts';

/** Groups that anomalies are looked for in: those that cost most. */
const mostGroups = 2_000;
const mostCurrencies = 20;
/** Sums that are read at once: some tens of megabytes. */
const sumsAtOnce = 200_000;

export type GroupName = Pick<
  StoredAnomaly,
  'scope' | 'provider' | 'account_id' | 'service' | 'currency'
>;

/** The daily cost of a group. */
export interface GroupSeries {
  readonly name: GroupName;
  readonly costs: Float64Array;
}

const groupFields = ['provider', 'sub_account', 'service', 'currency'] as const;

/** Reads the daily usage of the groups that cost most, and of all charges together, by currency. Works in turns. */
export async function readGroups(
  store: Store,
  { start, end }: Days,
  signal: AbortSignal,
): Promise<readonly GroupSeries[]> {
  const first = dayNumber(start);
  const last = dayNumber(end);
  const query: Omit<CostQuery, 'groupBy'> = {
    start,
    end,
    where: { category: usageCategories },
    measure: 'effective',
    signal,
  };
  const found = new Map<string, GroupSeries>();
  const seriesOf = (id: string, name: GroupName): GroupSeries => {
    const known = found.get(id) ?? { name, costs: new Float64Array(last - first) };
    found.set(id, known);
    return known;
  };
  const totals = await costSums(store, { ...query, groupBy: ['day', 'currency'] });
  for (const {
    key: [day = '', currency = ''],
    total,
  } of totals) {
    const isKnown = found.has(currency);
    if (!isKnown && found.size === mostCurrencies) continue;
    seriesOf(currency, { scope: 'total', currency }).costs[dayNumber(day) - first] =
      toNumber(total);
  }
  const currencies = new Set(found.keys());
  const groups = (await costSums(store, { ...query, groupBy: groupFields }))
    .filter(({ key }) => currencies.has(key[3] ?? ''))
    .map(({ key, total }) => ({ key, size: Math.abs(toNumber(total)) }))
    .sort((a, b) => b.size - a.size);
  const chosen = groups.slice(0, mostGroups).map(({ key }) => key);
  for (const key of chosen) {
    const [provider = '', account_id = '', service = '', currency = ''] = key;
    seriesOf(idOf(key), { scope: 'group', provider, account_id, service, currency });
  }
  const where =
    chosen.length < groups.length
      ? { ...query.where, sub_account: valuesOf(chosen, 1), service: valuesOf(chosen, 2) }
      : query.where;
  const daysAtOnce = Math.max(1, Math.floor(sumsAtOnce / Math.max(1, groups.length)));
  for (let from = first; from < last; from += daysAtOnce) {
    const sums = await costSums(store, {
      ...query,
      ...(where && { where }),
      start: dayText(from),
      end: dayText(Math.min(last, from + daysAtOnce)),
      groupBy: ['day', ...groupFields],
    });
    for (const {
      key: [day = '', ...key],
      total,
    } of sums) {
      const known = found.get(idOf(key));
      if (known) known.costs[dayNumber(day) - first] = toNumber(total);
    }
  }
  return [...found.values()];
}

const idOf = (key: readonly string[]): string => JSON.stringify(key);

const valuesOf = (keys: readonly (readonly string[])[], at: number): string[] => [
  ...new Set(keys.map((key) => key[at] ?? '')),
];

import type { UnusedListQuery, UnusedResource } from '../../contract/cost-unused.ts';
import { AmountSum, compare, showAmount } from '../../cost/amount.ts';
import type { Claim } from '../../cost/rightsizing/claims.ts';
import type { ResourceCost, ResourceCosts } from '../../cost/resource-costs.ts';
import type { CurrencySum } from '../../cost/resource-sums.ts';
import { monthlyCosts } from '../cost/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { createPace } from '../pace.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader, Store } from '../store/store.ts';
import { unusedResources } from './collection.ts';
import type { StoredUnused } from './collection.ts';

/** A resource that is unused now, with the charges that it stops when it goes. */
export interface UnusedNow {
  readonly resource: StoredUnused;
  readonly costs: readonly ResourceCost[];
  /** In the currency in which it costs most; absent: not known. */
  readonly cost?: CurrencySum;
}

interface Known {
  readonly of: string;
  readonly costs: ResourceCosts | undefined;
  /** Until when, as ISO 8601: then another one is due. */
  readonly until: string | undefined;
  readonly from: string;
  /** Those that cost most first. */
  readonly rows: readonly UnusedNow[];
}

/** The last one of each store. */
const known = new WeakMap<Store, Known>();

/** All resources that seem to be unused now, those that cost most first. Looked up once for the same inventory and charges. */
export async function unusedNow(
  deps: Pick<Deps, 'store' | 'clock' | 'log'>,
  signal: AbortSignal,
): Promise<readonly UnusedNow[]> {
  const costs = await monthlyCosts(deps);
  const of = await contentOf(deps.store);
  const now = timestamp(deps.clock.now());
  const before = known.get(deps.store);
  const isSame = before?.of === of && before.costs === costs;
  if (isSame && now >= before.from && (before.until === undefined || now < before.until)) {
    return before.rows;
  }
  const rows: UnusedNow[] = [];
  let until: string | undefined;
  const pace = createPace(signal);
  for await (const { doc: resource } of allRows(deps.store, unusedResources, {})) {
    const { due } = resource;
    if (due !== undefined && due > now) {
      if (until === undefined || due < until) until = due;
      continue;
    }
    await pace.spend(10);
    const own = costs ? costsOf(resource, costs) : [];
    const [cost] = sumOfUnused([{ costs: own }]).toSorted((a, b) => compare(b.total, a.total));
    rows.push({ resource, costs: own, ...(cost ? { cost } : {}) });
  }
  rows.sort((a, b) => compareCost(b, a) || (a.resource.id < b.resource.id ? -1 : 1));
  known.set(deps.store, { of, costs, until, from: now, rows });
  return rows;
}

/** The same for the same rows: each that comes or changes has a later one, and one that goes leaves fewer. */
async function contentOf(reader: Reader): Promise<string> {
  const newest = { orderBy: 'change', direction: 'desc', limit: 1 } as const;
  const { rows, total } = await reader.page(unusedResources, newest);
  return `${total} ${rows[0]?.doc.change ?? ''}`;
}

/** What a resource costs; of a stopped instance, what its disks do: nothing else of it is charged any more. */
function costsOf(
  { id, type, provider, account_id, disks }: StoredUnused,
  costs: ResourceCosts,
): readonly ResourceCost[] {
  if (!disks?.length) return costs.find({ id, type, provider, account_id });
  const found = new Map<number, ResourceCost>();
  for (const disk of disks) {
    for (const cost of costs.find({ id: disk, provider, account_id })) found.set(cost.entry, cost);
  }
  return [...found.values()];
}

/** What each resource saves: a charge is claimed once, by the first that has it. */
export function* claimsOfUnused(rows: Iterable<UnusedNow>): Generator<Claim> {
  const claimed = new Set<number>();
  for (const { resource, costs } of rows) {
    const own = costs.filter(({ entry }) => !claimed.has(entry));
    for (const { entry } of own) claimed.add(entry);
    for (const { currency, total: amount } of sumOfUnused([{ costs: own }])) {
      yield { resource_id: resource.id, currency, amount };
    }
  }
}

/** By currency, each charge once. */
export function sumOfUnused(rows: Iterable<Pick<UnusedNow, 'costs'>>): readonly CurrencySum[] {
  const counted = new Set<number>();
  const sums = new Map<string, AmountSum>();
  for (const { costs } of rows) {
    for (const { entry, currency, amount } of costs) {
      if (counted.has(entry)) continue;
      counted.add(entry);
      const sum = sums.get(currency) ?? new AmountSum();
      sum.add(amount);
      sums.set(currency, sum);
    }
  }
  return [...sums]
    .map(([currency, { total }]) => ({ currency, total }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

/** Those of which no cost is known are the least. */
function compareCost({ cost: one }: UnusedNow, { cost: other }: UnusedNow): number {
  if (!one || !other) return Number(one !== undefined) - Number(other !== undefined);
  return compare(one.total, other.total);
}

const publicOf = ({ change: _c, due: _d, disks, ...resource }: StoredUnused) => ({
  ...resource,
  ...(disks ? { disks: [...disks] } : {}),
});

export function showUnused({ resource, cost }: UnusedNow): UnusedResource {
  return {
    ...publicOf(resource),
    ...(cost ? { monthly_cost: showAmount(cost.total), cost_currency: cost.currency } : {}),
  };
}

type Filter = Partial<
  Pick<UnusedListQuery, 'kind' | 'provider' | 'account' | 'type' | 'region' | 'environment'>
>;

/** Any of the values of each field. */
export function selectUnused(
  rows: readonly UnusedNow[],
  { kind, provider, account, type, region, environment }: Filter,
): readonly UnusedNow[] {
  const wanted: [keyof StoredUnused, readonly string[] | undefined][] = [
    ['kind', kind],
    ['provider', provider?.map((name) => name.toLowerCase())],
    ['account_id', account],
    ['type', type],
    ['region', region],
    ['environment', environment],
  ];
  const checks = wanted.flatMap(([field, values]) => (values ? [[field, new Set(values)] as const] : [])); // prettier-ignore
  if (checks.length === 0) return rows;
  return rows.filter(({ resource }) =>
    checks.every(([field, values]) => values.has(String(resource[field] ?? ''))),
  );
}

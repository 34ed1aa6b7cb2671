import type { Measure } from '../../cost/focus/record.ts';
import { sumResources } from '../../cost/resource-sums.ts';
import type { CurrencySum } from '../../cost/resource-sums.ts';
import type { Deps } from '../deps.ts';
import { createPace } from '../pace.ts';
import { allRows } from '../store/all-rows.ts';
import { violations } from '../violations/collection.ts';
import { costsBetween } from './by-resource.ts';

/** What the non-compliant resources of a policy cost. */
export interface PolicyCost {
  readonly policy_id: string;
  readonly policy_name: string;
  /** Resources with an open violation of it, and those of them whose cost is not known. */
  readonly resources: number;
  readonly without_cost: number;
  readonly costs: readonly CurrencySum[];
}

export interface PolicyCosts {
  /** In no particular order. */
  readonly policies: readonly PolicyCost[];
  /** A resource that fails several policies counts in each of them, and once in here. */
  readonly total: readonly CurrencySum[];
}

interface Asked {
  /** ISO days: the first, and the one after the last. */
  readonly start: string;
  readonly end: string;
  readonly measure: Measure;
  /** Only charges that have one of these texts, for each column. */
  readonly where?: Readonly<Record<string, readonly string[]>>;
  readonly signal: AbortSignal;
}

/** What the resources that fail now, by policy, cost between two days. Works in turns. */
export async function policyCosts(
  deps: Pick<Deps, 'store' | 'log'>,
  { signal, ...range }: Asked,
): Promise<PolicyCosts> {
  const sums = sumResources(await costsBetween(deps, { ...range, signal }));
  const pace = createPace(signal);
  const all = {};
  const byPolicy = new Map<string, { name: string; resources: number; without: number }>();
  for await (const { doc } of allRows(deps.store, violations, { status: { any: ['OPEN'] } })) {
    await pace.spend(5);
    const { policy_id, policy_name: name, resource_id: id, resource_type: type } = doc;
    let policy = byPolicy.get(policy_id);
    if (!policy) byPolicy.set(policy_id, (policy = { name, resources: 0, without: 0 }));
    const resource = { id, type, provider: doc.provider, account_id: doc.account_id };
    policy.resources += 1;
    if (!sums.add(policy, resource)) policy.without += 1;
    sums.add(all, resource);
  }
  return {
    policies: [...byPolicy].map(([policy_id, policy]) => ({
      policy_id,
      policy_name: policy.name,
      resources: policy.resources,
      without_cost: policy.without,
      costs: sums.of(policy),
    })),
    total: sums.of(all),
  };
}

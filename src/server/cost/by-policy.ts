import { zero } from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';
import type { DaySpan } from '../../cost/analysis/buckets.ts';
import type { Compared } from '../../cost/analysis/change.ts';
import { sumResources } from '../../cost/resource-sums.ts';
import type { ResourceSums } from '../../cost/resource-sums.ts';
import type { Deps } from '../deps.ts';
import { createPace } from '../pace.ts';
import { allRows } from '../store/all-rows.ts';
import { violations } from '../violations/collection.ts';
import { costsBetween } from './by-resource.ts';
import type { CostsBetween } from './by-resource.ts';
import type { StoredPeriod } from './collection.ts';

/** What the resources that fail a policy cost, in one currency, in the period and in the one before. */
interface PolicyCost extends Compared {
  readonly policyId: string;
  readonly policyName: string;
  readonly currency: string;
  /** Resources with an open violation of it, and those of them without charges of the filters. */
  readonly resources: number;
  readonly withoutCost: number;
}

export interface PolicyCosts {
  /** In no particular order. */
  readonly policies: readonly PolicyCost[];
  /** By currency: a resource that fails several policies counts in each of them, and once in here. */
  readonly total: ReadonlyMap<string, Compared>;
}

interface Asked extends Omit<CostsBetween, 'from' | 'to'> {
  readonly span: DaySpan;
  readonly before: DaySpan;
}

/** What the resources that fail now, by policy, cost. Works in turns. */
export async function policyCosts(
  deps: Pick<Deps, 'store' | 'log'>,
  periods: readonly StoredPeriod[],
  { span, before, ...asked }: Asked,
): Promise<PolicyCosts> {
  const now = sumResources(await costsBetween(deps, periods, { ...asked, ...span }));
  const then = sumResources(await costsBetween(deps, periods, { ...asked, ...before }));
  const pace = createPace(asked.signal);
  const all = {};
  const byPolicy = new Map<string, { name: string; resources: number; withoutCost: number }>();
  for await (const { doc } of allRows(deps.store, violations, { status: { any: ['OPEN'] } })) {
    await pace.spend(5);
    const { policy_id, policy_name: name, resource_id: id, resource_type: type } = doc;
    let policy = byPolicy.get(policy_id);
    if (!policy) byPolicy.set(policy_id, (policy = { name, resources: 0, withoutCost: 0 }));
    const resource = { id, type, provider: doc.provider, account_id: doc.account_id };
    const isKnown = [now, then].map((sums) => {
      sums.add(all, resource);
      return sums.add(policy, resource);
    });
    policy.resources += 1;
    if (!isKnown.includes(true)) policy.withoutCost += 1;
  }
  return {
    policies: [...byPolicy].flatMap(([policyId, policy]) =>
      [...compared(policy, now, then)].map(([currency, sums]) => ({
        policyId,
        policyName: policy.name,
        resources: policy.resources,
        withoutCost: policy.withoutCost,
        currency,
        ...sums,
      })),
    ),
    total: compared(all, now, then),
  };
}

/** By currency. */
function compared(group: object, now: ResourceSums, then: ResourceSums): Map<string, Compared> {
  const [amounts, before] = [now, then].map(
    (sums) => new Map(sums.of(group).map(({ currency, total }) => [currency, total])),
  ) as [Map<string, Amount>, Map<string, Amount>];
  return new Map(
    [...new Set([...amounts.keys(), ...before.keys()])].map((currency) => [
      currency,
      { amount: amounts.get(currency) ?? zero, previous: before.get(currency) ?? zero },
    ]),
  );
}

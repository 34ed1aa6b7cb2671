import type { AnsweredViolation, MonthlyCosts } from '../../contract/violations.ts';
import { AmountSum, showAmount } from '../../cost/amount.ts';
import type { ResourceCosts } from '../../cost/resource-costs.ts';
import type { StoredViolation } from './collection.ts';

type Located = Pick<StoredViolation, 'resource_id' | 'resource_type' | 'provider' | 'account_id'>;

const resourceOf = ({ resource_id: id, resource_type: type, provider, account_id }: Located) => ({
  id,
  type,
  provider,
  account_id,
});

/** A violation with what its resource costs, where that is known. */
export function withCost(
  violation: StoredViolation,
  costs: ResourceCosts | undefined,
): AnsweredViolation {
  const cost = costs?.ofMost(resourceOf(violation));
  if (!cost) return violation;
  return {
    ...violation,
    monthly_cost: showAmount(cost.amount),
    cost_currency: cost.currency,
  };
}

/** Sums of what resources cost, each counted once a group. */
export interface CostSums {
  add(group: object, violation: Located): void;
  /** Nothing where no cost is known. */
  of(group: object): { readonly monthly_costs?: MonthlyCosts };
}

interface Sum {
  /** The entries that are in it. */
  readonly counted: Set<number>;
  readonly byCurrency: Map<string, AmountSum>;
}

/** Undefined: no cost is known. */
export function costSummed(costs: ResourceCosts | undefined): CostSums | undefined {
  if (!costs) return undefined;
  const sums = new Map<object, Sum>();
  return {
    add(group, violation) {
      for (const { entry, currency, amount } of costs.find(resourceOf(violation))) {
        let sum = sums.get(group);
        if (!sum) sums.set(group, (sum = { counted: new Set(), byCurrency: new Map() }));
        if (sum.counted.has(entry)) continue;
        sum.counted.add(entry);
        const added = sum.byCurrency.get(currency) ?? new AmountSum();
        added.add(amount);
        sum.byCurrency.set(currency, added);
      }
    },
    of(group) {
      const sum = sums.get(group);
      if (!sum) return {};
      const monthly_costs = [...sum.byCurrency]
        .map(([currency, { total }]) => ({ currency, monthly_cost: showAmount(total) }))
        .sort((a, b) => (a.currency < b.currency ? -1 : 1));
      return { monthly_costs };
    },
  };
}

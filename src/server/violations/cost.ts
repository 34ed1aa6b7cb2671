import type { AnsweredViolation, MonthlyCosts } from '../../contract/violations.ts';
import { showAmount } from '../../cost/amount.ts';
import type { CostlyResource, ResourceCosts } from '../../cost/resource-costs.ts';
import { sumResources } from '../../cost/resource-sums.ts';
import type { StoredViolation } from './collection.ts';

const resourceOf = ({
  resource_id: id,
  resource_type: type,
  provider,
  account_id,
}: StoredViolation): CostlyResource => ({ id, type, provider, account_id });

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

/** Sums of what the resources of groups of violations cost. */
export interface CostSums {
  add(group: object, violation: StoredViolation): void;
  /** Nothing where no cost is known. */
  of(group: object): { readonly monthly_costs?: MonthlyCosts };
}

/** Undefined: no cost is known. */
export function costSummed(costs: ResourceCosts | undefined): CostSums | undefined {
  if (!costs) return undefined;
  const sums = sumResources(costs);
  return {
    add: (group, violation) => void sums.add(group, resourceOf(violation)),
    of(group) {
      const monthly_costs = sums
        .of(group)
        .map(({ currency, total }) => ({ currency, monthly_cost: showAmount(total) }));
      return monthly_costs.length > 0 ? { monthly_costs } : {};
    },
  };
}

import type { Amount } from './amount.ts';
import { AmountSum } from './amount.ts';
import type { CostlyResource, ResourceCosts } from './resource-costs.ts';

/** A sum in one currency. */
export interface CurrencySum {
  readonly currency: string;
  readonly total: Amount;
}

/** Sums of what resources cost, each counted once a group. */
export interface ResourceSums {
  /** @returns whether anything is known of what it costs */
  add(group: object, resource: CostlyResource): boolean;
  /** By currency, in alphabetical order; none where no cost is known. */
  of(group: object): readonly CurrencySum[];
}

interface Sum {
  /** The entries that are in it. */
  readonly counted: Set<number>;
  readonly byCurrency: Map<string, AmountSum>;
}

export function sumResources(costs: ResourceCosts): ResourceSums {
  const sums = new Map<object, Sum>();
  return {
    add(group, resource) {
      const found = costs.find(resource);
      for (const { entry, currency, amount } of found) {
        let sum = sums.get(group);
        if (!sum) sums.set(group, (sum = { counted: new Set(), byCurrency: new Map() }));
        if (sum.counted.has(entry)) continue;
        sum.counted.add(entry);
        const added = sum.byCurrency.get(currency) ?? new AmountSum();
        added.add(amount);
        sum.byCurrency.set(currency, added);
      }
      return found.length > 0;
    },
    of: (group) =>
      [...(sums.get(group)?.byCurrency ?? [])]
        .map(([currency, { total }]) => ({ currency, total }))
        .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
  };
}

import { showAmount } from '../../cost/amount.ts';
import { sumResources } from '../../cost/resource-sums.ts';
import type { Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { createPace } from '../pace.ts';
import { resources } from '../resources/collection.ts';
import { monthlyCosts } from './by-resource.ts';

export function costResourceHandlers(deps: Deps): Handlers['costResources'] {
  const inTurn = createCallerTurns();
  return {
    sum: ({ body }, call) =>
      inTurn(call, async () => {
        const ids = new Set(body.resource_ids);
        const costs = await monthlyCosts(deps);
        if (!costs) return { body: toJson({ resources: ids.size, without_cost: ids.size }) };
        const sums = sumResources(costs);
        const pace = createPace(call.signal);
        let without = 0;
        for (const id of ids) {
          await pace.spend(5);
          const found = await deps.store.get(resources, id);
          if (!found || !sums.add(ids, found.doc.resource)) without += 1;
        }
        const monthly_costs = sums
          .of(ids)
          .map(({ currency, total }) => ({ currency, monthly_cost: showAmount(total) }));
        return { body: toJson({ resources: ids.size, without_cost: without, monthly_costs }) };
      }),
  };
}

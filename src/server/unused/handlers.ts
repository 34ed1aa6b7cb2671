import type { UnusedListQuery } from '../../contract/cost-unused.ts';
import { showAmount, toNumber } from '../../cost/amount.ts';
import type { Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import { anyOf, listLookedUp } from '../http/paging.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { readerOfRows } from '../store/reader-of-rows.ts';
import type { Scalar } from '../store/store.ts';
import { unusedResources } from './collection.ts';
import type { StoredUnused } from './collection.ts';
import { selectUnused, showUnused, sumOfUnused, unusedNow } from './now.ts';

/** The fields of what is stored that lists are sorted by. */
type StoredField = Exclude<UnusedListQuery['sort_by'], 'monthly_cost'>;

const filterFields = ['kind', 'provider', 'account', 'type', 'region', 'environment'] as const;

export function unusedHandlers(deps: Deps): Handlers['costUnused'] {
  const inTurn = createCallerTurns();
  return {
    list: ({ query }, call) =>
      inTurn(call, async () => {
        const rows = selectUnused(await unusedNow(deps, call.signal), query);
        const shown = new Map(rows.map((row) => [row.resource, row]));
        const valueOf = (doc: StoredUnused, field: string): Scalar | null => {
          if (field !== 'monthly_cost') return doc[field as StoredField] ?? null;
          const cost = shown.get(doc)?.cost;
          return cost ? toNumber(cost.total) : null;
        };
        return listLookedUp(readerOfRows([...shown.keys()], valueOf), unusedResources, {
          query,
          filters: anyOf(query, filterFields),
          plural: 'unused_resources',
          beside: {
            potential_savings: sumOfUnused(rows).map(({ currency, total }) => ({
              currency,
              monthly_cost: showAmount(total),
            })),
          },
          show({ doc }) {
            const row = shown.get(doc);
            return toJson(row ? showUnused(row) : doc);
          },
        });
      }),
  };
}

import type { UnusedListQuery } from '../../contract/cost-unused.ts';
import { showAmount, toNumber } from '../../cost/amount.ts';
import type { Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import { anyOf, listLookedUp } from '../http/paging.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import type { CollectionSpec, Document, Page, PageQuery, Reader, Scalar } from '../store/store.ts';
import { unusedResources } from './collection.ts';
import type { StoredUnused } from './collection.ts';
import { selectUnused, showUnused, sumOfUnused, unusedNow } from './now.ts';
import type { UnusedNow } from './now.ts';

const filterFields = ['kind', 'provider', 'account', 'type', 'region', 'environment'] as const;

export function unusedHandlers(deps: Deps): Handlers['costUnused'] {
  const inTurn = createCallerTurns();
  return {
    list: ({ query }, call) =>
      inTurn(call, async () => {
        const rows = selectUnused(await unusedNow(deps, call.signal), query);
        const shown = new Map(rows.map((row) => [row.resource, row]));
        return listLookedUp(readerOf(rows), unusedResources, {
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

/** Pages of rows that are selected already. */
const readerOf = (rows: readonly UnusedNow[]): Pick<Reader, 'page'> => ({
  page: <T extends Document>(_: CollectionSpec<T>, query: PageQuery) =>
    // Its pages are of these rows only.
    pageOf(rows, query) as Page<Document> as Page<T>,
});

function pageOf(
  rows: readonly UnusedNow[],
  { orderBy, direction, limit, after, offset = 0 }: PageQuery,
): Page<StoredUnused> {
  const valueOf = (row: UnusedNow): Scalar | null => sortValue(row, orderBy as UnusedListQuery['sort_by']); // prettier-ignore
  const sign = direction === 'asc' ? 1 : -1;
  const sorted = rows
    .map((row) => ({ row, value: valueOf(row), id: row.resource.id }))
    .sort((a, b) => comparePlaces(a, b, sign));
  const start = after
    ? sorted.findIndex((one) => comparePlaces(one, after, sign) > 0)
    : Math.min(offset, sorted.length);
  const shown = start < 0 ? [] : sorted.slice(start, start + limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(({ row }) => ({ doc: row.resource, revision: 0 })),
    total: rows.length,
    hasMore: start >= 0 && start + limit < sorted.length,
    ...(last ? { last: { value: last.value, id: last.id } } : {}),
  };
}

function sortValue(row: UnusedNow, field: UnusedListQuery['sort_by']): Scalar | null {
  if (field !== 'monthly_cost') return row.resource[field] ?? null;
  return row.cost ? toNumber(row.cost.total) : null;
}

interface Place {
  readonly value: Scalar | null;
  readonly id: string;
}

/** Those without a value are last in both directions; of equal ones the ID decides. */
function comparePlaces(a: Place, b: Place, sign: number): number {
  if (a.value === null || b.value === null) {
    if (a.value !== b.value) return a.value === null ? 1 : -1;
  } else if (a.value !== b.value) return a.value < b.value ? -sign : sign;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -sign : sign;
}

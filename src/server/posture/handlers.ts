import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { listPage } from '../http/paging.ts';
import { toJson } from '../json.ts';
import { outcomeFilters, outcomes } from './collection.ts';
import { readOverview } from './overview.ts';

export const governanceHandlers = (deps: Deps): Handlers['governance'] => ({
  overview: async ({ query }) => ({
    body: toJson({
      governance_overview: await readOverview(deps.store, deps.clock.now(), query),
    }),
  }),
});

export const evaluationHandlers = (deps: Deps): Handlers['evaluations'] => ({
  list: ({ query }) =>
    listPage(deps.store, outcomes, {
      query,
      filters: outcomeFilters(query),
      plural: 'evaluations',
      show: ({ doc }) => toJson(doc),
    }),
});

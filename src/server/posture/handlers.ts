import { defined } from '../../contract/defined.ts';
import { whenKnown } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import { readPending } from '../evaluation/pending.ts';
import type { Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import { listPage } from '../http/paging.ts';
import { toJson } from '../json.ts';
import type { Alerts } from '../prediction/service.ts';
import type { Assessor } from '../rightsizing/service.ts';
import { outcomeFilters, outcomes } from './collection.ts';
import { readOverview } from './overview.ts';
import { readScores } from './score-days.ts';

export function governanceHandlers(
  deps: Deps,
  parts: { readonly alerts: Alerts; readonly assessor: Assessor },
): Handlers['governance'] {
  // Each counts for all policies and types of resources.
  const inTurn = createCallerTurns();
  return {
    overview: ({ query }, call) =>
      inTurn(call, async () => ({
        body: toJson({
          governance_overview: await readOverview(deps, parts, call, query),
        }),
      })),
    scoreHistory: async ({ query }) => ({
      body: toJson({ score_history: [...(await readScores(deps, query.days))] }),
    }),
  };
}

export const evaluationHandlers = (deps: Deps): Handlers['evaluations'] => ({
  list: ({ query }, { signal }) =>
    whenKnown(readPending(deps.store, deps.clock.now(), signal), (pending) =>
      listPage(deps.store, outcomes, {
        query,
        filters: outcomeFilters(query),
        plural: 'evaluations',
        beside: defined({ pending }),
        show: ({ doc }) => toJson(doc),
      }),
    ),
});

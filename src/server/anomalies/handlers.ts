import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { listPage } from '../http/paging.ts';
import { toJson } from '../json.ts';
import type { Versioned } from '../store/store.ts';
import { anomalies, anomalyFilters } from './collection.ts';
import type { StoredAnomaly } from './collection.ts';
import { readAnomaly, updateAnomaly } from './service.ts';

const show = ({ group: _group, announced_at: _at, ...anomaly }: StoredAnomaly) => toJson(anomaly);

const answerOne = ({ doc, revision }: Versioned<StoredAnomaly>) => ({ body: show(doc), revision });

export const anomalyHandlers = (deps: Deps): Handlers['costAnomalies'] => ({
  list: ({ query }) =>
    listPage(deps.store, anomalies, {
      query,
      filters: anomalyFilters(query, deps.clock.now()),
      plural: 'anomalies',
      show: ({ doc }) => show(doc),
    }),

  get: async ({ params }) => answerOne(await readAnomaly(deps.store, params.id)),

  update: async ({ params, body }, call) =>
    call.transact(async (tx) => answerOne(await updateAnomaly(deps, tx, call, params.id, body))),
});

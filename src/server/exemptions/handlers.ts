import { whenKnown } from '../awaitable.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { createJudge } from '../evaluation/judge.ts';
import { toJson } from '../json.ts';
import { listPage } from '../http/paging.ts';
import type { Versioned } from '../store/store.ts';
import { exemptionFilters, exemptions } from './collection.ts';
import type { StoredExemption } from './collection.ts';
import { createExemption, deleteExemption, readExemption, updateExemption } from './service.ts';

const answerOne = ({ doc, revision }: Versioned<StoredExemption>) => ({
  body: toJson(doc),
  revision,
});

export const exemptionHandlers = (deps: Deps): Handlers['exemptions'] => ({
  list: ({ query }) =>
    listPage(deps.store, exemptions, {
      query,
      filters: exemptionFilters(query),
      plural: 'exemptions',
      show: ({ doc }) => toJson(doc),
    }),

  get: ({ params }) => whenKnown(readExemption(deps.store, params.id), answerOne),

  create: async ({ body }, call) =>
    call.transact(async (tx) => {
      const created = await createExemption(createJudge(deps, tx), call.actor, body);
      return { ...answerOne(created), headers: { Location: `/v1/exemptions/${created.doc.id}` } };
    }),

  update: async ({ params, body }, call) =>
    call.transact(async (tx) =>
      answerOne(await updateExemption(createJudge(deps, tx), call, params.id, body)),
    ),

  delete: async ({ params }, call) =>
    call.transact(async (tx) => {
      await deleteExemption(createJudge(deps, tx), call, params.id);
      return { body: undefined };
    }),
});

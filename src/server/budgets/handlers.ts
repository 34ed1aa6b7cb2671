import { defined } from '../../contract/defined.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { listLookedUp } from '../http/paging.ts';
import { toJson } from '../json.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { budgetFilters, budgets } from './collection.ts';
import type { StoredBudget } from './collection.ts';
import { budgetStatus, createBudget, deleteBudget, readBudget, updateBudget } from './service.ts';

export const budgetHandlers = (deps: Deps): Handlers['budgets'] => {
  const show = async (reader: Reader, budget: StoredBudget) => {
    const status = await budgetStatus(reader, budget, deps.clock.now());
    return toJson({ ...budget, ...defined({ status }) });
  };
  const answerOne = async (reader: Reader, { doc, revision }: Versioned<StoredBudget>) => ({
    body: await show(reader, doc),
    revision,
    isMoving: true,
  });
  return {
    list: ({ query }) =>
      listLookedUp(deps.store, budgets, {
        query,
        filters: budgetFilters(query),
        plural: 'budgets',
        show: ({ doc }) => show(deps.store, doc),
      }),

    get: async ({ params }) => answerOne(deps.store, await readBudget(deps.store, params.id)),

    create: async ({ body }, call) =>
      call.transact(async (tx) => {
        const created = await createBudget(deps, tx, call.actor, body);
        return {
          ...(await answerOne(tx, created)),
          headers: { Location: `/v1/budgets/${created.doc.id}` },
        };
      }),

    update: async ({ params, body }, call) =>
      call.transact(async (tx) =>
        answerOne(tx, await updateBudget(deps, tx, call, params.id, body)),
      ),

    delete: async ({ params }, call) =>
      call.transact(async (tx) => {
        await deleteBudget(deps, tx, call, params.id);
        return { body: undefined };
      }),
  };
};

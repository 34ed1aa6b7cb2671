import { whenKnown } from '../awaitable.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import type { PreparePolicy } from '../evaluation/prepared-policies.ts';
import { validate } from '../evaluation/validate.ts';
import { storedJson, toJson } from '../json.ts';
import { listPage } from '../http/paging.ts';
import type { Versioned } from '../store/store.ts';
import { policies, policyFilters } from './collection.ts';
import type { StoredPolicy } from './collection.ts';
import {
  checkConditions,
  createPolicy,
  deletePolicy,
  readPolicy,
  updatePolicy,
} from './service.ts';

const answerOne = ({ doc, revision }: Versioned<StoredPolicy>) => ({
  body: storedJson(doc),
  revision,
});

export const policyHandlers = (deps: Deps, prepare: PreparePolicy): Handlers['policies'] => ({
  list: ({ query }) =>
    listPage(deps.store, policies, {
      query,
      filters: policyFilters(query),
      plural: 'policies',
      show: ({ doc }) => storedJson(doc),
    }),

  validate: async ({ body }) => ({ body: toJson(await validate(deps, prepare, body)) }),

  get: ({ params }) => whenKnown(readPolicy(deps.store, params.id), answerOne),

  create: async ({ body }, call) => {
    checkConditions(body.rules);
    return call.transact(async (tx) => {
      const created = await createPolicy(deps, tx, call.actor, body);
      return { ...answerOne(created), headers: { Location: `/v1/policies/${created.doc.id}` } };
    });
  },

  update: async ({ params, body }, call) => {
    if (body.rules) checkConditions(body.rules);
    return call.transact(async (tx) =>
      answerOne(await updatePolicy(deps, tx, call, { id: params.id, update: body })),
    );
  },

  delete: async ({ params }, call) =>
    call.transact(async (tx) => {
      await deletePolicy(deps, tx, call, params.id);
      return { body: undefined };
    }),
});

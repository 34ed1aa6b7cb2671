import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { listPage } from '../http/paging.ts';
import { toJson } from '../json.ts';
import { targetsFor } from '../outbound/target.ts';
import type { Targets } from '../outbound/target.ts';
import type { Versioned } from '../store/store.ts';
import { trusts } from './collection.ts';
import type { StoredTrust } from './collection.ts';
import { checkIssuer, createTrust, deleteTrust, readTrust, updateTrust } from './rules.ts';

const showTrust = ({ bound_to: _, events, scopes, ...rule }: StoredTrust) => ({
  ...rule,
  events: [...events],
  scopes: [...scopes],
});

const answer = ({ doc, revision }: Versioned<StoredTrust>) => ({
  body: toJson(showTrust(doc)),
  revision,
});

export const trustHandlers = (deps: Deps, targets: Targets): Handlers['trusts'] => ({
  list: ({ query }) =>
    listPage(deps.store, trusts, {
      query,
      filters: {},
      plural: 'trusts',
      show: ({ doc }) => toJson(showTrust(doc)),
    }),

  create: async ({ body }, call) => {
    const issuer = await checkIssuer(body, targetsFor(targets, call));
    return call.transact(async (tx) => {
      const rule = await createTrust(deps, tx, call, { ...body, issuer });
      return { ...answer(rule), headers: { Location: `/v1/trusts/${rule.doc.id}` } };
    });
  },

  get: async ({ params }) => answer(await readTrust(deps.store, params.id)),

  update: ({ params, body }, call) =>
    call.transact(async (tx) =>
      answer(await updateTrust(deps, tx, call, { id: params.id, update: body })),
    ),

  delete: ({ params }, call) =>
    call.transact(async (tx) => {
      await deleteTrust(deps, tx, call, params.id);
      return { body: undefined };
    }),
});

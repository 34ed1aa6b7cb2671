import { defined } from '../../contract/defined.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { listLookedUp } from '../http/paging.ts';
import { toJson } from '../json.ts';
import { targetsFor } from '../outbound/target.ts';
import type { Targets } from '../outbound/target.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { trustStates, trusts } from './collection.ts';
import type { StoredTrust, TrustState } from './collection.ts';
import { checkIssuer, createTrust, deleteTrust, readTrust, updateTrust } from './rules.ts';

const show = ({ bound_to: _, events, scopes, ...rule }: StoredTrust, state?: TrustState) =>
  toJson({
    ...rule,
    events: [...events],
    scopes: [...scopes],
    ...defined({ last_used_at: state?.last_used_at }),
  });

/** The time of last use is in the response but not part of the version. */
const answer = async (reader: Reader, { doc, revision }: Versioned<StoredTrust>) => ({
  body: show(doc, (await reader.get(trustStates, doc.id))?.doc),
  revision,
  isMoving: true,
});

export const trustHandlers = (deps: Deps, targets: Targets): Handlers['trusts'] => ({
  list({ query }) {
    const common = { query, filters: {}, plural: 'trusts' };
    if (query.sort_by === 'last_used_at') {
      return listLookedUp(deps.store, trustStates, {
        ...common,
        show: async ({ doc }) => show((await readTrust(deps.store, doc.id)).doc, doc),
      });
    }
    return listLookedUp(deps.store, trusts, {
      ...common,
      show: async ({ doc }) => show(doc, (await deps.store.get(trustStates, doc.id))?.doc),
    });
  },

  create: async ({ body }, call) => {
    const issuer = await checkIssuer(body, targetsFor(targets, call));
    return call.transact(async (tx) => {
      const rule = await createTrust(deps, tx, call, { ...body, issuer });
      return { ...(await answer(tx, rule)), headers: { Location: `/v1/trusts/${rule.doc.id}` } };
    });
  },

  get: async ({ params }) => answer(deps.store, await readTrust(deps.store, params.id)),

  update: ({ params, body }, call) =>
    call.transact(async (tx) =>
      answer(tx, await updateTrust(deps, tx, call, { id: params.id, update: body })),
    ),

  delete: ({ params }, call) =>
    call.transact(async (tx) => {
      await deleteTrust(deps, tx, call, params.id);
      return { body: undefined };
    }),
});

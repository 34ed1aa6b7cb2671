import type { ApiKey } from '../../contract/api-keys.ts';
import { defined } from '../../contract/defined.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import type { Json } from '../json.ts';
import { listLookedUp } from '../http/paging.ts';
import type { Reader } from '../store/store.ts';
import { idOfNamed } from '../users/service.ts';
import {
  createKey,
  readKey,
  removeKey,
  rotateKey,
  showKey,
  updateKey,
  versionOf,
} from './api-keys.ts';
import type { KeyOptions, NewKey } from './api-keys.ts';
import { reachOf } from './authority.ts';
import { apiKeyStates, apiKeys, isStateField, oauthClients } from './collection.ts';
import type { ApiKeyState, StoredApiKey, StoredOauthClient } from './collection.ts';
import {
  createOauthClient,
  readClient,
  revokeTokens,
  rotateClient,
  showClient,
  updateClient,
} from './oauth-clients.ts';
import type { NewClient } from './oauth-clients.ts';

export const apiKeyHandlers = (deps: Deps, options: KeyOptions): Handlers['apiKeys'] => {
  const show = (key: StoredApiKey, state: ApiKeyState | undefined): string =>
    toJson(showKey(key, state, deps.clock.now()));
  /** The time of last use, and of a previous secret's end, are in the response but not part of the version. */
  const answer = (key: StoredApiKey, reader: Reader = deps.store) =>
    whenKnown(reader.get(apiKeyStates, key.id), (state) => ({
      body: show(key, state?.doc) as Json<ApiKey>, // of the same fields
      revision: versionOf(key),
      isMoving: true,
    }));
  const answerNew = ({ doc, ...secrets }: NewKey) => ({
    body: toJson({ ...showKey(doc, undefined, deps.clock.now()), ...secrets }),
    revision: versionOf(doc),
  });
  return {
    async list({ query }, { principal }) {
      const { sort_by: field, bound_to: named } = query;
      const reach = reachOf(principal);
      // Whoever sees their own keys only is not told who has a user.
      const asked =
        named === undefined || reach !== undefined
          ? named
          : await idOfNamed(deps.store, 'bound_to', named);
      const owners = [reach, asked].filter((id) => id !== undefined);
      const filters = owners.length === 0 ? {} : { owner: { all: owners } };
      // A copy: which list it is follows from the caller, too, and is kept by the query.
      const common = { query: { ...query }, filters, plural: 'api_keys' };
      if (isStateField(field)) {
        return listLookedUp(deps.store, apiKeyStates, {
          ...common,
          show: ({ doc }) =>
            whenKnown(readKey(deps.store, principal, doc.id), (key) => show(key, doc)),
        });
      }
      return listLookedUp(deps.store, apiKeys, {
        ...common,
        show: ({ doc }) =>
          whenKnown(deps.store.get(apiKeyStates, doc.id), (state) => show(doc, state?.doc)),
      });
    },

    create: async ({ body }, call) =>
      call.transact(async (tx) => {
        const made = await createKey(deps, tx, call, body, options);
        return { ...answerNew(made), headers: { Location: `/v1/api-keys/${made.doc.id}` } };
      }),

    get: ({ params }, { principal }) =>
      whenKnown(readKey(deps.store, principal, params.id), (key) => answer(key)),

    update: async ({ params, body }, call) =>
      call.transact(async (tx) =>
        answer(await updateKey(deps, tx, call, { id: params.id, update: body }, options), tx),
      ),

    delete: async ({ params }, call) =>
      call.transact(async (tx) => {
        call.checkMatch(versionOf(await readKey(tx, call.principal, params.id)));
        await removeKey(tx, params.id);
        await recordAudit(deps, tx, call.actor, 'api_key.delete', params.id);
        return { body: undefined };
      }),

    rotate: async ({ params, body }, call) =>
      call.transact(async (tx) =>
        answerNew(await rotateKey(deps, tx, call, { id: params.id, ...body })),
      ),
  };
};

export const oauthClientHandlers = (deps: Deps): Handlers['oauthClients'] => {
  const show = (client: StoredOauthClient) => showClient(client, deps.clock.now());
  const answer = (client: StoredOauthClient) => ({
    body: toJson(show(client)),
    revision: versionOf(client),
    isMoving: true,
  });
  const answerNew = ({ doc, client_secret }: NewClient) => ({
    body: toJson({ ...show(doc), ...defined({ client_secret }) }),
    revision: versionOf(doc),
  });
  return {
    list: ({ query }) =>
      // What is shown of a previous secret's end changes with time.
      listLookedUp(deps.store, oauthClients, {
        query,
        filters: {},
        plural: 'oauth_clients',
        show: ({ doc }) => toJson(show(doc)),
      }),

    create: async ({ body }, call) =>
      call.transact(async (tx) => {
        const made = await createOauthClient(deps, tx, call, body);
        return { ...answerNew(made), headers: { Location: `/v1/oauth-clients/${made.doc.id}` } };
      }),

    get: ({ params }) => whenKnown(readClient(deps.store, params.id), answer),

    update: async ({ params, body }, call) =>
      call.transact(async (tx) =>
        answer(await updateClient(deps, tx, call, { id: params.id, update: body })),
      ),

    delete: async ({ params }, call) =>
      call.transact(async (tx) => {
        call.checkMatch(versionOf(await readClient(tx, params.id)));
        await tx.remove(oauthClients, params.id);
        await revokeTokens(tx, params.id);
        await recordAudit(deps, tx, call.actor, 'oauth_client.delete', params.id);
        return { body: undefined };
      }),

    rotate: async ({ params, body }, call) =>
      call.transact(async (tx) =>
        answerNew(await rotateClient(deps, tx, call, { id: params.id, ...body })),
      ),
  };
};

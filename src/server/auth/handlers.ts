import type { ApiKey } from '../../contract/api-keys.ts';
import { GovctlError } from '../../contract/errors.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { refuseWider } from '../http/insufficient-scope.ts';
import { toJson } from '../json.ts';
import type { Json } from '../json.ts';
import { listLookedUp, listPage } from '../http/paging.ts';
import { removeFew } from '../store/remove-rows.ts';
import type { Reader } from '../store/store.ts';
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
import { makerOf } from './authority.ts';
import { accessTokens, apiKeyStates, apiKeys, isStateField, oauthClients } from './collection.ts';
import type { ApiKeyState, StoredApiKey, StoredOauthClient } from './collection.ts';
import { hashSecret, hintOf, newSecret } from '../keys/hashed-secrets.ts';

const showClient = ({ hash: _h, bound_to: _b, scopes, ...client }: StoredOauthClient) => ({
  ...client,
  client_id: client.id,
  scopes: [...scopes],
});

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
    list({ query }) {
      const { sort_by: field } = query;
      const common = { query, filters: {}, plural: 'api_keys' };
      if (isStateField(field)) {
        return listLookedUp(deps.store, apiKeyStates, {
          ...common,
          show: ({ doc }) => whenKnown(readKey(deps.store, doc.id), (key) => show(key, doc)),
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

    get: ({ params }) => whenKnown(readKey(deps.store, params.id), (key) => answer(key)),

    update: async ({ params, body }, call) =>
      call.transact(async (tx) =>
        answer(await updateKey(deps, tx, call, { id: params.id, update: body }, options), tx),
      ),

    delete: async ({ params }, call) =>
      call.transact(async (tx) => {
        call.checkMatch(versionOf(await readKey(tx, params.id)));
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

export const oauthClientHandlers = (deps: Deps): Handlers['oauthClients'] => ({
  list: ({ query }) =>
    listPage(deps.store, oauthClients, {
      query,
      filters: {},
      plural: 'oauth_clients',
      show: ({ doc }) => toJson(showClient(doc)),
    }),

  create: async ({ body }, call) => {
    refuseWider(call.principal, body.scopes, 'An OAuth client');
    return call.transact(async (tx) => {
      const secret = newSecret('gcs', deps.random);
      const doc: StoredOauthClient = {
        id: deps.ids.next('oc'),
        name: body.name,
        user_id: deps.ids.next('user'),
        ...makerOf(call.principal),
        scopes: [...new Set(body.scopes)],
        secret_hint: hintOf(secret),
        hash: hashSecret(secret),
        created_at: timestamp(deps.clock.now()),
      };
      await tx.insert(oauthClients, doc);
      await recordAudit(deps, tx, call.actor, 'oauth_client.create', doc.id);
      return { body: toJson({ ...showClient(doc), client_secret: secret }) };
    });
  },

  delete: async ({ params }, call) =>
    call.transact(async (tx) => {
      if (!(await tx.get(oauthClients, params.id))) {
        throw new GovctlError('not_found', `There is no OAuth client ${params.id.slice(0, 100)}`);
      }
      await tx.remove(oauthClients, params.id);
      await removeFew(tx, accessTokens, { client_id: { any: [params.id] } });
      await recordAudit(deps, tx, call.actor, 'oauth_client.delete', params.id);
      return { body: undefined };
    }),
});

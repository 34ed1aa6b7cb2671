import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Handlers, Principal } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { refuseWider } from '../http/insufficient-scope.ts';
import { toJson } from '../json.ts';
import { listPage } from '../http/paging.ts';
import { removeFew } from '../store/remove-rows.ts';
import { announceKey, showKey } from './announce.ts';
import { checkExpiry, readKey, updateKey, versionOf } from './api-keys.ts';
import { accessTokens, apiKeys, oauthClients } from './collection.ts';
import type { StoredApiKey, StoredOauthClient } from './collection.ts';
import { hashSecret, hintOf, newSecret } from '../keys/hashed-secrets.ts';

const showClient = ({ hash: _h, bound_to: _b, scopes, ...client }: StoredOauthClient) => ({
  ...client,
  client_id: client.id,
  scopes: [...scopes],
});

/** Who is behind what a caller makes: nobody becomes two people, or gets more than they have, by making keys. */
export const makerOf = ({ person, userId, boundTo }: Principal) => ({
  made_by: person ?? userId,
  ...defined({ bound_to: boundTo }),
});

/** The time of last use is in the response but not part of the version. */
const answerKey = (key: StoredApiKey) => ({
  body: toJson(showKey(key)),
  revision: versionOf(key),
  isMoving: true,
});

export const apiKeyHandlers = (deps: Deps): Handlers['apiKeys'] => ({
  list: ({ query }) =>
    listPage(deps.store, apiKeys, {
      query,
      filters: {},
      plural: 'api_keys',
      show: ({ doc }) => toJson(showKey(doc)),
    }),

  create: async ({ body }, call) => {
    const now = deps.clock.now();
    const expiresAt = body.expires_at === undefined ? undefined : checkExpiry(body.expires_at, now);
    refuseWider(call.principal, body.scopes, 'An API key');
    return call.transact(async (tx) => {
      const key = newSecret('gk', deps.random);
      const doc: StoredApiKey = {
        id: deps.ids.next('key'),
        name: body.name,
        user_id: deps.ids.next('user'),
        ...makerOf(call.principal),
        scopes: [...new Set(body.scopes)],
        key_hint: hintOf(key),
        hash: hashSecret(key),
        created_at: timestamp(now),
        ...defined({ expires_at: expiresAt }),
      };
      await tx.insert(apiKeys, doc);
      await recordAudit(deps, tx, call.actor, 'api_key.create', doc.id);
      await announceKey(deps, tx, doc);
      return {
        body: toJson({ ...showKey(doc), key }),
        revision: versionOf(doc),
        headers: { Location: `/v1/api-keys/${doc.id}` },
      };
    });
  },

  get: ({ params }) => whenKnown(readKey(deps.store, params.id), answerKey),

  update: async ({ params, body }, call) =>
    call.transact(async (tx) =>
      answerKey(await updateKey(deps, tx, call, { id: params.id, update: body })),
    ),

  delete: async ({ params }, call) =>
    call.transact(async (tx) => {
      call.checkMatch(versionOf(await readKey(tx, params.id)));
      await tx.remove(apiKeys, params.id);
      await recordAudit(deps, tx, call.actor, 'api_key.delete', params.id);
      return { body: undefined };
    }),
});

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

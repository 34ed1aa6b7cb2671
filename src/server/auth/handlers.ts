import { GovctlError } from '../../contract/errors.ts';
import { recordAudit } from '../audit/service.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { toJson } from '../json.ts';
import { listPage } from '../http/paging.ts';
import type { Tx } from '../store/store.ts';
import { announceKey, showKey } from './announce.ts';
import { accessTokens, apiKeys, oauthClients } from './collections.ts';
import type { StoredApiKey, StoredOauthClient } from './collections.ts';
import { hashSecret, hintOf, newSecret } from './secrets.ts';

const showClient = ({ hash: _h, scopes, ...client }: StoredOauthClient) => ({
  ...client,
  client_id: client.id,
  scopes: [...scopes],
});

const missing = (what: string, id: string): GovctlError =>
  new GovctlError('not_found', `There is no ${what} ${id.slice(0, 100)}`);

export const apiKeyHandlers = (deps: Deps): Handlers['apiKeys'] => ({
  list: ({ query }) =>
    listPage(deps.store, apiKeys, query, {}, 'api_keys', ({ doc }) => toJson(showKey(doc))),

  create: async ({ body }, call) => {
    const now = deps.clock.now();
    if (body.expires_at !== undefined && Date.parse(body.expires_at) <= now) {
      const message = 'must be in the future';
      throw new GovctlError('malformed_request', `The body is not valid: expires_at ${message}`, {
        details: [{ field: 'expires_at', message }],
      });
    }
    return call.transact(async (tx) => {
      const key = newSecret('gk', deps.random);
      const doc: StoredApiKey = {
        id: deps.ids.next('key'),
        name: body.name,
        user_id: deps.ids.next('user'),
        scopes: [...new Set(body.scopes)],
        key_hint: hintOf(key),
        hash: hashSecret(key),
        created_at: timestamp(now),
        ...(body.expires_at === undefined
          ? {}
          : { expires_at: timestamp(Date.parse(body.expires_at)) }),
      };
      await tx.insert(apiKeys, doc);
      await recordAudit(deps, tx, call.actor, 'api_key.create', doc.id);
      await announceKey(deps, tx, doc);
      return { body: toJson({ ...showKey(doc), key }) };
    });
  },

  delete: async ({ params }, call) =>
    call.transact(async (tx) => {
      if (!(await tx.get(apiKeys, params.id))) throw missing('API key', params.id);
      await tx.remove(apiKeys, params.id);
      await recordAudit(deps, tx, call.actor, 'api_key.delete', params.id);
      return { body: undefined };
    }),
});

export const oauthClientHandlers = (deps: Deps): Handlers['oauthClients'] => ({
  list: ({ query }) =>
    listPage(deps.store, oauthClients, query, {}, 'oauth_clients', ({ doc }) =>
      toJson(showClient(doc)),
    ),

  create: async ({ body }, call) =>
    call.transact(async (tx) => {
      const secret = newSecret('gcs', deps.random);
      const doc: StoredOauthClient = {
        id: deps.ids.next('oc'),
        name: body.name,
        user_id: deps.ids.next('user'),
        scopes: [...new Set(body.scopes)],
        secret_hint: hintOf(secret),
        hash: hashSecret(secret),
        created_at: timestamp(deps.clock.now()),
      };
      await tx.insert(oauthClients, doc);
      await recordAudit(deps, tx, call.actor, 'oauth_client.create', doc.id);
      return { body: toJson({ ...showClient(doc), client_secret: secret }) };
    }),

  delete: async ({ params }, call) =>
    call.transact(async (tx) => {
      if (!(await tx.get(oauthClients, params.id))) throw missing('OAuth client', params.id);
      await tx.remove(oauthClients, params.id);
      await revokeTokens(tx, params.id);
      await recordAudit(deps, tx, call.actor, 'oauth_client.delete', params.id);
      return { body: undefined };
    }),
});

async function revokeTokens(tx: Tx, clientId: string): Promise<void> {
  for (;;) {
    const { rows } = await tx.page(accessTokens, {
      where: { client_id: { any: [clientId] } },
      orderBy: 'expires_at',
      direction: 'asc',
      limit: 100,
    });
    if (rows.length === 0) return;
    for (const { doc } of rows) await tx.remove(accessTokens, doc.id);
  }
}

import * as z from 'zod';
import { ScopeSet } from './api-keys.ts';
import { Scope, endpoint } from './endpoint.ts';
import { ById, Timestamp, listEndpoint, listQuery } from './lists.ts';
import { notBlank } from './text.ts';

const OauthClientInput = z.strictObject({ name: notBlank(256), scopes: ScopeSet });

/** `client_secret` only in the answer of the creation. */
const OauthClient = z.looseObject({
  id: z.string(),
  client_id: z.string(),
  name: z.string(),
  user_id: z.string(),
  /** As of an API key. */
  made_by: z.string().optional(),
  scopes: z.array(Scope),
  secret_hint: z.string(),
  created_at: Timestamp,
});

/** Every scalar of a list's items. */
const oauthClientSortFields = [
  'created_at',
  'id',
  'client_id',
  'name',
  'user_id',
  'made_by',
  'secret_hint',
] as const;
export type OauthClientSortField = (typeof oauthClientSortFields)[number];

export const oauthClients = {
  list: listEndpoint({
    path: '/v1/oauth-clients',
    summary: 'List OAuth clients, without their secrets',
    scope: 'admin',
    ext: true,
    query: listQuery(oauthClientSortFields, {}),
    rows: { oauth_clients: z.array(OauthClient) },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/oauth-clients',
    summary: 'Create an OAuth client; the answer shows its secret once',
    scope: 'admin',
    ext: true,
    body: OauthClientInput,
    secret: true,
    response: { status: 201, body: OauthClient.extend({ client_secret: z.string() }) },
    errors: [],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/v1/oauth-clients/:id',
    summary: 'Remove an OAuth client and revoke its tokens',
    scope: 'admin',
    ext: true,
    params: ById,
    response: { status: 204 },
    errors: ['not_found'],
  }),
};

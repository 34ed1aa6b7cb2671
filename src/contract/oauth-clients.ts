import * as z from 'zod';
import { Rotation, ScopeSet } from './api-keys.ts';
import { Scope, endpoint } from './endpoint.ts';
import { ById, Timestamp, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { notBlank } from './text.ts';

const OauthClientInput = z.strictObject({ name: notBlank(256), scopes: ScopeSet });

/** A partial update. `scopes` may be sent back, but not changed. */
const OauthClientUpdate = z.strictObject({
  name: notBlank(256).optional(),
  scopes: ScopeSet.optional(),
  id: z.string().optional(),
  client_id: z.unknown().optional(),
  user_id: z.unknown().optional(),
  made_by: z.unknown().optional(),
  secret_hint: z.unknown().optional(),
  created_at: z.unknown().optional(),
  rotated_at: z.unknown().optional(),
  previous_secret_expires_at: z.unknown().optional(),
});
export type OauthClientUpdate = z.infer<typeof OauthClientUpdate>;

/** `client_secret` only in the answer of the creation, and of a rotation. */
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
  rotated_at: Timestamp.optional(),
  /** Until then, the secret from before the last rotation works, too. */
  previous_secret_expires_at: Timestamp.optional(),
});
export type OauthClient = z.infer<typeof OauthClient>;

const NewOauthClient = OauthClient.extend({ client_secret: z.string() });

/** Every scalar of a list's items. */
export const oauthClientSortFields = [
  'created_at',
  'id',
  'client_id',
  'name',
  'user_id',
  'made_by',
  'secret_hint',
  'rotated_at',
  'previous_secret_expires_at',
] as const;
export type OauthClientSortField = (typeof oauthClientSortFields)[number];

const noun = nounEndpoints({
  path: '/v1/oauth-clients',
  ext: true,
  scope: 'admin',
  answer: OauthClient,
  missing: 'oauth_client_not_found',
});

export const oauthClients = {
  list: noun.list({
    summary: 'List OAuth clients, without their secrets',
    query: listQuery(oauthClientSortFields, {}),
    rows: { oauth_clients: z.array(OauthClient) },
  }),
  create: {
    ...noun.create({
      summary: 'Create an OAuth client; the answer shows its secret once',
      body: OauthClientInput,
    }),
    secret: true,
    response: { status: 201, body: NewOauthClient },
  } as const,
  get: noun.get({ summary: 'Read an OAuth client, without its secret' }),
  update: noun.update({ summary: 'Rename an OAuth client', body: OauthClientUpdate }),
  delete: noun.delete({ summary: 'Remove an OAuth client and revoke its tokens' }),
  rotate: endpoint({
    method: 'POST',
    path: '/v1/oauth-clients/:id/rotate',
    summary: 'Replace the secret of an OAuth client; the answer shows the new one once',
    scope: 'admin',
    ext: true,
    params: ById,
    body: Rotation,
    versioned: true,
    secret: true,
    response: { status: 200, body: NewOauthClient },
    errors: ['oauth_client_not_found', 'precondition_failed'],
  }),
};

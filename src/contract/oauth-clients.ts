import * as z from 'zod';
import { Rotation, ScopeSet } from './api-keys.ts';
import { Scope, endpoint } from './endpoint.ts';
import { ById, Timestamp, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { notBlank } from './text.ts';

/** `authorization_code`: people log in to it, and it acts for them. `client_credentials`: it acts for itself. */
export const clientGrants = ['client_credentials', 'authorization_code', 'refresh_token'] as const;
const ClientGrant = z.enum(clientGrants);
export type ClientGrant = z.infer<typeof ClientGrant>;

/** Hosts of this machine alone, as URLs write them. `localhost` is a name, which could lead elsewhere. */
const loopbackHosts = ['127.0.0.1', '[::1]'];

/** What is wrong with an address that people are sent back to; undefined: nothing. */
function problemWithRedirect(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return 'must be a URL such as https://app.example.com/callback';
  const { protocol, hostname, username, password, href } = url;
  const isLoopback = loopbackHosts.includes(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) {
    return "must begin with https://, or with http://127.0.0.1 or http://[::1] for programs on the user's computer";
  }
  if (protocol === 'https:' && (isLoopback || hostname === 'localhost')) {
    return "must begin with http://127.0.0.1 or http://[::1] for programs on the user's computer, which have no certificate";
  }
  if (username !== '' || password !== '') return 'must not contain a user name or password';
  if (/[?#*]/.test(text)) return 'must not contain a query, a fragment or a wildcard';
  // What programs send is compared letter by letter: only one way to write it may be right.
  return href === text ? undefined : `must be written as ${href}`;
}

const RedirectUri = z
  .string()
  .max(2_000, { abort: true })
  .superRefine((text, context) => {
    const message = problemWithRedirect(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message, input: text });
  });
const RedirectUris = z.array(RedirectUri).min(1, 'must have at least one URI').max(20);

/** `redirect_uris`: where people are sent back to after they logged in to the client, which has the other grants then by default. */
const OauthClientInput = z
  .strictObject({
    name: notBlank(256),
    scopes: ScopeSet,
    redirect_uris: RedirectUris.optional(),
    grant_types: z.array(ClientGrant).min(1, 'must have at least one grant type').max(3).optional(),
    /** It can keep no secret, and has none: PKCE alone proves that it is the same. */
    public: z.boolean().optional(),
  })
  .superRefine(({ redirect_uris: uris, grant_types: grants, public: isPublic }, context) => {
    const wrong = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message, input: undefined });
    const logsPeopleIn = grants ? grants.includes('authorization_code') : uris !== undefined;
    if (logsPeopleIn !== (uris !== undefined)) {
      if (uris === undefined)
        wrong('redirect_uris', 'are required for the grant type authorization_code'); // prettier-ignore
      else wrong('grant_types', 'must include authorization_code if there are redirect_uris');
    }
    if (!logsPeopleIn && grants?.includes('refresh_token')) {
      wrong('grant_types', 'can include refresh_token only with authorization_code');
    }
    if (isPublic === true && (!logsPeopleIn || grants?.includes('client_credentials'))) {
      wrong('public', 'requires redirect_uris and no client_credentials: a client without a secret cannot authenticate itself'); // prettier-ignore
    }
  });
export type OauthClientInput = z.infer<typeof OauthClientInput>;

/** A partial update. `scopes`, `grant_types` and `public` may be sent back, but not changed. */
const OauthClientUpdate = z.strictObject({
  name: notBlank(256).optional(),
  redirect_uris: RedirectUris.optional(),
  scopes: ScopeSet.optional(),
  grant_types: z.unknown().optional(),
  public: z.unknown().optional(),
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
  /** At most; what it does for a person is also limited by what they may do. */
  scopes: z.array(Scope),
  grant_types: z.array(ClientGrant),
  redirect_uris: z.array(z.string()).optional(),
  public: z.literal(true).optional(),
  /** Absent: it is public. */
  secret_hint: z.string().optional(),
  created_at: Timestamp,
  rotated_at: Timestamp.optional(),
  /** Until then, the secret from before the last rotation works, too. */
  previous_secret_expires_at: Timestamp.optional(),
});
export type OauthClient = z.infer<typeof OauthClient>;

/** `client_secret` is absent of a public client. */
const NewOauthClient = OauthClient.extend({ client_secret: z.string().optional() });

/** Every scalar of a list's items. */
export const oauthClientSortFields = [
  'created_at',
  'id',
  'client_id',
  'name',
  'user_id',
  'made_by',
  'public',
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
      summary: 'Create an OAuth client; only this response contains its secret',
      body: OauthClientInput,
    }),
    secret: true,
    response: { status: 201, body: NewOauthClient },
  } as const,
  get: noun.get({ summary: 'Get an OAuth client, without its secret' }),
  update: noun.update({
    summary: 'Update the name or redirect URIs of an OAuth client',
    body: OauthClientUpdate,
  }),
  delete: noun.delete({ summary: 'Delete an OAuth client and revoke its tokens' }),
  rotate: endpoint({
    method: 'POST',
    path: '/v1/oauth-clients/:id/rotate',
    summary: 'Rotate the secret of an OAuth client; only this response contains the new secret',
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

import * as z from 'zod';
import { Scope, endpoint } from './endpoint.ts';
import {
  ById,
  Pagination,
  Timestamp,
  listQuery,
  offsetOrCursor,
  offsetOrCursorMessage,
} from './lists.ts';

/** RFC 6749 section 4.4.2; errors of this endpoint are RFC 6749's, not the catalogue's. */
export const TokenRequest = z.looseObject({
  grant_type: z.string(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  scope: z.string().optional(),
});
export type TokenRequest = z.infer<typeof TokenRequest>;

/** `expires_in` in seconds. */
export const TokenResponse = z.looseObject({
  access_token: z.string(),
  token_type: z.string(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
});
export type TokenResponse = z.infer<typeof TokenResponse>;

const tokenErrors = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
] as const;
export const TokenError = z.looseObject({
  error: z.enum(tokenErrors),
  error_description: z.string().optional(),
});
export type TokenError = z.infer<typeof TokenError>;

export const auth = {
  token: endpoint({
    method: 'POST',
    path: '/auth/token',
    summary: 'Exchange client credentials for an access token',
    scope: null,
    body: TokenRequest,
    bodyTypes: ['application/json', 'application/x-www-form-urlencoded'],
    maxBodyBytes: 64 * 1024,
    secret: true,
    response: { status: 200, body: TokenResponse },
    errors: ['rate_limit_exceeded'],
  }),
};

const PrincipalName = z
  .string()
  .min(1, { abort: true })
  .max(256, { abort: true })
  .regex(/\S/, 'must not be blank');
const ScopeSet = z.array(Scope).min(1, 'must name at least one scope').max(16);
const ApiKeyInput = z.strictObject({
  name: PrincipalName,
  scopes: ScopeSet,
  expires_at: Timestamp.optional(),
});

/** `id` key_…; `key` only in the answer of the creation; `key_hint` its last four characters. */
const ApiKey = z.looseObject({
  id: z.string(),
  name: z.string(),
  user_id: z.string(),
  scopes: z.array(Scope),
  key_hint: z.string(),
  created_at: Timestamp,
  expires_at: Timestamp.optional(),
  last_used_at: Timestamp.optional(),
});

const OauthClientInput = z.strictObject({ name: PrincipalName, scopes: ScopeSet });

/** `client_secret` only in the answer of the creation. */
const OauthClient = z.looseObject({
  id: z.string(),
  client_id: z.string(),
  name: z.string(),
  user_id: z.string(),
  scopes: z.array(Scope),
  secret_hint: z.string(),
  created_at: Timestamp,
});

/** Every scalar of a list's items. */
const apiKeySortFields = [
  'created_at',
  'id',
  'name',
  'user_id',
  'key_hint',
  'expires_at',
  'last_used_at',
] as const;
export type ApiKeySortField = (typeof apiKeySortFields)[number];

const oauthClientSortFields = [
  'created_at',
  'id',
  'client_id',
  'name',
  'user_id',
  'secret_hint',
] as const;
export type OauthClientSortField = (typeof oauthClientSortFields)[number];

const plainListQuery = <const Fields extends readonly ['created_at', ...string[]]>(
  sortFields: Fields,
) =>
  z
    .strictObject({
      ...listQuery(20),
      sort_by: z.enum(sortFields).default(() => 'created_at' as const),
    })
    .refine(offsetOrCursor, offsetOrCursorMessage);

export const apiKeys = {
  list: endpoint({
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'List API keys, without the keys themselves',
    scope: 'admin',
    ext: true,
    query: plainListQuery(apiKeySortFields),
    response: {
      status: 200,
      body: z.looseObject({ api_keys: z.array(ApiKey), pagination: Pagination }),
    },
    errors: [],
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/api-keys',
    summary: 'Create an API key; the answer shows it once',
    scope: 'admin',
    ext: true,
    body: ApiKeyInput,
    secret: true,
    response: { status: 201, body: ApiKey.extend({ key: z.string() }) },
    errors: [],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    summary: 'Revoke an API key',
    scope: 'admin',
    ext: true,
    params: ById,
    response: { status: 204 },
    errors: ['not_found'],
  }),
};

export const oauthClients = {
  list: endpoint({
    method: 'GET',
    path: '/v1/oauth-clients',
    summary: 'List OAuth clients, without their secrets',
    scope: 'admin',
    ext: true,
    query: plainListQuery(oauthClientSortFields),
    response: {
      status: 200,
      body: z.looseObject({ oauth_clients: z.array(OauthClient), pagination: Pagination }),
    },
    errors: [],
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

/** One entry for each change and each sign-in. `sequence` is commit order. */
const AuditEntry = z.looseObject({
  id: z.string(),
  sequence: z.int(),
  at: Timestamp,
  actor: z.string(),
  via: z.string(),
  action: z.string(),
  subject: z.string(),
  changes: z.array(z.string()).optional(),
  request_id: z.string(),
});

const auditSortFields = [
  'sequence',
  'id',
  'at',
  'actor',
  'via',
  'action',
  'subject',
  'request_id',
] as const;
export type AuditSortField = (typeof auditSortFields)[number];

export const auditLog = {
  list: endpoint({
    method: 'GET',
    path: '/v1/audit-log',
    summary: 'List who changed what and when',
    scope: 'admin',
    ext: true,
    query: z
      .strictObject({
        ...listQuery(20),
        sort_by: z.enum(auditSortFields).default('sequence'),
        actor: z.string().max(256).optional(),
        action: z.string().max(256).optional(),
        subject: z.string().max(256).optional(),
      })
      .refine(offsetOrCursor, offsetOrCursorMessage),
    response: {
      status: 200,
      body: z.looseObject({ audit_log: z.array(AuditEntry), pagination: Pagination }),
    },
    errors: [],
  }),
};

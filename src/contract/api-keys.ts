import * as z from 'zod';
import { Scope, endpoint } from './endpoint.ts';
import { ById, Timestamp, listEndpoint, listQuery } from './lists.ts';
import { notBlank } from './text.ts';

export const ScopeSet = z.array(Scope).min(1, 'must name at least one scope').max(16);
const ApiKeyInput = z.strictObject({
  name: notBlank(256),
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

export const apiKeys = {
  list: listEndpoint({
    path: '/v1/api-keys',
    summary: 'List API keys, without the keys themselves',
    scope: 'admin',
    ext: true,
    query: listQuery(apiKeySortFields, {}),
    rows: { api_keys: z.array(ApiKey) },
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

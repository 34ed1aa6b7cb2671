import * as z from 'zod';
import { Scope } from './endpoint.ts';
import { Timestamp, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { notBlank } from './text.ts';

export const ScopeSet = z.array(Scope).min(1, 'must name at least one scope').max(16);
const ApiKeyInput = z.strictObject({
  name: notBlank(256),
  scopes: ScopeSet,
  expires_at: Timestamp.optional(),
});

/**
 * A partial update: fields left out stay, null removes the expiry. `scopes` may be sent back, but not changed.
 */
const ApiKeyUpdate = z.strictObject({
  name: notBlank(256).optional(),
  expires_at: Timestamp.nullish(),
  scopes: ScopeSet.optional(),
  id: z.string().optional(),
  user_id: z.unknown().optional(),
  made_by: z.unknown().optional(),
  key_hint: z.unknown().optional(),
  created_at: z.unknown().optional(),
  last_used_at: z.unknown().optional(),
});
export type ApiKeyUpdate = z.infer<typeof ApiKeyUpdate>;

/** `id` is `key_…`; `key` is only in the response to its creation; `key_hint` is the last four characters. */
const ApiKey = z.looseObject({
  id: z.string(),
  name: z.string(),
  user_id: z.string(),
  /** Who is behind it: the `user_id` of who made it, or who is behind that. Absent: not known. */
  made_by: z.string().optional(),
  scopes: z.array(Scope),
  key_hint: z.string(),
  created_at: Timestamp,
  expires_at: Timestamp.optional(),
  last_used_at: Timestamp.optional(),
});

export type ApiKey = z.infer<typeof ApiKey>;

/** Every scalar of a list's items. */
export const apiKeySortFields = [
  'created_at',
  'id',
  'name',
  'user_id',
  'made_by',
  'key_hint',
  'expires_at',
  'last_used_at',
] as const;
export type ApiKeySortField = (typeof apiKeySortFields)[number];

const noun = nounEndpoints({
  path: '/v1/api-keys',
  ext: true,
  scope: 'admin',
  answer: ApiKey,
  missing: 'api_key_not_found',
});

export const apiKeys = {
  list: noun.list({
    summary: 'List API keys, without the keys themselves',
    query: listQuery(apiKeySortFields, {}),
    rows: { api_keys: z.array(ApiKey) },
  }),
  create: {
    ...noun.create({ summary: 'Create an API key; the answer shows it once', body: ApiKeyInput }),
    secret: true,
    response: { status: 201, body: ApiKey.extend({ key: z.string() }) },
  } as const,
  get: noun.get({ summary: 'Read an API key, without the key itself' }),
  update: noun.update({
    summary: 'Update the name or expiry of an API key; null removes the expiry',
    body: ApiKeyUpdate,
  }),
  delete: noun.delete({ summary: 'Revoke an API key' }),
};

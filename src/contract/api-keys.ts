import * as z from 'zod';
import { countryCodes } from './country-codes.ts';
import { Scope, endpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { ById, Timestamp, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { notBlank } from './text.ts';

export const ScopeSet = z.array(Scope).min(1, 'must include at least one scope').max(16);

/** Seconds for which the previous secret still works after a rotation: a day, and at most 30 days. */
const defaultOverlap = 86_400;
export const longestOverlap = 30 * 86_400;

/** The body of a rotation; `overlap_seconds` 0 ends the previous secret at once. */
export const Rotation = z.strictObject({
  overlap_seconds: z.int().min(0).max(longestOverlap).default(defaultOverlap),
});

const AddressRange = z.union([z.cidrv4(), z.cidrv6()], {
  error: 'must be an address range such as 203.0.113.0/24, or 203.0.113.7/32 for one address',
});
const Country = z
  .string()
  .refine((code) => countryCodes.has(code), 'must be a two-letter ISO 3166 code, such as DE');

/** Where requests with the key may come from. */
const ranges = z.array(AddressRange).min(1, 'must have at least one address range').max(100);
const countries = z.array(Country).min(1, 'must have at least one country').max(250);

const ApiKeyInput = z.strictObject({
  name: notBlank(256),
  scopes: ScopeSet,
  expires_at: Timestamp.optional(),
  ip_allow_list: ranges.optional(),
  countries: countries.optional(),
  require_signature: z.boolean().optional(),
});
export type ApiKeyInput = z.infer<typeof ApiKeyInput>;

/**
 * A partial update: fields left out stay, null removes an expiry or a list. `scopes` may be sent back, but not changed.
 * `require_signature` can only be ended: to begin it, the key is rotated, as somebody must be shown the signing secret.
 */
const ApiKeyUpdate = z.strictObject({
  name: notBlank(256).optional(),
  expires_at: Timestamp.nullish(),
  ip_allow_list: ranges.nullish(),
  countries: countries.nullish(),
  require_signature: z.boolean().nullish(),
  scopes: ScopeSet.optional(),
  id: z.string().optional(),
  user_id: z.unknown().optional(),
  made_by: z.unknown().optional(),
  key_hint: z.unknown().optional(),
  created_at: z.unknown().optional(),
  rotated_at: z.unknown().optional(),
  previous_key_expires_at: z.unknown().optional(),
  disabled_at: z.unknown().optional(),
  last_used_at: z.unknown().optional(),
  last_used_ip: z.unknown().optional(),
});
export type ApiKeyUpdate = z.infer<typeof ApiKeyUpdate>;

/** Rotate with, or from now on with, signed requests. */
const ApiKeyRotation = Rotation.extend({ require_signature: z.boolean().optional() });
export type ApiKeyRotation = z.infer<typeof ApiKeyRotation>;

/** `id` is `key_…`; `key` is only in the response to its creation; `key_hint` is the last four characters. */
const ApiKey = z.looseObject({
  id: z.string(),
  name: z.string(),
  user_id: z.string(),
  /** Who is behind it: the `user_id` of who made or rotated it, or who is behind that. Absent: not known. */
  made_by: z.string().optional(),
  scopes: z.array(Scope),
  key_hint: z.string(),
  created_at: Timestamp,
  expires_at: Timestamp.optional(),
  /** Of the server's own key, once the first owner has signed in. */
  disabled_at: Timestamp.optional(),
  ip_allow_list: z.array(z.string()).optional(),
  countries: z.array(z.string()).optional(),
  /** Requests with it must be signed. */
  require_signature: z.boolean().optional(),
  rotated_at: Timestamp.optional(),
  /** Until then, the key from before the last rotation works, too. */
  previous_key_expires_at: Timestamp.optional(),
  last_used_at: Timestamp.optional(),
  last_used_ip: z.string().optional(),
});

export type ApiKey = z.infer<typeof ApiKey>;

/** The response that shows it once. */
const NewApiKey = ApiKey.extend({
  key: z.string(),
  /** What requests are signed with, where it requires signatures. */
  signing_secret: z.string().optional(),
});

/** Every scalar of a list's items. */
export const apiKeySortFields = [
  'created_at',
  'id',
  'name',
  'user_id',
  'made_by',
  'key_hint',
  'expires_at',
  'disabled_at',
  'require_signature',
  'rotated_at',
  'previous_key_expires_at',
  'last_used_at',
  'last_used_ip',
] as const;
export type ApiKeySortField = (typeof apiKeySortFields)[number];

const noun = nounEndpoints({
  path: '/v1/api-keys',
  ext: true,
  scope: 'admin',
  answer: ApiKey,
  missing: 'api_key_not_found',
});

const own = <const E extends Endpoint>(row: E) => ({ ...row, ownForPeople: true }) as const;

/** People manage their own keys: those that are bound to them. Only `admin` reaches those of others. */
export const apiKeys = {
  list: own(
    noun.list({
      summary: 'List API keys, without the keys themselves',
      query: listQuery(apiKeySortFields, {
        /** The user to whom they are bound, by ID or email address. */
        bound_to: z.string().max(256).optional(),
      }),
      rows: { api_keys: z.array(ApiKey) },
    }),
  ),
  create: own({
    ...noun.create({
      summary: 'Create an API key; only this response contains the key',
      body: ApiKeyInput,
    }),
    secret: true,
    response: { status: 201, body: NewApiKey },
  }),
  get: own(noun.get({ summary: 'Get the details of an API key; the key itself is not returned' })),
  update: own(
    noun.update({
      summary: 'Update the name, expiry or restrictions of an API key; null removes a value',
      body: ApiKeyUpdate,
    }),
  ),
  delete: own(noun.delete({ summary: 'Revoke an API key' })),
  rotate: own(
    endpoint({
      method: 'POST',
      path: '/v1/api-keys/:id/rotate',
      summary: 'Rotate the secret of an API key; only this response contains the new key',
      scope: 'admin',
      ext: true,
      params: ById,
      body: ApiKeyRotation,
      versioned: true,
      secret: true,
      response: { status: 200, body: NewApiKey },
      errors: ['api_key_not_found', 'precondition_failed'],
    }),
  ),
};

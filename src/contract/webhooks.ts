import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { EventType } from './events.ts';
import { ById, Timestamp, commaListOf, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { Severity, Tags, serverAssigned } from './policies.ts';
import { WebhookHeaders } from './webhook-headers.ts';

const label = z.string().min(1).max(256);

/** Which of the types in `events` are sent; a list that is absent or empty restricts nothing. */
const WebhookFilters = z.strictObject({
  severity: z.array(Severity).max(4).optional(),
  environments: z.array(label).max(100).optional(),
  cloud_providers: z.array(label).max(100).optional(),
});

export const RetryConfig = z.strictObject({
  /** All attempts, the first one included; absent: retried for 24 hours. */
  max_attempts: z.int().min(1).max(20).optional(),
  /** Default 2. */
  backoff_multiplier: z.number().min(1).max(10).optional(),
});
export type RetryConfig = z.infer<typeof RetryConfig>;

/** Characters. */
export const minSecretLength = 8;

export const webhookSecret = z
  .string()
  .min(minSecretLength, `must have at least ${minSecretLength} characters`)
  .max(1_024)
  .refine((secret) => !/^whsec_=*$/.test(secret), 'must have a key after whsec_')
  // In UTF-8, all unpaired surrogates become the same bytes.
  .refine((secret) => !/\p{Surrogate}/u.test(secret), 'must not contain unpaired surrogates');

/** What the service itself refuses beyond this (private targets, http) depends on how it was started. */
const fields = {
  url: z.string().min(1).max(2_048),
  events: z
    .array(EventType)
    .min(1, 'must include at least one event type')
    .max(100)
    .refine((types) => new Set(types).size === types.length, 'has duplicate event types'),
  secret: webhookSecret,
  active: z.boolean(),
  filters: WebhookFilters,
  retry_config: RetryConfig,
  /** Seconds; default 30. */
  timeout_seconds: z.int().min(1).max(30),
  headers: WebhookHeaders,
  // Extensions of our server.
  name: label,
  tags: Tags,
};

const optionalFields = {
  active: fields.active.optional(),
  filters: fields.filters.optional(),
  retry_config: fields.retry_config.optional(),
  timeout_seconds: fields.timeout_seconds.optional(),
  headers: fields.headers.optional(),
  name: fields.name.optional(),
  tags: fields.tags.optional(),
};

export const WebhookInput = z.strictObject({
  url: fields.url,
  events: fields.events,
  secret: fields.secret,
  ...optionalFields,
});
export type WebhookInput = z.infer<typeof WebhookInput>;

const LastDelivery = z.looseObject({
  id: z.string(),
  event_type: z.string(),
  status: z.string(),
  at: Timestamp,
  response_status: z.int().optional(),
  error: z.string().optional(),
});

/** Events that waited for too long, or were too many, and are not delivered. The next success ends the count. */
export const DroppedEvents = z.looseObject({
  events: z.int().min(1),
  since: Timestamp,
  last_at: Timestamp,
  ended_at: Timestamp.optional(),
});
export type DroppedEvents = z.infer<typeof DroppedEvents>;

/** What the service answers beside what it was given; sent back in a PUT, it is ignored. */
export const answeredOnly = {
  secret_hint: z.unknown().optional(),
  previous_secret_expires_at: z.unknown().optional(),
  status: z.unknown().optional(),
  disabled_at: z.unknown().optional(),
  disabled_reason: z.unknown().optional(),
  failing_since: z.unknown().optional(),
  last_delivery: z.unknown().optional(),
  waiting: z.unknown().optional(),
  dropped: z.unknown().optional(),
};

/** A partial update: fields left out stay, null clears an optional one; `secret` rotates it. */
const WebhookUpdate = z.strictObject({
  url: fields.url.optional(),
  events: fields.events.optional(),
  secret: fields.secret.optional(),
  active: fields.active.nullish(),
  filters: fields.filters.nullish(),
  retry_config: fields.retry_config.nullish(),
  timeout_seconds: fields.timeout_seconds.nullish(),
  headers: fields.headers.nullish(),
  name: fields.name.nullish(),
  tags: fields.tags.nullish(),
  ...serverAssigned,
  ...answeredOnly,
});
export type WebhookUpdate = z.infer<typeof WebhookUpdate>;

/** The `disabled_reason` of one that somebody paused; any other is the service's own, which gave up on it. */
export const pausedByUser = 'paused by a user';

const webhookStatuses = ['active', 'disabled'] as const;

export const AnsweredWebhook = z.looseObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  ...optionalFields,
  // Another service may leave out, or say more than, what ours says.
  filters: z.looseObject({}).optional(),
  retry_config: z.looseObject({}).optional(),
  /** The last four characters. */
  secret_hint: z.string().optional(),
  /** Until then, deliveries carry a signature with the previous secret, too. */
  previous_secret_expires_at: Timestamp.optional(),
  status: z.enum(webhookStatuses).optional(),
  disabled_at: Timestamp.optional(),
  disabled_reason: z.string().optional(),
  /** The first failure since the last success. */
  failing_since: Timestamp.optional(),
  last_delivery: LastDelivery.optional(),
  /** Events in its queue. */
  waiting: z.int().min(0).optional(),
  dropped: DroppedEvents.optional(),
  created_at: Timestamp.optional(),
  updated_at: Timestamp.optional(),
  created_by: z.string().optional(),
});
export type AnsweredWebhook = z.infer<typeof AnsweredWebhook>;

/** The list has no query in the service's description; these are extensions. */
const WebhookListQuery = listQuery(
  ['created_at', 'updated_at', 'id', 'url', 'name'],
  { status: commaListOf(z.enum(webhookStatuses)).optional() },
  100,
);

const noun = nounEndpoints({
  path: '/v1/webhooks',
  answer: AnsweredWebhook,
  missing: 'webhook_not_found',
});

export const webhooks = {
  list: noun.list({
    summary: 'List webhooks',
    query: WebhookListQuery,
    rows: { webhooks: z.array(AnsweredWebhook) },
  }),
  create: noun.create({
    summary: 'Create a webhook',
    body: WebhookInput,
    errors: ['invalid_webhook'],
  }),
  get: noun.get({ summary: 'Get a webhook' }),
  update: noun.update({
    summary: 'Update a webhook; active pauses or resumes it, secret rotates its signing secret',
    body: WebhookUpdate,
    errors: ['invalid_webhook'],
  }),
  delete: noun.delete({ summary: 'Delete a webhook, its queue and its deliveries' }),
  test: endpoint({
    method: 'POST',
    path: '/v1/webhooks/:id/test',
    summary: 'Send a test event now, outside the queue',
    scope: 'compliance:write',
    params: ById,
    body: z.strictObject({ event_type: EventType }),
    response: {
      status: 200,
      body: z.looseObject({
        event_id: z.string(),
        delivery_id: z.string(),
        delivered: z.boolean(),
        response_status: z.int().optional(),
        duration_ms: z.number(),
        error: z.string().optional(),
      }),
    },
    errors: ['webhook_not_found', 'invalid_webhook'],
  }),
};

import * as z from 'zod';
import { absentIfOdd, webhookObjects } from '../../client/objects.ts';
import type { ObjectsOf } from '../../client/objects.ts';
import { pausedByUser } from '../../contract/webhooks.ts';

const LastDelivery = z.looseObject({
  id: absentIfOdd(z.string()),
  event_type: absentIfOdd(z.string()),
  status: absentIfOdd(z.string()),
  at: absentIfOdd(z.string()),
  response_status: absentIfOdd(z.number()),
  error: absentIfOdd(z.string()),
});

/** Some servers say null for a field that has no value, and some echo the secret: neither goes any further. */
const withoutSecret = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value).filter(
          ([name, field]) => field !== null && name !== 'secret' && name !== 'previous_secret',
        ),
      )
    : value;

/** A webhook of any server, as it is shown: all that ours says, and nothing required that the description leaves open. */
const ShownWebhook = z.looseObject({
  id: z.string().min(1),
  url: z.string(),
  events: z.array(z.string()).catch([]),
  name: absentIfOdd(z.string()),
  active: absentIfOdd(z.boolean()),
  status: absentIfOdd(z.string()),
  filters: absentIfOdd(z.record(z.string(), z.array(z.string()).optional().catch(undefined))),
  retry_config: absentIfOdd(
    z.looseObject({
      max_attempts: absentIfOdd(z.number()),
      backoff_multiplier: absentIfOdd(z.number()),
    }),
  ),
  timeout_seconds: absentIfOdd(z.number()),
  headers: absentIfOdd(z.record(z.string(), z.string())),
  tags: absentIfOdd(z.array(z.string())),
  secret_hint: absentIfOdd(z.string()),
  previous_secret_expires_at: absentIfOdd(z.string()),
  disabled_at: absentIfOdd(z.string()),
  disabled_reason: absentIfOdd(z.string()),
  failing_since: absentIfOdd(z.string()),
  last_delivery: absentIfOdd(LastDelivery),
  waiting: absentIfOdd(z.number()),
  dropped: absentIfOdd(
    z.looseObject({ events: z.number(), since: z.string(), ended_at: absentIfOdd(z.string()) }),
  ),
  created_at: absentIfOdd(z.string()),
  updated_at: absentIfOdd(z.string()),
  created_by: absentIfOdd(z.string()),
});
export type ShownWebhook = z.infer<typeof ShownWebhook>;

export const shownWebhooks: ObjectsOf<ShownWebhook> = {
  ...webhookObjects,
  item: z.preprocess(withoutSecret, ShownWebhook),
};

/** As people tell them apart: `failing` is active without a success since a failure, `disabled` by the service. */
export const webhookStates = ['active', 'failing', 'paused', 'disabled'] as const;
export type WebhookState = (typeof webhookStates)[number];

export function stateOf(webhook: ShownWebhook): WebhookState {
  if (isActive(webhook)) return webhook.failing_since === undefined ? 'active' : 'failing';
  const { disabled_reason: reason, disabled_at: at, status } = webhook;
  // A server that says no more than `active: false` was asked to.
  const wasAsked = reason === pausedByUser || (reason ?? at ?? status) === undefined;
  return wasAsked ? 'paused' : 'disabled';
}

/** On any server: `status` is an extension. */
export const isActive = ({ status, active }: ShownWebhook): boolean =>
  status === undefined ? active !== false : status === 'active';

/** Whether events that wait for it are being dropped: none was delivered since. */
export const isDropping = ({ dropped }: ShownWebhook): boolean =>
  dropped !== undefined && dropped.ended_at === undefined;

/** As a person knows it. */
export const nameOf = ({ name, url }: ShownWebhook): string => name ?? url;

/** `https://Example.com` and `https://example.com/` are one. */
export const sameUrl = (text: string): string => (URL.canParse(text) ? new URL(text).href : text);

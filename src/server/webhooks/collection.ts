import { DroppedEvents, WebhookInput } from '../../contract/webhooks.ts';
import type { CollectionSpec, LaneSpec } from '../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { HttpUrl, Id, Key, shape } from '../shape.ts';

/** A webhook as stored: what is answered but for what is looked up, and its sealed secrets. */
export interface StoredWebhook extends Omit<WebhookInput, 'secret'> {
  readonly id: string;
  readonly active: boolean;
  /** Sealed with the server's key, see keys/. */
  readonly secret: string;
  readonly secret_hint: string;
  readonly previous_secret?: string;
  readonly previous_secret_expires_at?: string;
  readonly disabled_at?: string;
  readonly disabled_reason?: string;
  readonly failing_since?: string;
  /** Failed attempts since then, as far as they decide whether it is disabled. Absent beside `failing_since`: enough. */
  readonly failures?: number;
  /** Events that are not delivered: since the first of them, until the next success. */
  readonly dropped?: DroppedEvents;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
}

export const webhooks: CollectionSpec<StoredWebhook> = {
  name: 'webhooks',
  index: {
    /** The types it gets, whether it is active or not: a paused one's events wait. */
    events: ({ events }) => events,
    status: ({ active }) => (active ? 'active' : 'disabled'),
  },
  order: {
    created_at: ({ created_at: at }) => at,
    updated_at: ({ updated_at: at }) => at,
    id: ({ id }) => id,
    url: ({ url }) => url.slice(0, 256),
    name: ({ name }) => name,
  },
};

/** One lane for each webhook, under its id; the work is the id of an event, or of a delivery that is sent again. */
export const webhookLanes: LaneSpec = {
  name: 'webhooks',
  // An hour, see outbound/retry.ts, and a minute more, as clocks are put right by a little all the time.
  longestPause: 61 * 60_000,
};

export const webhookShape = shape<StoredWebhook>({
  ...WebhookInput.omit({ secret: true, active: true }).shape,
  id: Id,
  url: HttpUrl,
  active: z.boolean(),
  secret: z.string().min(1),
  secret_hint: z.string(),
  previous_secret: z.string().min(1).optional(),
  previous_secret_expires_at: Timestamp.optional(),
  disabled_at: Timestamp.optional(),
  disabled_reason: z.string().optional(),
  failing_since: Timestamp.optional(),
  failures: z.int().min(1).optional(),
  dropped: DroppedEvents.optional(),
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: Key,
});

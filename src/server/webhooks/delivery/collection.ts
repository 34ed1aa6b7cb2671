import { EventType } from '../../../contract/events.ts';
import { DeliveryStatus, deliveryStatuses } from '../../../contract/webhook-deliveries.ts';
import type { CollectionSpec, Where } from '../../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../../contract/lists.ts';
import { Count, Id, Moment, shape } from '../../shape.ts';

/** An attempt as stored: what can be said of it from the rest of the row is left out. */
export interface StoredAttempt {
  /** From 1. */
  readonly number: number;
  readonly at: string;
  readonly duration_ms: number;
  /** The version of govctl that sent it. */
  readonly agent: string;
  /** Names of the custom headers that it had. */
  readonly custom?: readonly string[];
  readonly response_status?: number;
  /** But for those that any answer has. */
  readonly response_headers?: Readonly<Record<string, string>>;
  /** The first KiB. Where there was more, it is a row of its own as long as it is kept. */
  readonly response_body?: string;
  readonly response_truncated?: true;
  readonly error?: string;
}

/** Where a delivery stands that has not ended. */
interface Pending {
  /** The place in its lane, where the work there is its event. */
  readonly position?: number;
  /** Attempts that came before it was sent again. */
  readonly before?: number;
  /** When its first attempt was, later by the time that its webhook was paused since; in milliseconds since the epoch. */
  readonly first_at?: number;
  readonly next_attempt_at?: string;
}

/** What was sent to a webhook for an event: there from its first attempt on. */
export interface StoredDelivery {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: EventType;
  readonly status: DeliveryStatus;
  readonly test?: true;
  /** What a test sent, as its event is not stored. */
  readonly request_body?: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly pending?: Pending;
  /** The newest ones. */
  readonly attempts: readonly StoredAttempt[];
}

export const attemptCountOf = ({ attempts }: StoredDelivery): number =>
  attempts.at(-1)?.number ?? 0;

/** Values under which rows of one webhook are found, without looking at those of others. */
export const within = (webhookId: string, value: string): string => `${webhookId} ${value}`;

/** The condition for those of a webhook, whatever became of them or in one of these states. */
export const ofWebhook = (
  id: string,
  statuses: readonly DeliveryStatus[] = deliveryStatuses,
): { readonly status: Where } => ({ status: { any: statuses.map((one) => within(id, one)) } });

export const deliveries: CollectionSpec<StoredDelivery> = {
  name: 'deliveries',
  unique: { position: ({ pending }) => pending?.position?.toString() },
  index: {
    status: ({ webhook_id: id, status }) => within(id, status),
    event_type: ({ webhook_id: id, event_type: type }) => within(id, type),
    /** What is forgotten otherwise than by its webhook's number: what has ended, the failed ones of all, the tests of each. */
    kept: ({ status, test, webhook_id: id }) =>
      status === 'pending'
        ? undefined
        : ['ended', ...(test ? [id] : status === 'failed' ? ['failed'] : [])],
  },
  order: {
    created_at: ({ created_at: at }) => at,
    updated_at: ({ updated_at: at }) => at,
    ended_at: ({ status, updated_at: at }) => (status === 'pending' ? undefined : at),
    id: ({ id }) => id,
    event_type: ({ event_type: type }) => type,
    status: ({ status }) => status,
    attempt_count: attemptCountOf,
  },
};

/** What an attempt was answered, where that is more than the attempt itself holds. */
export interface StoredAnswer {
  /** Of the delivery and the attempt, see `answerId`. */
  readonly id: string;
  readonly webhook_id: string;
  readonly at: string;
  /** The first 64 KiB. */
  readonly body: string;
  /** There was more. */
  readonly truncated?: true;
}

export const answerId = (deliveryId: string, attempt: number): string => `${deliveryId}.${attempt}`;

export const answers: CollectionSpec<StoredAnswer> = {
  name: 'delivery_answers',
  index: { webhook: ({ webhook_id: id }) => id },
  order: { at: ({ at }) => at, id: ({ id }) => id },
};

export const deliveryShape = shape<StoredDelivery>({
  id: Id,
  webhook_id: Id,
  event_id: Id,
  event_type: EventType,
  status: DeliveryStatus,
  test: z.literal(true).optional(),
  request_body: z.string().optional(),
  created_at: Timestamp,
  updated_at: Timestamp,
  pending: shape<Pending>({
    position: Count.optional(),
    before: Count.optional(),
    first_at: Moment.optional(),
    next_attempt_at: Timestamp.optional(),
  }).optional(),
  attempts: z.array(
    shape<StoredAttempt>({
      number: z.int().min(1),
      at: Timestamp,
      duration_ms: z.number().min(0),
      agent: z.string(),
      custom: z.array(z.string()).optional(),
      response_status: z.int().min(100).max(999).optional(),
      response_headers: z.record(z.string(), z.string()).optional(),
      response_body: z.string().optional(),
      response_truncated: z.literal(true).optional(),
      error: z.string().optional(),
    }),
  ),
});

export const answerShape = shape<StoredAnswer>({
  id: z.string().min(1).max(128),
  webhook_id: Id,
  at: Timestamp,
  body: z.string(),
  truncated: z.literal(true).optional(),
});

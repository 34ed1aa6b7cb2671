import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { EventType } from './events.ts';
import { ById, Timestamp, commaListOf, listEndpoint, listQuery } from './lists.ts';

export const deliveryStatuses = ['pending', 'succeeded', 'failed'] as const;
export const DeliveryStatus = z.enum(deliveryStatuses);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

const Headers = z.record(z.string(), z.string());

const Attempt = z.looseObject({
  /** From 1. */
  number: z.int(),
  at: Timestamp,
  duration_ms: z.number(),
  /** Without signatures and without the values of custom headers. */
  request_headers: Headers,
  response_status: z.int().optional(),
  response_headers: Headers.optional(),
  /** The first 64 KiB, as UTF-8. */
  response_body: z.string().optional(),
  /** There was more of it, or it was not kept. */
  response_truncated: z.boolean().optional(),
  /** Why it counts as failed. */
  error: z.string().optional(),
});
export type Attempt = z.infer<typeof Attempt>;

const deliveryFields = {
  id: z.string(),
  webhook_id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  status: DeliveryStatus,
  /** Sent by the test endpoint. */
  test: z.boolean().optional(),
  attempt_count: z.int(),
  created_at: Timestamp,
  updated_at: Timestamp,
  /** While it is pending. */
  next_attempt_at: Timestamp.optional(),
  response_status: z.int().optional(),
  error: z.string().optional(),
};
const DeliveryItem = z.looseObject(deliveryFields);
export type DeliveryItem = z.infer<typeof DeliveryItem>;
const Delivery = z.looseObject({ ...deliveryFields, attempts: z.array(Attempt) });
export type Delivery = z.infer<typeof Delivery>;

const DeliveryListQuery = listQuery(
  ['created_at', 'updated_at', 'id', 'event_type', 'status', 'attempt_count'],
  { status: commaListOf(DeliveryStatus).optional(), event_type: commaListOf(EventType).optional() },
);
export type DeliveryListQuery = z.infer<typeof DeliveryListQuery>;

const OfDelivery = z.strictObject({ id: z.string(), delivery_id: z.string() });

/** Of the noun `webhooks`, too. */
export const deliveries = {
  listDeliveries: {
    ...listEndpoint({
      path: '/v1/webhooks/:id/deliveries',
      summary: 'List the deliveries of a webhook',
      ext: true,
      query: DeliveryListQuery,
      rows: { deliveries: z.array(DeliveryItem) },
      errors: ['webhook_not_found'],
    }),
    params: ById,
  },
  getDelivery: endpoint({
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries/:delivery_id',
    summary: 'Get a delivery with its attempts',
    scope: 'governance:read',
    ext: true,
    params: OfDelivery,
    response: { status: 200, body: Delivery },
    errors: ['webhook_not_found', 'delivery_not_found'],
  }),
  redeliver: endpoint({
    method: 'POST',
    path: '/v1/webhooks/:id/deliveries/:delivery_id/redeliver',
    summary: 'Queue a finished delivery again, after those already queued',
    scope: 'compliance:write',
    ext: true,
    params: OfDelivery,
    response: { status: 202, body: DeliveryItem },
    errors: ['webhook_not_found', 'delivery_not_found', 'delivery_not_ended'],
  }),
  redeliverFailed: endpoint({
    method: 'POST',
    path: '/v1/webhooks/:id/redeliver',
    summary: 'Queue all failed deliveries again, in event order',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    body: z.strictObject({ since: Timestamp.optional() }),
    response: { status: 202, body: z.looseObject({ redelivered: z.int() }) },
    errors: ['webhook_not_found'],
  }),
};

import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { ById, Timestamp, commaListOf, listEndpoint, listQuery } from './lists.ts';

/** Types whose envelope has the form {event, timestamp, webhook_id, data}; all others have {id, type, created, data}. */
export const formBTypes = [
  'policy.violation.detected',
  'compliance.score.changed',
  'cost.anomaly.detected',
  'budget.threshold.exceeded',
] as const;

export const eventTypes = [
  'policy.violation.created',
  'policy.violation.resolved',
  'policy.deployment.completed',
  'policy.enforcement.failed',
  'policy.quarantined',
  'compliance.status.changed',
  'compliance.report.generated',
  'compliance.audit.started',
  'compliance.framework.updated',
  'scan.completed',
  'scan.failed',
  'resource.discovered',
  'resource.changed',
  'user.login',
  'user.policy.exemption',
  'user.role.changed',
  'api.key.created',
  'api.key.expiring',
  'audit.head',
  'webhook.events.dropped',
  ...formBTypes,
] as const;
export const EventType = z.enum(eventTypes);
export type EventType = z.infer<typeof EventType>;

/** Their data say what was spent: they are for who may see costs. */
export const costEventTypes = ['cost.anomaly.detected', 'budget.threshold.exceeded'] as const;

export const isOfCost = (type: EventType): boolean =>
  (costEventTypes as readonly EventType[]).includes(type);

export const isFormB = (type: EventType): type is (typeof formBTypes)[number] =>
  (formBTypes as readonly string[]).includes(type);

const data = z.record(z.string(), z.unknown());

/** An event as the list has it: `sequence` counts commits' events, 1, 2, 3 … without gaps. */
export const AnsweredEvent = z.looseObject({
  id: z.string(),
  type: EventType,
  created: Timestamp,
  sequence: z.int().min(1),
  data,
});
export type AnsweredEvent = z.infer<typeof AnsweredEvent>;

/** What a webhook gets as its body, byte for byte; `webhook_id` is absent where no webhook was asked for. */
export const EventEnvelope = z.union([
  z.strictObject({ id: z.string(), type: EventType, created: Timestamp, data }),
  z.strictObject({
    event: EventType,
    timestamp: Timestamp,
    webhook_id: z.string().optional(),
    data,
  }),
]);
export type EventEnvelope = z.infer<typeof EventEnvelope>;

const EventListQuery = listQuery(['sequence', 'created', 'id', 'type'], {
  order: z.enum(['asc', 'desc']).default('asc'),
  type: commaListOf(EventType).optional(),
  /** From the first one on that was created then or later. */
  since: Timestamp.optional(),
}).refine(({ since, sort_by: field }) => since === undefined || field === 'sequence', {
  message: 'requires sort_by=sequence',
  path: ['since'],
});
export type EventListQuery = z.infer<typeof EventListQuery>;

const WebhookId = z.string().min(1).max(64);

/**
 * Queue events again: for one webhook whatever its events and filters, else for those that match. `since` up to, and
 * without, `until`.
 */
const EventReplay = z
  .strictObject({
    event_ids: z.array(z.string().min(1).max(64)).min(1).max(1_000).optional(),
    since: Timestamp.optional(),
    until: Timestamp.optional(),
    types: z.array(EventType).min(1).optional(),
    webhook_id: WebhookId.optional(),
  })
  .refine(({ event_ids: ids, since }) => (ids === undefined) !== (since === undefined), {
    message: 'use either event_ids or since',
    path: ['since'],
  })
  .refine(({ event_ids: ids, until, types }) => !ids || (until === undefined && !types), {
    message: 'cannot be used with until or types',
    path: ['event_ids'],
  });
export type EventReplay = z.infer<typeof EventReplay>;

const EventTrigger = z.strictObject({ type: EventType, data: data.optional() });

export const events = {
  list: listEndpoint({
    path: '/v1/events',
    summary: 'List events in the order in which they occurred',
    ext: true,
    query: EventListQuery,
    rows: { events: z.array(AnsweredEvent) },
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/events/:id',
    summary: 'Get an event as webhooks receive it',
    scope: 'governance:read',
    ext: true,
    params: ById,
    query: z.strictObject({ webhook_id: WebhookId.optional() }),
    response: { status: 200, body: EventEnvelope },
    errors: ['event_not_found'],
  }),
  replay: endpoint({
    method: 'POST',
    path: '/v1/events/replay',
    summary: 'Queue events for delivery again, after those already queued',
    scope: 'compliance:write',
    ext: true,
    body: EventReplay,
    response: {
      status: 202,
      /** `events` that were found, and how often one was queued: for each webhook that gets it. */
      body: z.looseObject({ events: z.int(), deliveries: z.int() }),
    },
    errors: ['event_not_found', 'webhook_not_found'],
  }),
  trigger: endpoint({
    method: 'POST',
    path: '/v1/events',
    summary: 'Create a sample event to test receivers; only on a local server',
    scope: 'compliance:write',
    ext: true,
    body: EventTrigger,
    response: { status: 201, body: AnsweredEvent },
    errors: ['not_local'],
  }),
};

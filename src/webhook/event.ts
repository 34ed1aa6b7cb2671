import type { eventTypes, formBTypes } from '../contract/events.ts';
import { WebhookVerificationError } from './failure.ts';

export type WebhookEventType = (typeof eventTypes)[number];

/** A resource that fails a policy. Fields beyond these may come. */
export interface ViolationData {
  readonly id: string;
  readonly policy_id: string;
  readonly policy_name: string;
  readonly resource_id: string;
  readonly resource_type: string;
  readonly severity: string;
  readonly status: string;
  readonly message: string;
  readonly detected_at: string;
  readonly account_id?: string;
  readonly region?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly compliance_frameworks?: readonly string[];
}

/** How a framework's status changed. */
export interface ComplianceData {
  readonly framework: string;
  readonly account_id?: string;
  readonly previous_score: number;
  readonly current_score: number;
  readonly status: string;
  readonly previous_status: string;
  readonly changed_controls: readonly {
    readonly control_id: string;
    readonly control_name: string;
    readonly previous_status: string;
    readonly current_status: string;
    readonly reason: string;
  }[];
  readonly assessment_date: string;
}

/** A scan that has ended. */
export interface ScanData {
  readonly id: string;
  readonly name?: string;
  readonly status: string;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly duration?: string;
  readonly resources_scanned: number;
  readonly violations_found: number;
  readonly compliance_score: number | null;
}

/** `data` of the types whose fields the service describes; of the others it is any object. */
interface KnownData {
  'policy.violation.created': { readonly violation: ViolationData };
  'policy.violation.resolved': { readonly violation: ViolationData };
  'policy.violation.detected': {
    readonly violation_id: string;
    readonly severity: string;
    readonly resource: string;
    readonly policy: string;
    readonly message: string;
  };
  'compliance.status.changed': { readonly compliance: ComplianceData };
  'scan.completed': { readonly scan: ScanData };
  'scan.failed': { readonly scan: ScanData };
}

/** `data` as the service says it is; only that it is an object was checked. */
export type WebhookEventData<T extends WebhookEventType> = T extends keyof KnownData
  ? KnownData[T]
  : Readonly<Record<string, unknown>>;

interface EventOf<T extends WebhookEventType> {
  /** A: `{id, type, created, data}`, B: `{event, timestamp, webhook_id, data}`. */
  readonly form: T extends (typeof formBTypes)[number] ? 'B' : 'A';
  /** Of the body, else of the signed `webhook-id`; the same in every attempt, so the key against duplicates. */
  readonly id: string | undefined;
  readonly type: T;
  /** ISO 8601, when it happened. */
  readonly created: string;
  readonly data: WebhookEventData<T>;
}

/** Tells its types apart by `type`. A service may send types beyond these: have a default branch. */
export type WebhookEvent = { [T in WebhookEventType]: EventOf<T> }[WebhookEventType];

/** What a body says, before the headers are heard. */
export interface ReadEvent {
  readonly event: WebhookEvent;
  /** Form B has it within what is signed. */
  readonly webhookId: string | undefined;
}

/**
 * The event of a body, in either form.
 * @throws WebhookVerificationError body_not_json, body_not_an_event
 */
export function readEvent(body: Uint8Array, messageId: string | undefined): ReadEvent {
  const fields = parseObject(body);
  const isB = fields.type === undefined && fields.event !== undefined;
  const [type, created] = isB ? [fields.event, fields.timestamp] : [fields.type, fields.created];
  const [id, webhookId] = [isB ? undefined : fields.id, isB ? fields.webhook_id : undefined];
  if (typeof type !== 'string' || typeof created !== 'string' || !isObject(fields.data)) {
    throw notAnEvent('type, created or data (or event, timestamp and data) is missing');
  }
  if (!isB && typeof id !== 'string') throw notAnEvent('the ID is not a string');
  return {
    // Of any type: those that are not known come through, as the doc says.
    event: {
      form: isB ? 'B' : 'A',
      id: typeof id === 'string' ? id : messageId,
      type,
      created,
      data: fields.data,
    } as unknown as WebhookEvent,
    webhookId: typeof webhookId === 'string' ? webhookId : undefined,
  };
}

function parseObject(body: Uint8Array): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch (cause) {
    throw new WebhookVerificationError(
      'body_not_json',
      'The signature is valid, but the body is not JSON. Check that this is a delivery of the governance service.',
      { cause },
    );
  }
  if (isObject(value)) return value;
  throw notAnEvent('not an object');
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const notAnEvent = (why: string): WebhookVerificationError =>
  new WebhookVerificationError(
    'body_not_an_event',
    `The signature is valid, but the body is not an event: ${why}`,
  );

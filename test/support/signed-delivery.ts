import { signBody, signMessage } from '../../src/webhook/sign.ts';

export const secret = 'a secret of the tests, long enough';

/** Seconds since the epoch. */
export const sentAt = Date.UTC(2026, 0, 15, 12) / 1_000;

export interface SignedDelivery {
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** A delivery as the service signs it. */
export function signedDelivery(
  event: unknown = violationCreated,
  options: { secret?: string; previous?: string; at?: number; id?: string } = {},
): SignedDelivery {
  const { secret: current = secret, previous, at = sentAt, id = 'evt_1' } = options;
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const signers = previous === undefined ? [current] : [current, previous];
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-Service-Signature': signBody(current, body),
      ...(previous === undefined
        ? {}
        : { 'X-Service-Signature-Previous': signBody(previous, body) }),
      'X-Service-Timestamp': String(at),
      'X-Service-Webhook-ID': 'wh_1',
      'X-Service-Event-ID': id,
      'X-Service-Delivery-Attempt': '1',
      'webhook-id': id,
      'webhook-timestamp': String(at),
      'webhook-signature': signers.map((one) => signMessage(one, id, at, body)).join(' '),
    },
  };
}

export const violationCreated = {
  id: 'evt_1',
  type: 'policy.violation.created',
  created: '2026-01-15T11:59:59.000Z',
  data: {
    violation: {
      id: 'viol_1',
      policy_id: 'pol_1',
      policy_name: 'private buckets',
      resource_id: 'arn:aws:s3:::logs',
      resource_type: 'AWS::S3::Bucket',
      severity: 'HIGH',
      status: 'OPEN',
      message: 'Make it private',
      detected_at: '2026-01-15T11:59:59.000Z',
    },
  },
};

export const violationDetected = {
  event: 'policy.violation.detected',
  timestamp: '2026-01-15T11:59:59.000Z',
  webhook_id: 'wh_1',
  data: {
    violation_id: 'viol_1',
    severity: 'high',
    resource: 'arn:aws:s3:::logs',
    policy: 'private buckets',
    message: 'Make it private',
  },
};

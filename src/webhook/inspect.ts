import { defined } from '../contract/defined.ts';
import { readEvent } from './event.ts';
import type { WebhookHeaders } from './headers.ts';
import { readHeaders } from './headers.ts';
import type { Expected, FoundSignature, SignatureScheme, SignedMessage } from './signatures.ts';
import { isUsable } from './sign.ts';
import { expectedOf, findSignatures, fits, headerNames } from './signatures.ts';

export interface SignatureFinding extends FoundSignature {
  /** Of the secret that made it; absent where none did. */
  readonly secretIndex?: number;
}

/** What can be said of a delivery that was saved. */
export interface Inspection {
  /** One secret made a signature of each scheme that is there, and the delivery is no older than allowed. */
  readonly fits: boolean;
  /** Why it does not. */
  readonly problem?: string;
  readonly signatures: readonly SignatureFinding[];
  /** Seconds since the epoch. */
  readonly timestamp?: number;
  readonly timestamp_is_signed: boolean;
  /** Negative: sent in the future. */
  readonly age_seconds?: number;
  readonly event?: { readonly type: string; readonly id: string | undefined };
}

/**
 * Looks at every signature of a delivery, where `verifyWebhook` says no more than its verdict. Never throws, whatever
 * the delivery holds.
 * @param options.now milliseconds since the epoch
 * @param options.tolerance seconds; default: any age
 */
export function inspectDelivery(
  delivery: { readonly body: Uint8Array; readonly headers: WebhookHeaders },
  secrets: readonly string[],
  options: { readonly now: number; readonly tolerance?: number },
): Inspection {
  const headers = readHeaders(delivery.headers);
  const only = (name: string): string | undefined => {
    const [value, second] = headers.get(name) ?? [];
    return second === undefined ? value : undefined;
  };
  const id = only(headerNames.messageId);
  const signedTime = asTime(only(headerNames.messageTimestamp));
  const message =
    id !== undefined && signedTime !== undefined ? { id, timestamp: signedTime } : undefined;
  const expected = secrets.map((secret) =>
    isUsable(secret) ? expectedOf(secret, delivery.body, message) : {},
  );
  const found = findSignatures(headers);
  const signatures = found.map((one) => {
    const secretIndex = expected.findIndex((made) => fits(one, made));
    return secretIndex < 0 ? one : { ...one, secretIndex };
  });
  const timestamp = signedTime ?? asTime(only(headerNames.timestamp));
  const age = timestamp === undefined ? undefined : options.now / 1_000 - timestamp;
  const problem = findProblem(found, expected, message) ?? tooFar(age, options.tolerance);
  return {
    fits: problem === undefined,
    ...defined({ problem }),
    signatures,
    ...defined({ timestamp }),
    timestamp_is_signed: message !== undefined && found.some(({ scheme }) => scheme === 'message'),
    ...(age === undefined ? {} : { age_seconds: Math.round(age) }),
    ...eventOf(delivery.body, id),
  };
}

const asTime = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,11}$/.test(text) ? Number(text) : undefined;

function findProblem(
  found: readonly FoundSignature[],
  expected: readonly Expected[],
  message: SignedMessage | undefined,
): string | undefined {
  if (found.length === 0) return 'no signature header';
  const schemes = (['body', 'message'] as const).filter((scheme) =>
    found.some((one) => one.scheme === scheme),
  );
  if (schemes.includes('message') && !message) {
    return 'webhook-signature requires webhook-id and webhook-timestamp';
  }
  const fitsBy = (made: Expected, scheme: SignatureScheme): boolean =>
    found.some((one) => one.scheme === scheme && fits(one, made));
  if (expected.some((made) => schemes.every((scheme) => fitsBy(made, scheme)))) return undefined;
  return expected.some((made) => schemes.some((scheme) => fitsBy(made, scheme)))
    ? 'one kind of signature matches, the other does not: the ID, time or a header was changed'
    : 'no signature matches: check the secret of this webhook, and that the body is unmodified';
}

function tooFar(age: number | undefined, tolerance: number | undefined): string | undefined {
  if (tolerance === undefined) return undefined;
  if (age === undefined) return 'no timestamp';
  if (Math.abs(age) <= tolerance) return undefined;
  return age > 0 ? `older than ${tolerance} s` : `more than ${tolerance} s in the future`;
}

function eventOf(body: Uint8Array, messageId: string | undefined): Pick<Inspection, 'event'> {
  try {
    const { event } = readEvent(body, messageId);
    return { event: { type: event.type, id: event.id } };
  } catch {
    return {}; // signed all the same
  }
}

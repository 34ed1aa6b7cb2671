/** The receiver's side of webhooks, published as `govctl/webhook`. */
import { readEvent } from './event.ts';
import type { WebhookEvent } from './event.ts';
import { WebhookVerificationError } from './failure.ts';
import { readHeaders } from './headers.ts';
import type { HeaderValues, WebhookHeaders } from './headers.ts';
import { isUsable } from './sign.ts';
import type { Secret } from './sign.ts';
import { expectedOf, findSignatures, fits, headerNames } from './signatures.ts';
import type { FoundSignature, SignatureScheme, SignedMessage } from './signatures.ts';

export { WebhookVerificationError } from './failure.ts';
export type { WebhookVerificationReason } from './failure.ts';
export type {
  ComplianceData,
  ScanData,
  ViolationData,
  WebhookEvent,
  WebhookEventData,
  WebhookEventType,
} from './event.ts';
export type { WebhookHeaders } from './headers.ts';

export interface VerifyWebhookOptions {
  /** The body exactly as it came: bytes, or the text that was not parsed yet. */
  readonly body: string | Uint8Array | ArrayBuffer;
  readonly headers: WebhookHeaders;
  /**
   * One, or several while one takes the other's place (current, previous); undefined and empty ones among several are
   * left out. Text as given to the service; bytes are the key itself.
   */
  readonly secret: Secret | undefined | readonly (Secret | undefined)[];
  /** Seconds that the signed time may lie in the past or in the future. Default 300. */
  readonly tolerance?: number;
  /** Milliseconds since the epoch. Default: the clock. */
  readonly now?: number;
  /**
   * `required` (default): the `webhook-id`, `webhook-timestamp` and `webhook-signature` headers must be there and fit.
   * `optional`: for a service that sends the X-Service headers only. The time is then X-Service-Timestamp, which
   * nothing signs: whoever recorded a delivery can send it again with a new one, so keep the ids you have seen.
   * Where the three headers are there, they must fit all the same.
   */
  readonly signedTimestamp?: 'required' | 'optional';
}

export type VerifiedWebhook = WebhookEvent & {
  /** When this attempt was sent, seconds since the epoch. */
  readonly timestamp: number;
  /** Whether a signature covers `timestamp`. */
  readonly timestampIsSigned: boolean;
  /** Which of the secrets fits, from 0: once it is always the first, the previous one can go. */
  readonly secretIndex: number;
  /** From 1; undefined where the service doesn't say. Not signed. */
  readonly attempt: number | undefined;
  /** Of the body in form B, else of a header that is not signed. */
  readonly webhookId: string | undefined;
};

const defaultTolerance = 300;

/**
 * Checks that a delivery comes from whoever has the secret, is what was sent, and is recent; gives its event.
 * Every signature is compared in constant time, with every secret.
 * @throws WebhookVerificationError for anything else, and nothing but that, whatever comes in
 */
export function verifyWebhook(options: VerifyWebhookOptions): VerifiedWebhook {
  const { tolerance = defaultTolerance, now = Date.now() } = options;
  const secrets = readSecrets(options.secret);
  if (!(tolerance >= 0) || !Number.isFinite(now)) {
    throw misconfigured('tolerance must be seconds, 0 or more, and now milliseconds');
  }
  const body = readBody(options.body);
  const headers = readHeaders(options.headers);
  const signatures = findSignatures(headers);
  requireSignature(signatures, 'body');
  const message = readMessage(headers, options.signedTimestamp !== 'optional');
  if (message) requireSignature(signatures, 'message');
  const schemes: SignatureScheme[] = message ? ['body', 'message'] : ['body'];

  const verdicts = secrets.map((secret) => {
    const expected = secret === undefined ? {} : expectedOf(secret, body, message);
    return schemes.map(
      (scheme) =>
        signatures.filter((one) => one.scheme === scheme && fits(one, expected)).length > 0,
    );
  });
  const secretIndex = verdicts.findIndex((fitting) => fitting.every(Boolean));
  if (secretIndex < 0) throw badSignature(verdicts.some((fitting) => fitting.some(Boolean)));

  const timestamp = message?.timestamp ?? readTimestamp(headers, headerNames.timestamp);
  requireRecent(timestamp, now / 1_000, tolerance);
  const { event, webhookId } = readEvent(body, message?.id);
  const attempt = Number(headers.get(headerNames.attempt)?.[0]);
  return {
    ...event,
    timestamp,
    timestampIsSigned: message !== undefined,
    secretIndex,
    attempt: Number.isSafeInteger(attempt) && attempt > 0 ? attempt : undefined,
    webhookId: webhookId ?? headers.get(headerNames.webhookId)?.[0],
  };
}

const misconfigured = (what: string): WebhookVerificationError =>
  new WebhookVerificationError('misconfigured', `verifyWebhook: ${what}`);

/** At the places they were given at. */
function readSecrets(given: VerifyWebhookOptions['secret']): (Secret | undefined)[] {
  const all: readonly unknown[] = Array.isArray(given) ? given : [given];
  const secrets = all.map((secret) => (isUsable(secret) ? secret : undefined));
  if (secrets.some((secret) => secret !== undefined)) return secrets;
  throw misconfigured('no secret given; check that its environment variable is set');
}

function readBody(given: unknown): Uint8Array {
  if (typeof given === 'string') return Buffer.from(given);
  if (given instanceof Uint8Array) return given;
  if (given instanceof ArrayBuffer) return new Uint8Array(given);
  const hint =
    'pass the raw bytes (in Express: express.raw({ type: "application/json" }) before any JSON parser)';
  throw new WebhookVerificationError(
    'body_not_raw',
    given === undefined || given === null
      ? `No body: ${hint}`
      : `The body was parsed before verification: ${hint}`,
  );
}

/** What webhook-signature covers; undefined where it may be absent, and is. */
function readMessage(headers: HeaderValues, isRequired: boolean): SignedMessage | undefined {
  if (!isRequired && !headers.has(headerNames.messageSignature)) return undefined;
  const missing = [
    headerNames.messageId,
    headerNames.messageTimestamp,
    headerNames.messageSignature,
  ].find((name) => !headers.has(name));
  if (missing !== undefined) {
    throw new WebhookVerificationError(
      'missing_header',
      `No ${missing} header, so the time of the delivery is not signed. ` +
        "Check whether a proxy drops it. If the service never sends it, pass { signedTimestamp: 'optional' }.",
    );
  }
  const id = onlyValue(headers, headerNames.messageId);
  // A dot would let id, time and body be cut apart elsewhere than the signer joined them.
  if (!/^[\x21-\x2d\x2f-\x7e]{1,256}$/.test(id)) throw malformed(headerNames.messageId, 'an ID');
  return { id, timestamp: readTimestamp(headers, headerNames.messageTimestamp) };
}

function requireSignature(found: readonly FoundSignature[], scheme: SignatureScheme): void {
  const ofScheme = found.filter((one) => one.scheme === scheme);
  if (ofScheme.some((one) => one.malformed === undefined)) return;
  const header = scheme === 'body' ? headerNames.signature : headerNames.messageSignature;
  const [wrong] = ofScheme;
  if (wrong) throw malformed(wrong.header, `a signature: it ${wrong.malformed}`);
  throw scheme === 'body'
    ? new WebhookVerificationError(
        'missing_header',
        `No ${header} header: check that this is a delivery and that all headers reach the receiver`,
      )
    : malformed(header, 'a v1 signature');
}

function readTimestamp(headers: HeaderValues, name: string): number {
  if (!headers.has(name)) {
    throw new WebhookVerificationError(
      'missing_header',
      `No ${name} header, so the time of the delivery is unknown`,
    );
  }
  const text = onlyValue(headers, name);
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw malformed(name, 'Unix time in whole seconds');
}

function onlyValue(headers: HeaderValues, name: string): string {
  const [value, second] = headers.get(name) ?? [];
  if (value !== undefined && second === undefined) return value;
  throw malformed(name, 'a single value');
}

const malformed = (header: string, what: string): WebhookVerificationError =>
  new WebhookVerificationError('malformed_header', `The ${header} header is not ${what}`);

const badSignature = (isHalfRight: boolean): WebhookVerificationError =>
  new WebhookVerificationError(
    'bad_signature',
    isHalfRight
      ? 'Only one of X-Service-Signature and webhook-signature matches: the ID, time or a signature was changed in transit'
      : 'No signature matches: check the secret of this webhook, and that the body is the exact bytes received, not parsed and serialized again',
  );

function requireRecent(timestamp: number, now: number, tolerance: number): void {
  const age = now - timestamp;
  if (Math.abs(age) <= tolerance) return;
  const seconds = Math.round(Math.abs(age));
  throw new WebhookVerificationError(
    age > 0 ? 'timestamp_too_old' : 'timestamp_too_new',
    age > 0
      ? `The delivery was signed ${seconds} s ago, but at most ${tolerance} s are allowed: a replay, a delay in transit, or a wrong local clock`
      : `The delivery was signed ${seconds} s in the future, but at most ${tolerance} s are allowed: check the local clock`,
  );
}

import { timingSafeEqual } from 'node:crypto';
import type { HeaderValues } from './headers.ts';
import { signBody, signMessage } from './sign.ts';
import type { Secret } from './sign.ts';

/** Over the raw body, or over id, time and body. */
export type SignatureScheme = 'body' | 'message';

/** One signature as it came. */
export interface FoundSignature {
  readonly header: string;
  readonly scheme: SignatureScheme;
  /** As in the header; of several, this one. */
  readonly text: string;
  /** Why it is none. */
  readonly malformed?: string;
}

/** What is signed beside the body. */
export interface SignedMessage {
  readonly id: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
}

export const headerNames = {
  signature: 'x-service-signature',
  previousSignature: 'x-service-signature-previous',
  timestamp: 'x-service-timestamp',
  webhookId: 'x-service-webhook-id',
  eventId: 'x-service-event-id',
  attempt: 'x-service-delivery-attempt',
  messageId: 'webhook-id',
  messageTimestamp: 'webhook-timestamp',
  messageSignature: 'webhook-signature',
} as const;

/** All signatures of a request, those that are in no known form, too. Versions other than v1 are left out. */
export function findSignatures(headers: HeaderValues): FoundSignature[] {
  const overBody = [headerNames.signature, headerNames.previousSignature].flatMap((header) =>
    (headers.get(header) ?? []).map((text) => bodySignature(header, text)),
  );
  const overMessage = (headers.get(headerNames.messageSignature) ?? [])
    .flatMap((text) => text.split(/[\s]+/))
    .filter((text) => text !== '' && !/^v(?!1,)\w*,/.test(text))
    .map(messageSignature);
  return [...overBody, ...overMessage];
}

function bodySignature(header: string, text: string): FoundSignature {
  const found = { header, scheme: 'body', text } as const;
  if (/^sha256=[0-9a-f]{64}$/.test(text)) return found;
  return { ...found, malformed: 'must be sha256= and 64 lowercase hex digits' };
}

function messageSignature(text: string): FoundSignature {
  const found = { header: headerNames.messageSignature, scheme: 'message', text } as const;
  if (/^v1,[A-Za-z0-9+/]{43}=$/.test(text)) return found;
  return { ...found, malformed: 'must be v1, and 32 bytes as base64' };
}

/** What a secret makes of a delivery; `message` is absent where id or time are. */
export type Expected = Readonly<Partial<Record<SignatureScheme, string>>>;

/** Made once for each secret, however many signatures a request brings. */
export const expectedOf = (
  secret: Secret,
  body: Uint8Array,
  message: SignedMessage | undefined,
): Expected => ({
  body: signBody(secret, body),
  ...(message ? { message: signMessage(secret, message.id, message.timestamp, body) } : {}),
});

/** In constant time for every signature of the right form. */
export function fits({ scheme, text, malformed }: FoundSignature, expected: Expected): boolean {
  const made = expected[scheme];
  if (malformed !== undefined || made === undefined || made.length !== text.length) return false;
  return timingSafeEqual(Buffer.from(text), Buffer.from(made));
}

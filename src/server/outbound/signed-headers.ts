import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { signBody, signMessage, standardKey } from '../../webhook/sign.ts';

/** What a secret signs with, made ready: of the body, and of the message. */
export interface Keys {
  readonly body: KeyObject;
  readonly message: KeyObject;
}

export const keysOf = (secret: string): Keys => ({
  body: createSecretKey(Buffer.from(secret)),
  message: createSecretKey(Buffer.from(standardKey(secret))),
});

/** The keys of a receiver. */
export interface Signers {
  readonly keys: Keys;
  /** Until when, in milliseconds since the epoch, the one before it is still told. */
  readonly previous?: { readonly keys: Keys; readonly until: number };
}

/** One attempt to be made. */
export interface Message {
  readonly eventId: string;
  readonly webhookId: string;
  /** From 1. */
  readonly attempt: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Of govctl. */
  readonly version: string;
}

/** What is no secret. */
export const plainHeaders = ({
  eventId,
  webhookId,
  attempt,
  at,
  version,
}: Message): Record<string, string> => {
  const seconds = String(Math.floor(at / 1_000));
  return {
    'Content-Type': 'application/json',
    'User-Agent': `govctl-webhooks/${version}`,
    'X-Service-Timestamp': seconds,
    'X-Service-Webhook-ID': webhookId,
    'X-Service-Event-ID': eventId,
    'X-Service-Delivery-Attempt': String(attempt),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
  };
};

/** All headers of an attempt. A custom one that has the name of ours was refused when it came. */
export function signedHeaders(
  message: Message,
  body: string,
  { keys, previous }: Signers,
  custom: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const plain = plainHeaders(message);
  const headers = custom ? { ...custom, ...plain } : plain;
  const sign = (key: KeyObject): string =>
    signMessage(key, message.eventId, Math.floor(message.at / 1_000), body);
  headers['X-Service-Signature'] = signBody(keys.body, body);
  headers['webhook-signature'] = sign(keys.message);
  if (previous && message.at < previous.until) {
    headers['X-Service-Signature-Previous'] = signBody(previous.keys.body, body);
    headers['webhook-signature'] += ` ${sign(previous.keys.message)}`;
  }
  return headers;
}

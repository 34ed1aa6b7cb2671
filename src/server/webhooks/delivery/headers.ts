import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { signBody, signMessage, standardKey } from '../../../webhook/sign.ts';
import type { StoredWebhook } from '../collection.ts';

/** What is known of a webhook before anything is sent to it. */
export interface Receiver {
  readonly timeoutMs: number;
  readonly keys: Keys;
  /** Until when, in milliseconds since the epoch, the one before it is still told. */
  readonly previous?: { readonly keys: Keys; readonly until: number };
}

/** What a secret signs with, made ready: of the body, and of the message. */
interface Keys {
  readonly body: KeyObject;
  readonly message: KeyObject;
}

const keysOf = (secret: string): Keys => ({
  body: createSecretKey(Buffer.from(secret)),
  message: createSecretKey(Buffer.from(standardKey(secret))),
});

/** Opened and parsed once for each state of a webhook. Stored documents never change, so this can't be stale. */
const known = new WeakMap<StoredWebhook, Receiver>();

const defaultTimeout = 30;

/** @throws Error where its secret can't be opened */
export function receiverOf(
  webhook: StoredWebhook,
  open: (sealed: string, owner: string) => string,
): Receiver {
  const found = known.get(webhook);
  if (found) return found;
  const { id, previous_secret: previous, previous_secret_expires_at: until } = webhook;
  const receiver = {
    timeoutMs: (webhook.timeout_seconds ?? defaultTimeout) * 1_000,
    keys: keysOf(open(webhook.secret, id)),
    ...(previous !== undefined && until !== undefined
      ? { previous: { keys: keysOf(open(previous, id)), until: Date.parse(until) } }
      : {}),
  };
  known.set(webhook, receiver);
  return receiver;
}

const hosts = new WeakMap<StoredWebhook, string>();

/** Host and port of its url. */
export function hostOf(webhook: StoredWebhook): string {
  const known = hosts.get(webhook);
  if (known !== undefined) return known;
  const { host } = new URL(webhook.url); // was checked when it came
  hosts.set(webhook, host);
  return host;
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
  { keys, previous }: Receiver,
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

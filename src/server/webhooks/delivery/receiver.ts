import { keysOf } from '../../outbound/signed-headers.ts';
import type { Signers } from '../../outbound/signed-headers.ts';
import type { StoredWebhook } from '../collection.ts';

/** What is known of a webhook before anything is sent to it. */
export interface Receiver extends Signers {
  readonly timeoutMs: number;
}

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

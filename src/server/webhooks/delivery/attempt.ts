import type { Deps } from '../../deps.ts';
import type { StoredEvent } from '../../events/collection.ts';
import { envelopeOf } from '../../events/service.ts';
import type { StoredWebhook } from '../collection.ts';
import type { Outcome, Send } from '../../outbound/send.ts';
import { attemptCountOf } from './collection.ts';
import type { StoredDelivery } from './collection.ts';
import { signedHeaders } from '../../outbound/signed-headers.ts';
import { hostOf, receiverOf } from './receiver.ts';
import type { Message } from '../../outbound/signed-headers.ts';

/** What is to be sent, as it is stored. */
export interface Task {
  readonly webhook: StoredWebhook;
  readonly event: StoredEvent;
  /** Absent before the first attempt. */
  readonly delivery: StoredDelivery | undefined;
}

/** An attempt that was made. */
export interface Sent {
  readonly message: Message;
  readonly event: StoredEvent;
  readonly host: string;
  readonly outcome: Outcome;
  readonly customNames: readonly string[];
}

/** Sends once. Never throws, but where it is aborted. */
export async function makeAttempt(
  { clock, secrets, version }: Deps,
  send: Send,
  { webhook, event, delivery }: Task,
  signal: AbortSignal,
): Promise<Sent> {
  const message: Message = {
    eventId: event.id,
    webhookId: webhook.id,
    attempt: (delivery ? attemptCountOf(delivery) : 0) + 1,
    at: clock.now(),
    version,
  };
  const customNames = Object.keys(webhook.headers ?? {});
  const sent = { message, event, host: hostOf(webhook), customNames };
  let receiver;
  try {
    receiver = receiverOf(webhook, (sealed, owner) => secrets.open(sealed, owner));
  } catch {
    const error =
      'the secret of the webhook cannot be decrypted with the key of this server; set the secret again';
    return { ...sent, outcome: { durationMs: 0, error } };
  }
  const body = envelopeOf(event, webhook.id);
  const { timeoutMs } = receiver;
  const headers = signedHeaders(message, body, receiver, webhook.headers);
  return { ...sent, outcome: await send({ url: webhook.url, headers, body, timeoutMs }, signal) };
}

import type { EventType } from '../../../contract/events.ts';
import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import type { StoredEvent } from '../../events/collection.ts';
import { envelopeOf, sampleData } from '../../events/service.ts';
import type { StoredWebhook } from '../collection.ts';
import type { Send } from '../../outbound/send.ts';
import { makeAttempt } from './attempt.ts';
import type { StoredAnswer, StoredDelivery } from './collection.ts';
import { attemptOf, withAttempt } from './record.ts';

export interface SentTest {
  readonly delivery: StoredDelivery;
  readonly answer?: StoredAnswer;
}

/** Sends a made up event now, whatever waits, and whether the webhook is active or not. Stores nothing. */
export async function sendTest(
  deps: Deps,
  send: Send,
  webhook: StoredWebhook,
  type: EventType,
): Promise<SentTest> {
  const created = timestamp(deps.clock.now());
  const event: StoredEvent = {
    id: deps.ids.next('evt'),
    type,
    created,
    sequence: 0,
    data: JSON.stringify(sampleData(type)),
  };
  const task = { webhook, event, delivery: undefined };
  const { message, outcome, customNames } = await makeAttempt(
    deps,
    send,
    task,
    new AbortController().signal,
  );
  const begun: StoredDelivery = {
    id: deps.ids.next('dlv'),
    webhook_id: webhook.id,
    event_id: event.id,
    event_type: type,
    status: 'pending',
    test: true,
    request_body: envelopeOf(event, webhook.id),
    created_at: created,
    updated_at: created,
    attempts: [],
  };
  const { attempt, answer } = attemptOf(message, begun.id, outcome, customNames);
  const delivery = withAttempt(begun, attempt, deps.clock.now(), undefined);
  return { delivery, ...(answer ? { answer } : {}) };
}

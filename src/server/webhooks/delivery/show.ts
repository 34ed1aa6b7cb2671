import { defined } from '../../../contract/defined.ts';
import type { Attempt, Delivery, DeliveryItem } from '../../../contract/webhook-deliveries.ts';
import type { Reader } from '../../store/store.ts';
import { answerId, answers, attemptCountOf } from './collection.ts';
import type { StoredAttempt, StoredDelivery } from './collection.ts';
import { plainHeaders } from '../../outbound/signed-headers.ts';

export function showItem(delivery: StoredDelivery): DeliveryItem {
  const { id, webhook_id, event_id, event_type, status, test, created_at, updated_at } = delivery;
  const { response_status, error } = delivery.attempts.at(-1) ?? {};
  const next = delivery.pending?.next_attempt_at;
  return {
    id,
    webhook_id,
    event_id,
    event_type,
    status,
    ...(test ? { test } : {}),
    attempt_count: attemptCountOf(delivery),
    created_at,
    updated_at,
    ...defined({ next_attempt_at: next, response_status, error }),
  };
}

/** With every attempt that is kept, and their answers as far as those are. */
export async function showDelivery(reader: Reader, delivery: StoredDelivery): Promise<Delivery> {
  const { request_body } = delivery;
  const attempts: Attempt[] = [];
  for (const attempt of delivery.attempts) {
    attempts.push(await showAttempt(reader, delivery, attempt));
  }
  return {
    ...showItem(delivery),
    ...defined({ request_body }),
    attempts,
  };
}

async function showAttempt(
  reader: Reader,
  { id, event_id: eventId, webhook_id: webhookId }: StoredDelivery,
  { agent: version, custom = [], ...attempt }: StoredAttempt,
): Promise<Attempt> {
  const message = { eventId, webhookId, attempt: attempt.number, at: Date.parse(attempt.at), version }; // prettier-ignore
  const request_headers = {
    ...Object.fromEntries(custom.map((name) => [name, '…'])),
    ...plainHeaders(message),
  };
  const shown = { ...attempt, request_headers };
  const { response_truncated: isCut, ...rest } = shown;
  if (!isCut) return shown;
  const whole = (await reader.get(answers, answerId(id, attempt.number)))?.doc;
  if (!whole) return shown;
  const truncated = whole.truncated ? { response_truncated: true } : {};
  return { ...rest, response_body: whole.body, ...truncated };
}

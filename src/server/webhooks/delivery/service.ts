import { defined } from '../../../contract/defined.ts';
import type { AnsweredWebhook } from '../../../contract/webhooks.ts';
import { timestamp } from '../../deps.ts';
import { removeRows } from '../../store/remove-rows.ts';
import type { Reader, Store, Tx } from '../../store/store.ts';
import { webhookLanes } from '../collection.ts';
import type { StoredWebhook } from '../collection.ts';
import { answers, deliveries, ofWebhook } from './collection.ts';
import { deliveryOf } from './work.ts';
import { day } from '../../outbound/retry.ts';
import { showItem } from './show.ts';

/** What was sent to a webhook last, or is being sent again. */
export async function lastDeliveryOf(
  reader: Reader,
  webhookId: string,
): Promise<AnsweredWebhook['last_delivery']> {
  const newest = {
    where: ofWebhook(webhookId),
    orderBy: 'updated_at',
    direction: 'desc',
    limit: 1,
  } as const;
  const [row] = (await reader.page(deliveries, newest)).rows;
  if (!row) return undefined;
  const { id, event_type, status, updated_at: at, response_status, error } = showItem(row.doc);
  return {
    id,
    event_type,
    status,
    at,
    ...defined({ response_status, error }),
  };
}

/** Forgets what waits for a webhook, in the transaction that deletes it. */
export const dropWaiting = (tx: Tx, webhookId: string): Promise<void> =>
  tx.clear(webhookLanes, webhookId);

/** Forgets what was sent to a webhook that is deleted. Where this is cut off, the retention of the next start goes on. */
export async function forgetDeliveries(
  store: Pick<Store, 'page' | 'transact'>,
  webhookId: string,
): Promise<void> {
  await removeRows(store, deliveries, ofWebhook(webhookId));
  await removeRows(store, answers, { webhook: { any: [webhookId] } });
}

/** Keeps what waits for a webhook from being sent, in the transaction that makes it inactive and sets `disabled_at`. */
export const pauseDeliveries = (tx: Tx, webhookId: string): Promise<void> =>
  tx.hold(webhookLanes, webhookId, true);

/**
 * Goes on with what waits for a webhook, at once, in the transaction that makes it active again. The time since its
 * `disabled_at` does not count for the 24 hours of its retries, nor for those of its failures, which begin anew where it was they
 * that had disabled it.
 * @param webhook as it was while it was inactive
 * @param now milliseconds since the epoch
 * @returns its `failing_since` from now on
 */
export async function resumeDeliveries(
  tx: Tx,
  { id, disabled_at: pausedAt, failing_since: failingSince }: StoredWebhook,
  now: number,
): Promise<string | undefined> {
  const from = pausedAt === undefined ? now : Math.min(Date.parse(pausedAt), now);
  const [head] = await tx.laneWork(webhookLanes, { lane: id, limit: 1 });
  const delivery = head && (await deliveryOf(tx, head));
  if (delivery?.pending?.first_at !== undefined) {
    const firstAt = delivery.pending.first_at + now - from;
    const pending = { ...delivery.pending, first_at: firstAt, next_attempt_at: timestamp(now) };
    await tx.replace(deliveries, { ...delivery, pending });
  }
  await tx.hold(webhookLanes, id, false);
  await tx.putOff(webhookLanes, id, now);
  if (failingSince === undefined || from - Date.parse(failingSince) >= day) return undefined;
  return timestamp(Date.parse(failingSince) + now - from);
}

import { GovctlError } from '../../../contract/errors.ts';
import { recordAudit } from '../../audit/service.ts';
import type { Actor } from '../../call.ts';
import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import { events } from '../../events/collection.ts';
import { allRows } from '../../store/all-rows.ts';
import type { Reader, Tx } from '../../store/store.ts';
import { webhookLanes } from '../collection.ts';
import { attemptCountOf, deliveries, ofWebhook } from './collection.ts';
import type { StoredDelivery } from './collection.ts';

/** @throws GovctlError delivery_not_found */
export async function readDelivery(
  reader: Reader,
  webhookId: string,
  id: string,
): Promise<StoredDelivery> {
  const found = (await reader.get(deliveries, id))?.doc;
  if (found?.webhook_id === webhookId) return found;
  throw new GovctlError(
    'delivery_not_found',
    `Webhook ${webhookId} has no delivery ${id.slice(0, 100)}; ended ones are forgotten after a while`,
  );
}

/**
 * Puts a delivery that has ended behind what waits.
 * @throws GovctlError delivery_not_found, also where its event is gone, delivery_not_ended, malformed_request for a test
 */
export async function redeliver(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  webhookId: string,
  id: string,
): Promise<StoredDelivery> {
  const delivery = await readDelivery(tx, webhookId, id);
  if (delivery.test) {
    throw new GovctlError(
      'malformed_request',
      `Delivery ${id} is a test, and its event was made up`,
      {
        hint: 'Send a new test instead.',
      },
    );
  }
  if (delivery.status === 'pending') {
    const next = delivery.pending?.next_attempt_at;
    const when = next === undefined ? 'waits for its turn' : `is tried again at ${next}`;
    throw new GovctlError('delivery_not_ended', `Delivery ${id} has not ended: it ${when}`);
  }
  if (!(await tx.get(events, delivery.event_id))) {
    throw new GovctlError(
      'delivery_not_found',
      `The event ${delivery.event_id} of delivery ${id} is no longer kept, so it can't be sent again`,
    );
  }
  const queued = await queueAgain(deps, tx, delivery);
  await recordAudit(deps, tx, actor, 'delivery.redeliver', id);
  return queued;
}

/**
 * Puts all failed deliveries of a webhook behind what waits, in the order of their events.
 * @param since only those that failed then or later, in milliseconds since the epoch
 * @returns how many
 */
export async function redeliverFailed(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  webhookId: string,
  since: number,
): Promise<number> {
  const failed: { sequence: number; delivery: StoredDelivery }[] = [];
  const where = ofWebhook(webhookId, ['failed']);
  for await (const { doc: delivery } of allRows(tx, deliveries, where)) {
    if (delivery.test || Date.parse(delivery.updated_at) < since) continue;
    const event = (await tx.get(events, delivery.event_id))?.doc;
    if (event) failed.push({ sequence: event.sequence, delivery });
  }
  failed.sort((a, b) => a.sequence - b.sequence);
  for (const { delivery } of failed) await queueAgain(deps, tx, delivery);
  await recordAudit(deps, tx, actor, 'webhook.redeliver', webhookId);
  return failed.length;
}

/** Retries are counted anew, attempts go on. */
async function queueAgain(
  { clock }: Deps,
  tx: Tx,
  delivery: StoredDelivery,
): Promise<StoredDelivery> {
  const queued: StoredDelivery = {
    ...delivery,
    status: 'pending',
    updated_at: timestamp(clock.now()),
    pending: { before: attemptCountOf(delivery) },
  };
  await tx.replace(deliveries, queued);
  await tx.append(webhookLanes, delivery.webhook_id, delivery.id);
  return queued;
}

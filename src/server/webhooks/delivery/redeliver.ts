import { GovctlError } from '../../../contract/errors.ts';
import { recordAudit } from '../../audit/service.ts';
import type { Actor, Call } from '../../http/call.ts';
import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import { events } from '../../events/collection.ts';
import { nextTurn } from '../../next-turn.ts';
import { allRows } from '../../store/all-rows.ts';
import type { Reader, Tx } from '../../store/store.ts';
import { webhookLanes } from '../collection.ts';
import { readWebhook } from '../service.ts';
import { attemptCountOf, deliveries, ofWebhook } from './collection.ts';
import type { StoredDelivery } from './collection.ts';

/** Deliveries queued in one transaction. */
const batch = 100;
/** Work read at once. */
const page = 1_000;

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
    `Webhook ${webhookId} has no delivery ${id.slice(0, 100)}; finished deliveries are deleted after some time`,
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
  { webhookId, id }: { readonly webhookId: string; readonly id: string },
): Promise<StoredDelivery> {
  const delivery = await readDelivery(tx, webhookId, id);
  if (delivery.test) {
    throw new GovctlError(
      'malformed_request',
      `Delivery ${id} is a test delivery and cannot be sent again`,
      {
        hint: 'Send a new test instead.',
      },
    );
  }
  if (delivery.status === 'pending' && (await isQueued(tx, delivery))) {
    const next = delivery.pending?.next_attempt_at;
    const when = next === undefined ? 'is still queued' : `will be retried at ${next}`;
    throw new GovctlError('delivery_not_ended', `Delivery ${id} has not finished and ${when}`);
  }
  if (!(await tx.get(events, delivery.event_id))) {
    throw new GovctlError(
      'delivery_not_found',
      `The event ${delivery.event_id} of delivery ${id} is no longer stored, so it cannot be sent again`,
    );
  }
  const queued = await queueAgain(deps, tx, delivery);
  await recordAudit(deps, tx, actor, 'delivery.redeliver', id);
  return queued;
}

/** Whether the place of a pending delivery is there. Without one, nothing would ever end it. */
async function isQueued(
  reader: Reader,
  { id, webhook_id: lane, pending = {} }: StoredDelivery,
): Promise<boolean> {
  const { position } = pending;
  if (position !== undefined) {
    const [at] = await reader.laneWork(webhookLanes, { lane, after: position - 1, limit: 1 });
    return at?.position === position;
  }
  for (let after = 0; ;) {
    const works = await reader.laneWork(webhookLanes, { lane, after, limit: page });
    if (works.some(({ work }) => work === id)) return true;
    if (works.length < page) return false;
    after = works.at(-1)?.position ?? after;
  }
}

/**
 * Puts all failed deliveries of a webhook behind what waits, in the order of their events, batch by batch: what was
 * queued before an error stays queued.
 * @param since only those that failed then or later, in milliseconds since the epoch
 * @returns how many
 * @throws GovctlError webhook_not_found
 */
export async function redeliverFailed(
  deps: Deps,
  { actor, principal }: Pick<Call, 'actor' | 'principal'>,
  webhookId: string,
  since: number,
): Promise<number> {
  const failed = await failedSince(deps.store, webhookId, since);
  let queued = 0;
  for (let at = 0; at === 0 || at < failed.length; at += batch) {
    queued += await deps.store.transact(async (tx) => {
      await readWebhook(tx, webhookId);
      if (at === 0) await recordAudit(deps, tx, actor, 'webhook.redeliver', webhookId);
      let count = 0;
      for (const { id } of failed.slice(at, at + batch)) {
        const delivery = (await tx.get(deliveries, id))?.doc;
        // It may be sent again, or be gone, by now.
        if (delivery?.status !== 'failed' || !(await tx.get(events, delivery.event_id))) continue;
        await queueAgain(deps, tx, delivery);
        count += 1;
      }
      return count;
    }, principal.countedAs);
    // A transaction that writes nothing waits for nothing.
    await nextTurn();
  }
  return queued;
}

interface Failed {
  readonly id: string;
  readonly sequence: number;
}

/** In the order of their events; without tests, and those whose events are gone. */
async function failedSince(reader: Reader, webhookId: string, since: number): Promise<Failed[]> {
  const failed: Failed[] = [];
  for await (const { doc } of allRows(reader, deliveries, ofWebhook(webhookId, ['failed']))) {
    if (doc.test || Date.parse(doc.updated_at) < since) continue;
    const event = (await reader.get(events, doc.event_id))?.doc;
    if (event) failed.push({ id: doc.id, sequence: event.sequence });
  }
  return failed.sort((a, b) => a.sequence - b.sequence);
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

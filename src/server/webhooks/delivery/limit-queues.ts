import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import { events } from '../../events/collection.ts';
import { emit } from '../../events/emit.ts';
import { nextTurn } from '../../next-turn.ts';
import { allRows } from '../../store/all-rows.ts';
import type { LaneWork, Tx } from '../../store/store.ts';
import { webhookLanes, webhooks } from '../collection.ts';
import type { StoredWebhook } from '../collection.ts';
import { deliveries } from './collection.ts';
import { deliveryOf, eventOf } from './work.ts';

/** Events that wait for one webhook. */
const mostWaiting = 100_000;
/** Events dropped in one transaction. */
const batch = 2_000;

export interface QueueLimits {
  /** Default: 100,000. */
  readonly most?: number | undefined;
  /** Milliseconds after which a waiting event is too old. */
  readonly keptMs: number;
}

/**
 * Drops the oldest events that wait for a webhook: beyond 100,000, and those that are too old. Their number is in the
 * webhook, and an event tells of the first of them. Call it every second.
 */
export async function limitQueues(deps: Deps, limits: QueueLimits): Promise<void> {
  const ids: string[] = [];
  for await (const { doc } of allRows(deps.store, webhooks, {})) ids.push(doc.id);
  for (const id of ids) {
    while (await limitQueue(deps, id, limits)) await nextTurn();
  }
}

/** @returns whether there may be more */
async function limitQueue(
  deps: Deps,
  id: string,
  { most = mostWaiting, keptMs }: QueueLimits,
): Promise<boolean> {
  const { store, clock } = deps;
  const { waiting } = await store.laneState(webhookLanes, id);
  if (waiting === 0) return false;
  const before = timestamp(Math.max(0, clock.now() - keptMs));
  const isOld = async (work: LaneWork): Promise<boolean> => {
    const event = (await store.get(events, (await eventOf(store, work)) ?? ''))?.doc;
    return event !== undefined && event.created < before;
  };
  const read = async (limit: number): Promise<readonly LaneWork[]> => {
    const works = await store.laneWork(webhookLanes, { lane: id, limit });
    for (const [at, work] of works.entries()) {
      if (at >= waiting - most && !(await isOld(work))) return works.slice(0, at);
    }
    return works;
  };
  // Mostly there is nothing to drop.
  const due = (await read(1)).length > 0 ? await read(batch) : [];
  if (due.length === 0) return false;
  await store.transact((tx) => drop(deps, tx, id, due));
  return true;
}

async function drop(deps: Deps, tx: Tx, id: string, due: readonly LaneWork[]): Promise<void> {
  const webhook = (await tx.get(webhooks, id))?.doc;
  const [head] = await tx.laneWork(webhookLanes, { lane: id, limit: 1 });
  // Some may have been delivered meanwhile.
  const left = due.filter(({ position }) => head && position >= head.position);
  const last = left.at(-1);
  if (!webhook || !last) return;
  const now = timestamp(deps.clock.now());
  for (const work of left) await endDelivery(tx, work, now);
  await tx.drop(webhookLanes, id, last.position);
  const { dropped } = webhook;
  const goesOn = dropped && dropped.ended_at === undefined;
  const after: StoredWebhook = {
    ...webhook,
    dropped: goesOn
      ? { ...dropped, events: dropped.events + left.length, last_at: now }
      : { events: left.length, since: now, last_at: now },
  };
  await tx.replace(webhooks, after);
  if (goesOn) return;
  deps.log.warn({ webhook: id }, 'queued events of a webhook were dropped');
  const { name, active, failing_since, disabled_at } = after;
  const status = active ? 'active' : 'disabled';
  await emit(deps, tx, 'webhook.events.dropped', {
    webhook: { id, name, status, failing_since, disabled_at, dropped: after.dropped },
  });
}

/** A delivery that was tried, or sent again, fails with what it has. */
async function endDelivery(tx: Tx, work: LaneWork, now: string): Promise<void> {
  const known = await deliveryOf(tx, work);
  if (!known) return;
  const { pending, ...delivery } = known;
  if (!pending) return;
  await tx.replace(deliveries, { ...delivery, status: 'failed', updated_at: now });
}

import type { EventType } from '../../contract/events.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { allRows } from '../store/all-rows.ts';
import type { Tx } from '../store/store.ts';
import { webhookLanes, webhooks } from '../webhooks/collection.ts';
import type { StoredWebhook } from '../webhooks/collection.ts';
import { events } from './collection.ts';
import type { StoredEvent } from './collection.ts';
import { nextTurn } from '../next-turn.ts';
import { facetsOf, passes } from './facets.ts';
import type { Facets } from './facets.ts';

/** Which webhooks get a type, read once per transaction: it may emit thousands of events, and webhooks never change in it. */
const receiversIn = new WeakMap<Tx, Map<EventType, readonly StoredWebhook[]>>();

/** How many places in queues a transaction has given to events. */
const placesIn = new WeakMap<Tx, number>();

/** Places between two turns of requests that only read; they take a few milliseconds. */
const placesPerTurn = 5_000;

/** Places that fill a transaction: it becomes visible in one step, and no request is answered during it. */
const mostPlaces = 20_000;

/** Whether a transaction is full of queued events, or has reached this share of what fills it. */
export const hasManyPlaces = (tx: Tx, share = 1): boolean =>
  (placesIn.get(tx) ?? 0) >= mostPlaces * share;

/** Puts an event into the lanes of these webhooks. Lets others run in between, as there may be many events and webhooks. */
export async function queueFor(
  tx: Tx,
  eventId: string,
  receivers: readonly StoredWebhook[],
): Promise<void> {
  const before = placesIn.get(tx) ?? 0;
  const after = before + receivers.length;
  placesIn.set(tx, after);
  for (const { id } of receivers) await tx.append(webhookLanes, id, eventId);
  if (Math.floor(before / placesPerTurn) !== Math.floor(after / placesPerTurn)) await nextTurn();
}

/**
 * Stores an event in the transaction of its cause and puts it into the lane of each webhook that gets it.
 * @param data the event's data: an object with the subject under one key
 * @param facets if the data does not have them
 */
export async function emit(
  deps: Pick<Deps, 'ids' | 'clock'>,
  tx: Tx,
  type: EventType,
  data: Readonly<Record<string, unknown>>,
  facets?: Facets,
): Promise<StoredEvent> {
  const event = {
    id: deps.ids.next('evt'),
    type,
    created: timestamp(deps.clock.now()),
    sequence: await tx.next(events.name),
    data: JSON.stringify(data),
  };
  await tx.insert(events, event);
  const receivers = await receiversOf(tx, type);
  if (receivers.length === 0) return event;
  const looked = facets ?? facetsOf(type, data);
  await queueFor(
    tx,
    event.id,
    receivers.filter((webhook) => passes(webhook, looked)),
  );
  return event;
}

/** The webhooks that get a type, before their filters. */
export async function receiversOf(tx: Tx, type: EventType): Promise<readonly StoredWebhook[]> {
  let known = receiversIn.get(tx);
  if (!known) receiversIn.set(tx, (known = new Map()));
  const found = known.get(type);
  if (found) return found;
  const receivers: StoredWebhook[] = [];
  for await (const { doc } of allRows(tx, webhooks, { events: { any: [type] } })) {
    receivers.push(doc);
  }
  known.set(type, receivers);
  return receivers;
}

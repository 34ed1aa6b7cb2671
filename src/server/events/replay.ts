import { eventTypes, isOfCost } from '../../contract/events.ts';
import type { EventReplay } from '../../contract/events.ts';
import { GovctlError } from '../../contract/errors.ts';
import { recordAudit } from '../audit/service.ts';
import { seesCost } from '../cost/service.ts';
import type { Call } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { nextTurn } from '../next-turn.ts';
import type { Reader, Tx } from '../store/store.ts';
import { violations } from '../violations/collection.ts';
import { webhookLanes } from '../webhooks/collection.ts';
import type { StoredWebhook } from '../webhooks/collection.ts';
import { readWebhook } from '../webhooks/service.ts';
import { events } from './collection.ts';
import type { StoredEvent } from './collection.ts';
import { queueFor, receiversOf } from './emit.ts';
import { facetsOf, passes } from './facets.ts';
import type { Facets } from './facets.ts';
import { noEvent, readEvent } from './read.ts';
import { mostKept } from './retention.ts';
import { inSequence, eventsBetween } from './since.ts';
import type { SequencedEvent } from './since.ts';

/** Events queued in one transaction. */
const batch = 100;

/**
 * Queues events again in their order, batch by batch: what was queued before an error stays queued.
 * @param mostWaiting events in the queue of a webhook up to which more are queued again
 * @throws GovctlError webhook_not_found, event_not_found, unavailable
 */
export async function replay(
  deps: Deps,
  { actor, principal }: Pick<Call, 'actor' | 'principal'>,
  asked: EventReplay,
  mostWaiting = mostKept,
) {
  const counts = { events: 0, deliveries: 0 };
  const { webhook_id: webhookId } = asked;
  if (webhookId !== undefined) await readWebhook(deps.store, webhookId);
  const all = await choose(deps.store, asked, seesCost({ principal }));
  for (let at = 0; at < all.length; at += batch) {
    const chosen = all.slice(at, at + batch);
    const isFirst = counts.deliveries === 0;
    const queued = await deps.store.transact(async (tx) => {
      const added = { events: 0, deliveries: 0 };
      for (const { id } of chosen) {
        const count = await queueAgain(tx, id, { webhookId, mostWaiting });
        if (count === undefined) continue;
        added.events += 1;
        added.deliveries += count;
      }
      if (isFirst && added.deliveries > 0) {
        await recordAudit(deps, tx, actor, 'event.replay', webhookId ?? events.name);
      }
      return added;
    }, principal.countedAs);
    counts.events += queued.events;
    counts.deliveries += queued.deliveries;
    // A transaction that writes nothing waits for nothing.
    await nextTurn();
  }
  return counts;
}

/** What is asked for, in the order of their sequence; some may be gone when their turn comes. */
async function choose(
  reader: Reader,
  { event_ids: ids, since, until, types }: EventReplay,
  withCost: boolean,
): Promise<readonly SequencedEvent[]> {
  if (ids) {
    const found = [...new Set(ids)].map(async (id) => {
      const { doc } = await readEvent(reader, id);
      if (isOfCost(doc.type) && !withCost) throw noEvent(id);
      return doc;
    });
    return (await Promise.all(found)).sort(inSequence);
  }
  // Either of them is given.
  return since === undefined
    ? []
    : eventsBetween(reader, {
        since,
        until,
        types: withCost ? types : (types ?? eventTypes).filter((type) => !isOfCost(type)),
      });
}

/** @returns how many webhooks it is queued for; undefined where it is gone since it was looked for */
async function queueAgain(
  tx: Tx,
  eventId: string,
  {
    webhookId,
    mostWaiting,
  }: { readonly webhookId: string | undefined; readonly mostWaiting: number },
): Promise<number | undefined> {
  const event = (await tx.get(events, eventId))?.doc;
  if (!event) return undefined;
  if (webhookId !== undefined) {
    await queueWhereRoom(tx, event.id, [(await readWebhook(tx, webhookId)).doc], mostWaiting);
    return 1;
  }
  const receivers = await receiversOf(tx, event.type);
  if (receivers.length === 0) return 0;
  const facets = await facetsOfStored(tx, event);
  const meant = receivers.filter((webhook) => passes(webhook, facets));
  await queueWhereRoom(tx, event.id, meant, mostWaiting);
  return meant.length;
}

/** @throws GovctlError unavailable where one has too many that wait: the same events could be queued again and again */
async function queueWhereRoom(
  tx: Tx,
  eventId: string,
  receivers: readonly StoredWebhook[],
  mostWaiting: number,
): Promise<void> {
  for (const { id } of receivers) {
    const { waiting } = await tx.laneState(webhookLanes, id);
    if (waiting >= mostWaiting) throw isFull(id, waiting);
  }
  await queueFor(tx, eventId, receivers);
}

const isFull = (id: string, waiting: number): GovctlError =>
  new GovctlError(
    'unavailable',
    `${waiting} events are queued for the webhook ${id}, which is the maximum; the remaining events were not queued`,
    {
      hint: 'Wait until they are delivered, or delete the webhook if nothing receives them.',
      headers: { 'Retry-After': '60' },
    },
  );

/** The short form of a violation's event lacks what its violation has. */
async function facetsOfStored(reader: Reader, { type, data }: StoredEvent): Promise<Facets> {
  // Stored by `emit`, which takes objects only.
  const parsed = JSON.parse(data) as Readonly<Record<string, unknown>>;
  const facets = facetsOf(type, parsed);
  if (type !== 'policy.violation.detected') return facets;
  const violation = (await reader.get(violations, String(parsed.violation_id)))?.doc;
  if (!violation) return facets;
  const { environment = null, provider } = violation;
  return { ...facets, environment, provider };
}

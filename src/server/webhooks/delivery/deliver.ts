import { recordAudit } from '../../audit/service.ts';
import type { Awaitable } from '../../awaitable.ts';
import { whenKnown } from '../../awaitable.ts';
import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import { events } from '../../events/collection.ts';
import type { StoredEvent } from '../../events/collection.ts';
import { isStillHead } from '../../lanes/head.ts';
import type { LaneWork, Reader, Tx } from '../../store/store.ts';
import { webhookLanes, webhooks } from '../collection.ts';
import type { StoredWebhook } from '../collection.ts';
import type { Send } from '../../outbound/send.ts';
import { makeAttempt } from './attempt.ts';
import type { Sent, Task } from './attempt.ts';
import { deliveries } from './collection.ts';
import type { StoredAttempt, StoredDelivery } from './collection.ts';
import { createWriteBatcher } from './write-batcher.ts';
import { hostOf } from './receiver.ts';
import type { Message } from '../../outbound/signed-headers.ts';
import { keepAnswer } from './keep-answer.ts';
import { afterAttempt, attemptOf, failureOf, firstAtOf, withAttempt } from './record.ts';
import { askedPause, drawRandom, nextAttempt } from '../../outbound/retry.ts';
import { createSlots } from '../../outbound/slots.ts';
import type { SlotLimits } from '../../outbound/slots.ts';
import { deliveryOf } from './work.ts';

/** Requests at once, over all webhooks. */
const defaultLimits: SlotLimits = { all: 2_048, host: 64 };

const system = { userId: 'system', via: 'webhooks', requestId: 'system' };

export interface DelivererOptions {
  readonly send: Send;
  readonly limits?: SlotLimits;
  /** Told of every attempt once it is stored: the delivery after it. */
  readonly onAttempt?: (delivery: StoredDelivery) => void;
}

export interface Deliverer {
  /** Makes one attempt of the work at a lane's head, and stores what came of it. For a lane runner. */
  perform(claimed: LaneWork, signal: AbortSignal): Promise<void>;
}

/** What was stored of an attempt. */
interface Recorded {
  readonly delivery: StoredDelivery;
  /** Set where this attempt was the one too many. */
  readonly disabled?: string | undefined;
}

export function createDeliverer(deps: Deps, options: DelivererOptions): Deliverer {
  const slots = createSlots(options.limits ?? defaultLimits);
  const transact = createWriteBatcher(deps.store);
  return {
    async perform(claimed, signal) {
      const sent = await sendInTurn(claimed, signal);
      if (sent === 'held') return;
      const recorded = await transact((tx) =>
        sent === 'gone' ? drop(deps, tx, claimed) : record(deps, tx, claimed, sent),
      );
      if (sent === 'gone' || !recorded) {
        tellDropped(deps, claimed, sent);
        return;
      }
      tell(deps, sent, recorded);
      options.onAttempt?.(recorded.delivery);
    },
  };

  /** Sends as soon as its host has room, what is stored by then. */
  async function sendInTurn(
    claimed: LaneWork,
    signal: AbortSignal,
  ): Promise<Sent | 'gone' | 'held'> {
    for (;;) {
      const webhook = (await deps.store.get(webhooks, claimed.lane))?.doc;
      if (!webhook) return 'gone';
      const host = hostOf(webhook);
      const leave = await slots.take(host, signal);
      let tookMs: number | undefined;
      try {
        const task = await findTask(deps.store, claimed);
        if (!task) return 'gone';
        if (!task.webhook.active) return 'held';
        // Another url since it began to wait: it has to queue there.
        if (hostOf(task.webhook) !== host) continue;
        const sent = await makeAttempt(deps, options.send, task, signal);
        tookMs = sent.outcome.durationMs;
        return sent;
      } finally {
        leave(tookMs);
      }
    }
  }
}

const findTask = (reader: Reader, claimed: LaneWork): Awaitable<Task | undefined> =>
  whenKnown(deliveryOf(reader, claimed), (delivery) =>
    whenKnown(reader.get(webhooks, claimed.lane), (webhook) =>
      whenKnown(
        reader.get(events, delivery?.event_id ?? claimed.work),
        (event) => webhook && event && { webhook: webhook.doc, event: event.doc, delivery },
      ),
    ),
  );

/** There is nothing left to send, or nobody to send it to. */
async function drop(deps: Deps, tx: Tx, claimed: LaneWork): Promise<undefined> {
  if (!(await isStillHead(tx, webhookLanes, claimed))) return;
  await tx.complete(webhookLanes, claimed);
  const known = await deliveryOf(tx, claimed);
  if (!known) return;
  const { pending, ...delivery } = known;
  if (!pending) return;
  const updated = { updated_at: timestamp(deps.clock.now()) };
  await tx.replace(deliveries, { ...delivery, ...updated, status: 'failed' });
}

/** @returns undefined where webhook, delivery or its place in the queue are gone meanwhile */
async function record(
  deps: Deps,
  tx: Tx,
  claimed: LaneWork,
  { message, event, outcome, customNames }: Sent,
): Promise<Recorded | undefined> {
  if (!(await isStillHead(tx, webhookLanes, claimed))) return undefined;
  const webhook = (await tx.get(webhooks, claimed.lane))?.doc;
  const known = await deliveryOf(tx, claimed);
  if (!webhook || (!known && claimed.work !== event.id)) {
    await tx.complete(webhookLanes, claimed);
    return undefined;
  }
  const now = deps.clock.now();
  const before = known ?? begun(deps, claimed, message, event);
  const { attempt, answer } = attemptOf(message, before.id, outcome, customNames);
  const next =
    attempt.error === undefined
      ? undefined
      : nextAttempt({
          attempt: message.attempt - (before.pending?.before ?? 0),
          firstAt: firstAtOf(before.pending?.first_at, message.at, now),
          now,
          config: webhook.retry_config,
          status: outcome.status,
          headers: outcome.headers,
          random: drawRandom(deps.random),
        });
  const delivery = withAttempt(before, attempt, now, next);
  await (known ? tx.replace(deliveries, delivery) : tx.insert(deliveries, delivery));
  if (answer) await keepAnswer(tx, answer);
  if (next === undefined) await tx.complete(webhookLanes, claimed);
  // A receiver that asked to be left alone is, whatever is next for it.
  const dueAt = next ?? (attempt.error === undefined ? now : now + askedPause({ ...outcome, now }));
  if (dueAt > now) await tx.putOff(webhookLanes, claimed.lane, dueAt);
  return {
    delivery,
    disabled: await updateWebhook(deps, tx, { before: webhook, attempt, now }),
  };
}

const begun = (
  { ids }: Deps,
  { lane, position }: LaneWork,
  { at }: Message,
  event: StoredEvent,
): StoredDelivery => ({
  id: ids.next('dlv'),
  webhook_id: lane,
  event_id: event.id,
  event_type: event.type,
  status: 'pending',
  created_at: timestamp(at),
  updated_at: timestamp(at),
  pending: { position },
  attempts: [],
});

/** @returns why it was disabled, where it was */
async function updateWebhook(
  deps: Deps,
  tx: Tx,
  {
    before,
    attempt,
    now,
  }: {
    readonly before: StoredWebhook;
    readonly attempt: StoredAttempt;
    readonly now: number;
  },
): Promise<string | undefined> {
  const after = afterAttempt(before, attempt, now);
  if (after === before) return undefined;
  await tx.replace(webhooks, after);
  if (after.active === before.active) return undefined;
  await tx.hold(webhookLanes, after.id, true);
  await recordAudit(deps, tx, system, 'webhook.disable', after.id, ['active']);
  return after.disabled_reason;
}

function tellDropped({ log }: Deps, { lane, work }: LaneWork, sent: Sent | 'gone'): void {
  const place = { webhook: lane, work };
  if (sent === 'gone') log.warn(place, 'delivery dropped: the webhook or the event was deleted');
  else log.warn(place, 'result of a delivery dropped: the delivery is no longer queued');
}

/** A line for what failed. Of the url only the host: paths and queries of receivers hold keys. */
function tell(
  { log }: Deps,
  { host, message, outcome }: Sent,
  { delivery, disabled }: Recorded,
): void {
  const error = failureOf(outcome);
  if (error === undefined) return;
  const { id, webhook_id: webhook, event_id: event, pending } = delivery;
  const next = pending?.next_attempt_at ?? 'none';
  log.warn(
    { webhook, event, delivery: id, attempt: message.attempt, host, error, next },
    'delivery failed',
  );
  if (disabled !== undefined) log.warn({ webhook, host, reason: disabled }, 'webhook disabled');
}

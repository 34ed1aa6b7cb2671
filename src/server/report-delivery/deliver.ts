import type { Deps } from '../deps.ts';
import { isStillHead } from '../lanes/head.ts';
import { drawRandom } from '../outbound/retry.ts';
import { createSlots } from '../outbound/slots.ts';
import type { SlotLimits } from '../outbound/slots.ts';
import { reports } from '../reports/collection.ts';
import type { LaneWork, Tx } from '../store/store.ts';
import { afterTry } from './after-try.ts';
import type { ReportMessage, SendResult, StoredChannel } from './channels/channel.ts';
import { receiverOf } from './channels/receiver-of.ts';
import { reportDeliveries, reportDeliveryLanes } from './collection.ts';
import type { StoredReportDelivery } from './collection.ts';
import { MessageGone, readMessage } from './message.ts';
import type { MakeLink } from './message.ts';

/** Milliseconds that one try may take, whatever it does. */
const tryWithin = 10 * 60_000;

/** Tries at once. A large file on its way to a receiver that takes it is no sign that it hangs. */
const limits: SlotLimits = { all: 512, host: 32, quick: 10_000 };

export interface DelivererOptions {
  readonly send: SendToChannel;
  readonly makeLink: MakeLink;
  /** Told of a delivery that is delivered or has failed for good, in the transaction that says so. */
  readonly ended: DeliveryEnded;
}

/** Sends to a channel of any kind. Never throws, but where it is aborted. */
export type SendToChannel = (
  channel: StoredChannel,
  message: ReportMessage,
  options: { readonly signal: AbortSignal; readonly owner: string },
) => Promise<SendResult>;

type DeliveryEnded = (tx: Tx, delivery: StoredReportDelivery) => Promise<void>;

/** Makes one try of the work at a lane's head, and stores what came of it. For a lane runner. */
export function createReportDeliverer(
  deps: Deps,
  { send, makeLink, ended }: DelivererOptions,
): (claimed: LaneWork, signal: AbortSignal) => Promise<void> {
  const { store, clock, log } = deps;

  const slots = createSlots(limits);

  return async (claimed, signal) => {
    const { at, result } = await tryInTurn(claimed, signal);
    const after = await store.transact((tx) => record(tx, claimed, result, at));
    if (after) tell(after);
  };

  /** As soon as its receiver has room, what is stored by then. @returns no result where the delivery is gone */
  async function tryInTurn(
    { work }: LaneWork,
    signal: AbortSignal,
  ): Promise<{ readonly at: number; readonly result?: SendResult }> {
    const waiting = (await store.get(reportDeliveries, work))?.doc;
    if (!waiting) return { at: clock.now() };
    const leave = await slots.take(receiverOf(waiting.channel), signal);
    const at = clock.now();
    const began = clock.monotonic();
    try {
      const delivery = (await store.get(reportDeliveries, work))?.doc;
      return delivery ? { at, result: await tryOnce(delivery, signal) } : { at };
    } finally {
      leave(clock.monotonic() - began);
    }
  }

  async function tryOnce(delivery: StoredReportDelivery, signal: AbortSignal): Promise<SendResult> {
    const late = AbortSignal.timeout(tryWithin);
    try {
      const message = await readMessage(deps, delivery, makeLink);
      if (!message) return deleted(delivery);
      return await send(delivery.channel, message, {
        signal: AbortSignal.any([signal, late]),
        owner: delivery.schedule_id ?? delivery.report_id,
      });
    } catch (err) {
      if (signal.aborted) throw err;
      if (err instanceof MessageGone) return deleted(delivery);
      if (late.aborted) return { ok: false, error: 'Timed out after 10 minutes' };
      log.error({ delivery: delivery.id, kind: delivery.kind, err }, 'a report was not sent');
      return { ok: false, error: 'An internal error occurred; see the server log' };
    }
  }

  /** @returns undefined where the delivery is gone, or has ended already */
  async function record(
    tx: Tx,
    claimed: LaneWork,
    result: SendResult | undefined,
    at: number,
  ): Promise<StoredReportDelivery | undefined> {
    if (!(await isStillHead(tx, reportDeliveryLanes, claimed))) return undefined;
    const before = (await tx.get(reportDeliveries, claimed.work))?.doc;
    if (!result || before?.status !== 'pending') {
      await tx.complete(reportDeliveryLanes, claimed);
      return undefined;
    }
    const now = clock.now();
    const after = afterTry(before, { at, now, result, random: drawRandom(deps.random) });
    await tx.replace(reportDeliveries, after);
    await touchReport(tx, after);
    if (after.next_attempt_at === undefined) {
      await tx.complete(reportDeliveryLanes, claimed);
      await ended(tx, after);
    } else {
      await tx.putOff(reportDeliveryLanes, claimed.lane, Date.parse(after.next_attempt_at));
    }
    return after;
  }

  function tell({ id, report_id, schedule_id, kind, attempts, ...after }: StoredReportDelivery) {
    const { status, error, next_attempt_at: next = 'none' } = after;
    const place = { delivery: id, report: report_id, schedule: schedule_id, kind };
    if (error === undefined) log.info({ ...place, attempts }, 'report delivered');
    else log.warn({ ...place, attempts, status, error, next }, 'report not delivered');
  }
}

const deleted = ({ report_id: id }: StoredReportDelivery): SendResult => ({
  ok: false,
  error: `The report ${id} was deleted before it was delivered`,
  permanent: true,
});

/** A notification is shown in its report, so the ETag of that changes. */
async function touchReport(tx: Tx, delivery: StoredReportDelivery): Promise<void> {
  if (delivery.schedule_id !== undefined) return;
  const report = (await tx.get(reports, delivery.report_id))?.doc;
  if (report) await tx.replace(reports, report);
}

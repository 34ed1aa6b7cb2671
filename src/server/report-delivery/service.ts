import { defined } from '../../contract/defined.ts';
import type { ReportDelivery } from '../../contract/report-answers.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { StoredReport } from '../reports/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader, Tx } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import type { StoredChannel } from './channels/channel.ts';
import { targetOf } from './channels/target-of.ts';
import { reportDeliveries, reportDeliveryLanes } from './collection.ts';
import type { StoredReportDelivery } from './collection.ts';

export { channelFault, channelProblem } from './channels/fault.ts';
export { channelShape } from './channels/channel.ts';
export type { StoredChannel, Surroundings } from './channels/channel.ts';
export { targetOf };

export interface DeliveryOrder {
  readonly reportId: string;
  readonly scheduleId?: string;
  readonly runId?: string;
  readonly channel: StoredChannel;
  /** Somebody asked for it just now: what its channel waits with is tried at once. */
  readonly isAwaited?: boolean;
}

/**
 * Puts the sending of a report that has ended into the lane of its channel, in the transaction that ends it. A webhook's
 * secret is sealed for the schedule.
 */
export async function queueReportDelivery(
  { clock, ids }: Deps,
  tx: Tx,
  { reportId, scheduleId, runId, channel, isAwaited = false }: DeliveryOrder,
): Promise<StoredReportDelivery> {
  const now = timestamp(clock.now());
  const delivery: StoredReportDelivery = {
    id: ids.next('dlv'),
    report_id: reportId,
    ...defined({ schedule_id: scheduleId, run_id: runId }),
    kind: channel.kind,
    channel,
    target: targetOf(channel),
    status: 'pending',
    attempts: 0,
    created_at: now,
    next_attempt_at: now,
  };
  await tx.insert(reportDeliveries, delivery);
  const lane = laneOf(delivery);
  await tx.append(reportDeliveryLanes, lane, delivery.id);
  if (isAwaited) await tryNow(tx, lane, now);
  return delivery;
}

/** What is wrong with a channel may be put right by now: its tries do not wait any longer. */
async function tryNow(tx: Tx, lane: string, now: string): Promise<void> {
  const [work] = await tx.laneWork(reportDeliveryLanes, { lane, limit: 1 });
  const head = work && (await tx.get(reportDeliveries, work.work))?.doc;
  if (head?.status === 'pending') {
    await tx.replace(reportDeliveries, { ...head, next_attempt_at: now });
  }
  await tx.putOff(reportDeliveryLanes, lane, 0);
}

/** What a channel's tries wait in: no other channel waits for it. */
const laneOf = ({ schedule_id: schedule, report_id: report, kind }: StoredReportDelivery): string =>
  `${schedule ?? report}/${kind}`;

/** Tells those who asked for it that a report has ended, in the transaction that ends it. */
export async function notifyRecipients(
  deps: Deps,
  tx: Tx,
  { id, notify = [] }: StoredReport,
): Promise<void> {
  if (notify.length === 0) return;
  const channel: StoredChannel = { kind: 'email', recipients: [...notify], attach: false };
  await queueReportDelivery(deps, tx, { reportId: id, channel });
}

/** Those of a run, in the order they were queued. */
export const deliveriesOfRun = (
  reader: Reader,
  runId: string,
): Promise<readonly StoredReportDelivery[]> => deliveriesBy(reader, 'run_id', runId);

/** Those that tell whom a report was asked to tell of its end, in the order they were queued. */
export const notificationsOf = async (
  reader: Reader,
  reportId: string,
): Promise<readonly StoredReportDelivery[]> =>
  (await deliveriesBy(reader, 'report_id', reportId)).filter(isNotification);

const isNotification = ({ schedule_id: schedule }: StoredReportDelivery): boolean =>
  schedule === undefined;

/** As answered, in a run or a report. */
export const showDelivery = (delivery: StoredReportDelivery): ReportDelivery =>
  withoutAbsent({
    id: delivery.id,
    channel: delivery.kind,
    target: delivery.target,
    status: delivery.status,
    attempts: delivery.attempts,
    last_attempt_at: delivery.last_attempt_at,
    next_attempt_at: delivery.next_attempt_at,
    delivered_at: delivery.delivered_at,
    error: delivery.error,
  });

/** Forgets what was sent and what waits of a schedule, or of a report that is none's, in the transaction that deletes it. */
export async function dropDeliveries(tx: Tx, ownerId: string): Promise<void> {
  const index = ownerId.startsWith('sch_') ? 'schedule_id' : 'report_id';
  const owned = (await deliveriesBy(tx, index, ownerId)).filter(
    (one) => index === 'schedule_id' || isNotification(one),
  );
  for (const lane of new Set(owned.map(laneOf))) await tx.clear(reportDeliveryLanes, lane);
  for (const { id } of owned) await tx.remove(reportDeliveries, id);
}

/** The reports that are still to be sent to somebody. */
export async function waitingReports(reader: Reader): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { doc } of allRows(reader, reportDeliveries, { status: { any: ['pending'] } })) {
    ids.add(doc.report_id);
  }
  return ids;
}

async function deliveriesBy(
  reader: Reader,
  index: 'run_id' | 'schedule_id' | 'report_id',
  id: string,
): Promise<StoredReportDelivery[]> {
  const found: StoredReportDelivery[] = [];
  for await (const { doc } of allRows(reader, reportDeliveries, { [index]: { any: [id] } })) {
    found.push(doc);
  }
  return found;
}

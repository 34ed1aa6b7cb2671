import { defined } from '../../contract/defined.ts';
import { dateRangeOf } from '../../calendar/date-range.ts';
import { localDate } from '../../calendar/words.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { ChannelKind } from '../../contract/report-channels.ts';
import type { Actor } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { fillIn } from '../fill-in.ts';
import { reportDeliveries } from '../report-delivery/collection.ts';
import type { StoredReportDelivery } from '../report-delivery/collection.ts';
import { deliveriesOfRun, queueReportDelivery } from '../report-delivery/service.ts';
import type { StoredReport } from '../reports/collection.ts';
import { createReport } from '../reports/service.ts';
import type { ReportOrder } from '../reports/service.ts';
import type { Tx } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { runs, schedules } from './collection.ts';
import type { StoredRun, StoredSchedule } from './collection.ts';
import { openedSecurity, plainOptions } from './stored-form.ts';

/** Characters of a report's name. */
const longestName = 256;

export const zoneOf = ({ schedule }: Pick<StoredSchedule, 'schedule'>): string =>
  schedule.timezone ?? 'UTC';

export interface RunOrder {
  /** The moment it is due at, in milliseconds since the epoch. */
  readonly at: number;
  readonly cause: StoredRun['cause'];
  /** Who asked for it. Absent: the schedule did. */
  readonly actor?: Actor;
}

/**
 * Writes down a run and asks for its report, in one transaction. A report that can't be asked for any more is a run
 * that has failed.
 * @returns the run, and what the schedule is to say of it
 */
export async function startRun(
  deps: Deps,
  tx: Tx,
  schedule: StoredSchedule,
  { at, cause, actor }: RunOrder,
): Promise<{ readonly run: StoredRun; readonly last: LastRun }> {
  const id = deps.ids.next('run');
  const startedAt = timestamp(deps.clock.now());
  const asked = await askFor(deps, tx, schedule, { runId: id, at, actor });
  const run: StoredRun = {
    id,
    schedule_id: schedule.id,
    fire_at: timestamp(at),
    started_at: startedAt,
    cause,
    ...('error' in asked
      ? { status: 'failed', completed_at: startedAt, error: asked.error }
      : { status: 'pending', report_id: asked.reportId }),
  };
  await tx.insert(runs, run);
  await removeOldRuns(tx, schedule.id);
  const last = {
    last_run_at: startedAt,
    last_report_id: run.report_id,
    last_status: run.status,
  };
  return { run, last };
}

type LastRun = Readonly<
  Record<'last_run_at' | 'last_report_id' | 'last_status', string | undefined>
>;

/** A schedule with what became of its last run. */
export const withLast = (schedule: StoredSchedule, last: LastRun): StoredSchedule =>
  withoutAbsent({ ...schedule, ...last }) as StoredSchedule; // only what is optional can be absent

async function askFor(
  deps: Deps,
  tx: Tx,
  schedule: StoredSchedule,
  {
    runId,
    at,
    actor,
  }: { readonly runId: string; readonly at: number; readonly actor: Actor | undefined },
): Promise<{ readonly reportId: string } | { readonly error: string }> {
  let security;
  try {
    security = openedSecurity(deps, schedule);
  } catch {
    return {
      error: `The report password cannot be decrypted with this server's key: set the password again`,
    };
  }
  const order = { ...orderOf(schedule, at), security, run_id: runId };
  const asking = actor ?? { userId: schedule.created_by, via: schedule.id, requestId: runId };
  try {
    const { doc } = await createReport(deps, tx, asking, order);
    return { reportId: doc.id };
  } catch (error) {
    // It is refused before anything is written, such as for a framework that no policy names any more.
    if (error instanceof GovctlError && error.error === 'invalid_report_config') {
      return { error: error.message };
    }
    throw error;
  }
}

function orderOf(schedule: StoredSchedule, at: number): ReportOrder {
  const { report_template: template, id } = schedule;
  const zone = zoneOf(schedule);
  const { date_range_type: type, ...scope } = template.scope ?? {};
  return {
    name: nameOf(template.name, localDate(at, zone)),
    type: template.type,
    framework: template.framework,
    description: template.description,
    format_options: plainOptions(template),
    scope: withoutAbsent({
      ...scope,
      date_range: type && dateRangeOf(type, at, zone),
      timezone: zone,
    }) as ReportOrder['scope'], // only what is optional can be absent
    schedule_id: id,
  };
}

/** Not longer than a report's name may be, and no half of a character at its end. */
const nameOf = (name: string, date: string): string =>
  fillIn(name, { date })
    .slice(0, longestName)
    .replace(/[\ud800-\udbff]$/, '');

/**
 * A report has ended: what it is to be sent to, in the same transaction. That it has failed is told, too, and ends the
 * run whatever becomes of the telling.
 */
export async function scheduleReportEnded(deps: Deps, tx: Tx, report: StoredReport): Promise<void> {
  if (report.run_id === undefined) return;
  const run = (await tx.get(runs, report.run_id))?.doc;
  // Gone with its schedule.
  if (run?.status !== 'pending') return;
  const schedule = (await tx.get(schedules, run.schedule_id))?.doc;
  const hasFailed = report.status === 'failed';
  const channels = (schedule?.channels ?? []).filter(({ kind }) => !hasFailed || tells(kind));
  for (const channel of channels) {
    await queueReportDelivery(deps, tx, {
      reportId: report.id,
      scheduleId: run.schedule_id,
      runId: run.id,
      channel,
      isAwaited: run.cause === 'manual',
    });
  }
  if (hasFailed) {
    await endRun(deps, tx, run, report.failure?.reason ?? 'The report was not generated');
  } else if (channels.length === 0) await endRun(deps, tx, run);
}

/** Whether a channel reaches those who can do something about a report that was not made: a folder can't. */
const tells = (kind: ChannelKind): boolean => kind !== 'sftp' && kind !== 'object_storage';

/** A report has gone before it had ended, and its run with it: in the same transaction. */
export async function scheduleReportDeleted(
  deps: Deps,
  tx: Tx,
  report: StoredReport,
): Promise<void> {
  const run = report.run_id === undefined ? undefined : (await tx.get(runs, report.run_id))?.doc;
  if (run?.status !== 'pending' || (await deliveriesOfRun(tx, run.id)).length > 0) return;
  await endRun(deps, tx, run, 'The report was deleted before it was generated');
}

/** A delivery has ended: delivered, or failed for good. The run ends with the last of them. */
export async function deliveryEnded(
  deps: Deps,
  tx: Tx,
  delivery: StoredReportDelivery,
): Promise<void> {
  if (delivery.run_id === undefined) return;
  const run = (await tx.get(runs, delivery.run_id))?.doc;
  if (run?.status !== 'pending') return;
  const all = await deliveriesOfRun(tx, run.id);
  if (all.some(({ status }) => status === 'pending')) return;
  const failed = all.filter(({ status }) => status === 'failed');
  const names = failed.map(({ kind, target }) => `${kind} (${target})`).join(', ');
  await endRun(deps, tx, run, failed.length > 0 ? `Not delivered to ${names}` : undefined);
}

/** @param error why it has failed; absent: it is completed */
async function endRun({ clock }: Deps, tx: Tx, run: StoredRun, error?: string): Promise<void> {
  const status = error === undefined ? 'completed' : 'failed';
  await tx.replace(runs, {
    ...run,
    status,
    completed_at: timestamp(clock.now()),
    ...defined({ error }),
  });
  const schedule = (await tx.get(schedules, run.schedule_id))?.doc;
  if (schedule?.last_report_id === undefined || schedule.last_report_id !== run.report_id) return;
  await tx.replace(schedules, { ...schedule, last_status: status });
}

/** Runs of a schedule that are kept. */
const mostRuns = 1_000;

/** Removes a schedule's runs beyond the newest, with their deliveries; what is not done yet stays. */
async function removeOldRuns(tx: Tx, scheduleId: string, most = mostRuns): Promise<void> {
  const own = { where: { schedule_id: { any: [scheduleId] } }, orderBy: 'fire_at' } as const;
  const { total } = await tx.page(runs, { ...own, direction: 'asc', limit: 0 });
  if (total <= most) return;
  const oldest = await tx.page(runs, { ...own, direction: 'asc', limit: total - most });
  for (const { doc: run } of oldest.rows) {
    const deliveries = await deliveriesOfRun(tx, run.id);
    const isUnderWay = [run, ...deliveries].some(({ status }) => status === 'pending');
    if (isUnderWay) continue;
    for (const { id } of deliveries) await tx.remove(reportDeliveries, id);
    await tx.remove(runs, run.id);
  }
}

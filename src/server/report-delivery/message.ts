import { defined } from '../../contract/defined.ts';
import { wallAt } from '../../calendar/zone.ts';
import type { ReportFormat } from '../../contract/reports.ts';
import type { Deps } from '../deps.ts';
import { reports } from '../reports/collection.ts';
import type { ReportResult, StoredFile, StoredReport } from '../reports/collection.ts';
import { runs, schedules } from '../schedules/collection.ts';
import type { StoredSchedule } from '../schedules/collection.ts';
import type { Store, Tx } from '../store/store.ts';
import type { MessageFile, MessageLink, ReportMessage } from './channels/channel.ts';
import { reportDeliveries } from './collection.ts';
import type { StoredReportDelivery } from './collection.ts';

/** Makes a temporary address of a file of a report. */
export type MakeLink = (
  tx: Tx,
  report: StoredReport,
  format: ReportFormat,
  expiresInSeconds: number,
) => Promise<Pick<MessageLink, 'url' | 'expires_at'>>;

/** Its report was deleted, or it itself, while it was being made: nothing of it is to be sent. */
export class MessageGone extends Error {
  override readonly name = 'MessageGone';
}

/** Seconds that the links of a message lead anywhere. */
const linksLast = 7 * 24 * 3_600;

/** What a delivery hands over, as it is stored now; undefined: its report is gone. */
export async function readMessage(
  deps: Pick<Deps, 'store' | 'secrets'>,
  delivery: StoredReportDelivery,
  makeLink: MakeLink,
): Promise<ReportMessage | undefined> {
  const { store } = deps;
  const report = (await store.get(reports, delivery.report_id))?.doc;
  if (!report) return undefined;
  const { schedule_id: scheduleId, run_id: runId } = delivery;
  const schedule = scheduleId && (await store.get(schedules, scheduleId))?.doc;
  const run = runId ? (await store.get(runs, runId))?.doc : undefined;
  const files = report.result?.files ?? [];
  return {
    deliveryId: delivery.id,
    attempt: delivery.attempts + 1,
    report: told(report),
    ...(schedule ? { schedule: { id: schedule.id, name: schedule.name } } : {}),
    date: dayOf(report, schedule || undefined, run?.fire_at),
    files: files.map((file) => handedOver(store, file)),
    settled: delivery.settled ?? [],
    links: () => linksOf(deps, delivery, makeLink),
  };
}

/**
 * Made once for all tries of a delivery. They open a report, so they are kept sealed.
 * @throws MessageGone
 */
async function linksOf(
  { store, secrets }: Pick<Deps, 'store' | 'secrets'>,
  { id: deliveryId, report_id: reportId }: StoredReportDelivery,
  makeLink: MakeLink,
): Promise<readonly MessageLink[]> {
  const opened = ({ links }: StoredReportDelivery): readonly MessageLink[] | undefined => {
    if (links === undefined) return undefined;
    try {
      return JSON.parse(secrets.open(links, deliveryId)) as readonly MessageLink[]; // as sealed below
    } catch {
      return undefined; // A snapshot was edited by hand: they are made anew.
    }
  };
  return store.transact(async (tx) => {
    const report = (await tx.get(reports, reportId))?.doc;
    const delivery = (await tx.get(reportDeliveries, deliveryId))?.doc;
    if (!report || !delivery) throw new MessageGone(`${deliveryId} of ${reportId}`);
    const before = opened(delivery);
    if (before) return before;
    const links: MessageLink[] = [];
    for (const { format } of report.result?.files ?? []) {
      links.push({ format, ...(await makeLink(tx, report, format, linksLast)) });
    }
    const sealed = secrets.seal(JSON.stringify(links), deliveryId);
    await tx.replace(reportDeliveries, { ...delivery, links: sealed });
    return links;
  });
}

const told = (report: StoredReport): ReportMessage['report'] => ({
  id: report.id,
  name: report.name,
  type: report.type,
  ...defined({ framework: report.framework }),
  status: report.status === 'failed' ? 'failed' : 'completed',
  ...defined({ generated_at: report.generated_at }),
  ...(report.failure ? { failure: report.failure.reason } : {}),
  ...(report.result ? figuresOf(report.result) : {}),
});

const figuresOf = ({ summary, period, notices }: ReportResult) => ({
  summary,
  ...defined({ period }),
  ...(notices ? { notices } : {}),
});

const handedOver = (store: Store, file: StoredFile): MessageFile => ({
  format: file.format,
  filename: file.filename,
  media_type: file.media_type,
  size: file.size,
  sha256: file.sha256,
  read: () => store.blobs.read(file.blob),
});

/** The day that a run was due at, or that a report was made at, as its zone has it. */
function dayOf(
  report: StoredReport,
  schedule: StoredSchedule | undefined,
  dueAt: string | undefined,
): string {
  const zone = schedule?.schedule.timezone ?? report.scope.timezone ?? 'UTC';
  const at = dueAt ?? report.generated_at ?? report.updated_at;
  return new Date(wallAt(zone, Date.parse(at))).toISOString().slice(0, 10);
}

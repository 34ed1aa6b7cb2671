import { wallAt } from '../../calendar/zone.ts';
import type { ReportFormat } from '../../contract/reports.ts';
import { reports } from '../reports/collection.ts';
import type { StoredFile, StoredReport } from '../reports/collection.ts';
import { runs, schedules } from '../schedules/collection.ts';
import type { StoredSchedule } from '../schedules/collection.ts';
import type { Store } from '../store/store.ts';
import type { MessageFile, MessageLink, ReportMessage } from './channels/channel.ts';
import type { StoredReportDelivery } from './collection.ts';

/** Makes a temporary address of a file of a report. */
export type MakeLink = (
  reportId: string,
  format: ReportFormat,
  expiresInSeconds: number,
) => Promise<Pick<MessageLink, 'url' | 'expires_at'>>;

/** Seconds that the links of a message lead anywhere. */
const linksLast = 7 * 24 * 3_600;

/** What a delivery hands over, as it is stored now; undefined: its report is gone. */
export async function readMessage(
  store: Store,
  delivery: StoredReportDelivery,
  makeLink: MakeLink,
): Promise<ReportMessage | undefined> {
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
    links: () =>
      Promise.all(
        files.map(async ({ format }) => ({
          format,
          ...(await makeLink(report.id, format, linksLast)),
        })),
      ),
  };
}

const told = (report: StoredReport): ReportMessage['report'] => ({
  id: report.id,
  name: report.name,
  type: report.type,
  ...(report.framework === undefined ? {} : { framework: report.framework }),
  status: report.status === 'failed' ? 'failed' : 'completed',
  ...(report.generated_at === undefined ? {} : { generated_at: report.generated_at }),
  ...(report.failure ? { failure: report.failure.reason } : {}),
  ...(report.result ? { summary: report.result.summary } : {}),
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

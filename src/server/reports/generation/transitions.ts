import { timestamp } from '../../deps.ts';
import { withoutAbsent } from '../../without-absent.ts';
import type { ReportResult, StoredReport } from '../collection.ts';

/** Times that a report is begun again after it was cut off, or failed for a reason that may pass. */
const mostRestarts = 3;
/** Milliseconds until it is begun again, by the times it was begun. */
const pauses = [2_000, 10_000, 60_000] as const;

/** `pending → generating` */
export const begun = (report: StoredReport, now: number): StoredReport => ({
  ...report,
  status: 'generating',
  attempts: report.attempts + 1,
  started_at: report.started_at ?? timestamp(now),
  progress: 0,
  updated_at: timestamp(now),
});

/** `generating → completed` */
export const completed = (report: StoredReport, result: ReportResult, at: string, now: number) =>
  settled({ ...report, status: 'completed', result, generated_at: at }, now);

/** `generating → failed` */
export const failed = (report: StoredReport, reason: string, now: number) =>
  settled({ ...report, status: 'failed', failure: { reason } }, now);

/** `generating → pending`, as it is to be begun again. */
const waitsAgain = (report: StoredReport, now: number) =>
  settled({ ...report, status: 'pending' }, now);

/** `generating → pending`, where the service stops, or time was up: nothing went wrong. */
export const putBack = (report: StoredReport, now: number): StoredReport => ({
  ...waitsAgain(report, now),
  attempts: Math.max(0, report.attempts - 1),
});

export interface Setback {
  readonly report: StoredReport;
  /** Milliseconds since the epoch; absent where it has failed for good. */
  readonly againAt?: number;
}

/** After what may pass: `generating → pending`, or `failed` for `reason` where that has been so too often. */
export function setBack(report: StoredReport, reason: string, now: number): Setback {
  if (report.attempts > mostRestarts) return { report: failed(report, reason, now) };
  const pause = pauses[report.attempts - 1] ?? pauses[pauses.length - 1] ?? 0;
  return { report: waitsAgain(report, now), againAt: now + pause };
}

/** The server went away under it: that may have been its own doing. */
export const interrupted = (report: StoredReport, now: number): StoredReport =>
  setBack(
    report,
    `The service stopped unexpectedly while it generated this report, ${report.attempts} times; create it again, with less content if it is very large`,
    now,
  ).report;

const settled = ({ progress: _over, ...report }: StoredReport, now: number): StoredReport =>
  withoutAbsent({ ...report, updated_at: timestamp(now) });

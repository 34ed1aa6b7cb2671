import { defined } from '../../contract/defined.ts';
import type {
  CreatedReport,
  ListedReport,
  ReportDetail,
  ReportLink,
} from '../../contract/report-answers.ts';
import { timestamp } from '../deps.ts';
import { formatDuration } from '../format-duration.ts';
import { notificationsOf, showDelivery } from '../report-delivery/service.ts';
import type { Reader, Store } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import type { ReportResult, StoredFile, StoredReport, StoredSecurity } from './collection.ts';
import { leftOf, placeInQueue } from './generation/estimate.ts';

/** What addresses of the service begin with, without a slash at their end. */
export type BaseUrl = () => string;

/** As lists and events have it. */
export const showListed = (report: StoredReport): ListedReport => {
  const { id, name, type, framework, status, result } = report;
  return withoutAbsent({
    id,
    name,
    type,
    framework,
    status,
    generated_at: report.generated_at,
    size: result && sizeOf(result),
    summary: result && {
      compliance_score: result.summary.compliance_score,
      total_violations: result.summary.total_violations,
      critical_findings: result.summary.critical,
    },
    scheduled_at: report.scheduled_at,
    failure: report.failure,
    schedule_id: report.schedule_id,
    created_at: report.created_at,
  });
};

/** Of the PDF, where there is one; else of the format that was asked for first. */
function sizeOf({ files, pages }: ReportResult): NonNullable<ListedReport['size']> {
  const file = files.find(({ format }) => format === 'pdf') ?? files[0];
  return { ...defined({ pages }), file_size_mb: megabytes(file?.size ?? 0) };
}

/** To three decimals, and never none. */
const megabytes = (bytes: number): number => Math.max(1, Math.round(bytes / 1_000)) / 1_000;

const urlOf = (baseUrl: BaseUrl, id: string): string => `${baseUrl()}/v1/reports/${id}`;

/** @param now milliseconds since the epoch */
export async function showCreated(
  store: Store,
  report: StoredReport,
  now: number,
  baseUrl: BaseUrl,
): Promise<CreatedReport> {
  const { id, name, type, framework, status } = report;
  const { position, endsAt } = await placeInQueue(store, report, now);
  return withoutAbsent({
    id,
    name,
    type,
    framework,
    status,
    estimated_completion: timestamp(Math.round(endsAt)),
    estimated_duration: durationOf(report),
    queue_position: position,
    monitoring: { progress_url: urlOf(baseUrl, id) },
    scheduled_at: report.scheduled_at,
  });
}

/** Of what is there already, nobody is told `0s`. */
const durationOf = ({ estimated_ms: ms = 0 }: StoredReport): string =>
  formatDuration(Math.max(1_000, ms));

export interface DetailOptions {
  readonly now: number;
  readonly baseUrl: BaseUrl;
  readonly links: readonly ReportLink[];
}

export async function showReport(
  store: Store,
  report: StoredReport,
  { now, baseUrl, links }: DetailOptions,
): Promise<ReportDetail> {
  const { id, name, type, framework, description, status, scope, security, result } = report;
  return withoutAbsent({
    id,
    name,
    type,
    framework,
    description,
    status,
    created_at: report.created_at,
    updated_at: report.updated_at,
    generated_at: report.generated_at,
    ...(await showProgress(store, report, now)),
    scheduled_at: report.scheduled_at,
    failure: report.failure,
    notifications: await showNotifications(store, report),
    scope: showScope(scope),
    format_options: {
      formats: report.formats,
      include_executive_summary: report.include_executive_summary,
      include_detailed_findings: report.include_detailed_findings,
      ...defined({ include_cost: report.include_cost, prepared_for: report.prepared_for }),
      ...(security ? { security: showSecurity(security) } : {}),
    },
    content: result && withoutAbsent({ pages: result.pages, sections: [...result.sections] }),
    formats: result?.files.map((file) => showFile(file, urlOf(baseUrl, id))),
    summary: result && {
      overall_compliance_score: result.summary.compliance_score,
      total_violations: result.summary.total_violations,
      critical: result.summary.critical,
      high: result.summary.high,
      medium: result.summary.medium,
      low: result.summary.low,
    },
    period: result?.period,
    notices: result?.notices && [...result.notices],
    metadata: withoutAbsent({
      generated_by: report.created_by,
      source_scan_id: result?.source_scan_id,
      policies: result?.policies,
      resources: result?.resources,
      sha256:
        result && Object.fromEntries(result.files.map(({ format, sha256 }) => [format, sha256])),
    }),
    sharing: { links: [...links] },
    protected: security?.password_hash === undefined ? undefined : true,
    schedule_id: report.schedule_id,
    run_id: report.run_id,
  });
}

async function showNotifications(
  reader: Reader,
  { id, notify }: StoredReport,
): Promise<ReportDetail['notifications']> {
  if (!notify) return undefined;
  const deliveries = await notificationsOf(reader, id);
  return { email: [...notify], deliveries: deliveries.map(showDelivery) };
}

const showScope = ({
  environments,
  cloud_providers: providers,
  ...scope
}: StoredReport['scope']): ReportDetail['scope'] => ({
  ...(environments ? { environments: [...environments] } : {}),
  ...(providers ? { cloud_providers: [...providers] } : {}),
  ...scope,
});

const showSecurity = ({ password: _p, password_hash: _h, ...plain }: StoredSecurity) => plain;

async function showProgress(
  store: Store,
  report: StoredReport,
  now: number,
): Promise<Partial<ReportDetail>> {
  if (report.status === 'generating') {
    return {
      progress: report.progress ?? 0,
      estimated_duration: durationOf(report),
      estimated_completion: timestamp(Math.round(now + leftOf(report))),
    };
  }
  if (report.status !== 'pending') return {};
  const { position, endsAt } = await placeInQueue(store, report, now);
  return {
    queue_position: position,
    estimated_duration: durationOf(report),
    estimated_completion: timestamp(Math.round(endsAt)),
  };
}

const showFile = (file: StoredFile, reportUrl: string) => {
  const url = `${reportUrl}/download/${file.format}`;
  return {
    format: file.format,
    url,
    size_mb: megabytes(file.size),
    size_bytes: file.size,
    sha256: file.sha256,
    ...(file.signature ? { signature_url: `${url}/signature` } : {}),
  };
};

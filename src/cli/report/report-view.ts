import { utcMinute } from '../../contract/utc-time.ts';
import { describeAge } from '../terminal/ages.ts';
import type { Shown } from '../objects/noun.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { typed } from '../terminal/typed.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { showSize } from '../download/sizes.ts';
import type { ShownFormat, ShownReport } from './report-objects.ts';
import { isUnderway, nameOf, typeTitle } from './report-objects.ts';

export const reportView = (
  report: ShownReport,
  { room, now, headline, named = report.id }: Shown,
): View => ({
  value: report,
  human: (style) =>
    (headline ? `${headline(style)}\n` : '') +
    describeReport(report, style, room, now) +
    wrapWords(advice(report, typed(named), style), room),
});

function describeReport(report: ShownReport, style: Style, room: number, now: number): string {
  const { summary, content, metadata, sharing, protected: isProtected } = report;
  const { created_at: created, generated_at: generated } = report;
  return formatDetails(
    nameOf(report),
    [
      ['id', report.id],
      ['type', report.type && typeTitle(report.type)],
      ['framework', report.framework],
      ['description', report.description],
      ['environments', report.scope?.environments?.join(', ')],
      ['providers', report.scope?.cloud_providers?.join(', ')],
      ['period', describePeriod(report)],
      ['status', describeState(report, now)],
      ['score', report.status === 'completed' && summary ? showScore(report) : undefined],
      ['violations', describeViolations(report)],
      ['attention', report.notices?.join(' ')],
      ['contents', content && describeContents(content)],
      ['formats', (report.formats ?? []).map(describeFormat).join(', ')],
      ['protected', isProtected ? 'by a password' : undefined],
      ['links', sharing?.links?.length ? count(sharing.links.length, 'link') : undefined],
      ['notifies', report.notifications && describeNotifications(report.notifications)],
      ['scan', metadata?.source_scan_id],
      ['policies', metadata?.policies === undefined ? undefined : inThrees(metadata.policies)],
      ['resources', metadata?.resources === undefined ? undefined : inThrees(metadata.resources)],
      ['created', [utcMinute(created), by(metadata?.generated_by)].filter(Boolean).join(' ')],
      ['generated', utcMinute(generated)],
    ],
    style,
    room,
  );
}

/** As the report says it, in its zone; before it is there, as it was asked for. */
function describePeriod({ period, scope }: ShownReport): string | undefined {
  const range = scope?.date_range;
  return period ?? (range && `${utcMinute(range.start)} to ${utcMinute(range.end)}`);
}

const by = (who: string | undefined): string | undefined => who && `by ${who}`;

/**
 * How far it is, in one line: `pending, number 3 in the queue, about 12 s left`.
 * @param now milliseconds since the epoch
 */
export function describeState(report: ShownReport, now: number): string {
  const { status = 'unknown', failure, scheduled_at: at } = report;
  if (status === 'failed') return failure ? `failed: ${failure.reason}` : status;
  if (!isUnderway(report)) return status;
  if (status === 'pending' && at !== undefined && Date.parse(at) > now) {
    return `pending, starts at ${utcMinute(at)}`;
  }
  const { progress, queue_position: position } = report;
  return [
    progress === undefined || status === 'pending' ? status : `${status} ${Math.floor(progress)}%`,
    position === undefined || status !== 'pending' ? undefined : inQueue(position),
    timeLeft(report, now),
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}

const inQueue = (position: number): string =>
  position <= 1 ? 'next in the queue' : `number ${position} in the queue`;

/** `about 12 s left`; nothing once that is over, as it was a guess. */
function timeLeft({ estimated_completion: at }: ShownReport, now: number): string | undefined {
  const seconds = Math.ceil((Date.parse(at ?? '') - now) / 1_000);
  return seconds > 0 ? `about ${describeAge(seconds)} left` : undefined;
}

/** Of a report by itself, or from a list. */
export const scoreOf = ({ summary }: ShownReport): number | null | undefined =>
  summary?.overall_compliance_score ?? summary?.compliance_score;

function showScore(report: ShownReport): string {
  const score = scoreOf(report);
  return typeof score === 'number' ? `${score} of 100` : 'none (nothing was evaluated)';
}

function describeViolations({ summary }: ShownReport): string | undefined {
  if (summary?.total_violations === undefined) return undefined;
  const { total_violations: total, critical_findings: findings, high } = summary;
  const critical = summary.critical ?? findings;
  const worst = [
    critical ? `${inThrees(critical)} critical` : undefined,
    high ? `${inThrees(high)} high` : undefined,
  ].filter((part) => part !== undefined);
  return worst.length > 0 ? `${inThrees(total)} (${worst.join(', ')})` : inThrees(total);
}

function describeContents({ pages, sections }: NonNullable<ShownReport['content']>): string {
  const parts = [
    sections === undefined ? undefined : count(sections.length, 'section'),
    pages === undefined ? undefined : count(pages, 'page'),
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

function describeFormat({ format, size_bytes: bytes, size_mb: mb }: ShownFormat): string {
  const size = bytes ?? (mb === undefined ? undefined : mb * 1_000_000);
  return size === undefined ? format : `${format} (${showSize(size)})`;
}

/** Whom it tells of its end, or what became of that. */
function describeNotifications({
  email,
  deliveries = [],
}: NonNullable<ShownReport['notifications']>): string {
  if (deliveries.length === 0) return email.join(', ');
  return deliveries
    .map(({ target, status, error }) => `${target}: ${[status, error].filter(Boolean).join(', ')}`)
    .join('; ');
}

/** What to do next. */
function advice(report: ShownReport, named: string, style: Style): string {
  const its = printableLine(named);
  const line = (text: string): string => `  ${style.cyan('→')} ${text}\n`;
  if (isUnderway(report))
    return line(`To wait for the report, run \`govctl report watch ${its}\`.`);
  if (report.status !== 'completed') return '';
  return line(
    `To download the files, run \`govctl report download ${its}\`; to view the report, \`govctl report open ${its}\`.`,
  );
}

export const paintStatus = (text: string, { status }: ShownReport, style: Style): string => {
  if (status === 'failed') return style.red(text);
  return status === 'completed' ? text : style.yellow(text);
};

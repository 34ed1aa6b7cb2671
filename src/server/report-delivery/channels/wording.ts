import { reportTypeTitles } from '../../../contract/reports.ts';
import type { LabelledValue } from '../../../report/model.ts';
import { visibleText } from '../../../report/formats/visible-text.ts';
import type { ReportMessage } from './channel.ts';

/**
 * Control characters and line ends would begin another line of a header, or of what is shown; what turns the direction
 * of text around is written out.
 */
export const oneLine = (text: string, most: number): string => {
  const line = visibleText(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim());
  if (line.length <= most) return line;
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};

/** As in `Weekly SOC 2, 2026-11-21`; it begins with `Failed: ` where nothing came of it. */
export const titleOf = ({ report, date }: ReportMessage): string =>
  `${report.status === 'failed' ? 'Failed: ' : ''}${oneLine(report.name, 190)}, ${date}`;

/** What has become of it, in one sentence. */
export function sentenceOf({ report }: ReportMessage): string {
  const kind = [reportTypeTitles[report.type], report.framework]
    .filter((part) => part !== undefined)
    .map((part) => oneLine(part, 128))
    .join(', ');
  if (report.status === 'completed') return `The report (${kind}) is ready.`;
  const why = oneLine(report.failure ?? 'unknown reason', 500);
  return `The report (${kind}) could not be generated: ${why}`;
}

/** The figures of a report, with what they are of and what has to be known to read them, in the order they are shown. */
export function figuresOf({ report }: ReportMessage): readonly LabelledValue[] {
  const { summary, period, notices = [] } = report;
  if (!summary) return [];
  const { compliance_score: score, total_violations: total } = summary;
  const severities = (['critical', 'high', 'medium', 'low'] as const)
    .map((severity) => `${summary[severity]} ${severity}`)
    .join(', ');
  return [
    ...(period === undefined ? [] : [{ label: 'Period', value: period }]),
    { label: 'Compliance score', value: score === null ? 'unknown' : `${score}%` },
    { label: 'Violations', value: total === 0 ? 'none' : `${total} (${severities})` },
    ...notices.map((text) => ({ label: 'Attention', value: oneLine(text, 1_000) })),
  ];
}

/** `1.2 MB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000
    ? `${Math.round(bytes / 1_000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The name of a file, and no way to anywhere else: `report.pdf`. */
export const safeFilename = (filename: string): string =>
  oneLine(filename, 200)
    .replace(/[/\\:*?"<>|]/g, '_')
    .replace(/^\.+/, '_');

/** Bytes: with all that is added, a name stays under the 255 that file systems have. */
const longestStem = 120;

function cutBytes(text: string, most: number): string {
  let left = most;
  const fits = (sign: string): boolean => (left -= Buffer.byteLength(sign)) >= 0;
  const signs = [...text];
  const end = signs.findIndex((sign) => !fits(sign));
  return end < 0 ? text : signs.slice(0, end).join('');
}

/**
 * The name that a file is uploaded under: with the day and the end of the report's id, so that no run's files take the
 * place of another's, and a repeat's take that of their own.
 */
export function uploadName({ report, date }: ReportMessage, filename: string): string {
  const safe = safeFilename(filename);
  const [extension = ''] = /(\.[A-Za-z0-9]{1,5}){1,2}$/.exec(safe) ?? [];
  const stem = cutBytes(safe.slice(0, safe.length - extension.length), longestStem);
  const day = stem.includes(date) ? '' : `-${date}`;
  return `${stem}${day}-${report.id.slice(-8)}${extension}`;
}

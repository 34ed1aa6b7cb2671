import { reportFormats } from '../../contract/reports.ts';
import type { Files } from '../download/destination.ts';
import type { ShownReport } from './report-objects.ts';

const endings: Readonly<Record<string, string>> = { excel: 'xlsx' };

/** Characters of a name in a file's name. */
const mostOfName = 60;

/**
 * What a report's file is called: `soc-2-january.rpt_01….pdf`. Made here, as a server's own name for it could be any. The
 * id is in it, so that `verify` knows which report it is.
 */
export function fileNameOf(report: ShownReport, format: string): string {
  const name = (report.name ?? '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replace(/^-/, '');
  const short = [...name].slice(0, mostOfName).join('').replace(/-$/, '');
  const id = report.id.replace(/[^\w-]+/g, '-').slice(0, 80);
  return `${short || 'report'}.${id}${endingOf(report, format)}`;
}

/** Of the file of a format: `.pdf`, `.xlsx`, and `.csv.zip` where the report is protected. */
function endingOf(
  { protected: isProtected }: { protected?: boolean | undefined },
  format: string,
): string {
  const ending = plain(Object.hasOwn(endings, format) ? (endings[format] ?? format) : format);
  // What no format can protect by itself comes in an encrypted ZIP.
  const zip = isProtected && format !== 'pdf' ? '.zip' : '';
  return `.${ending}${zip}`;
}

/** The files of a report in these formats. */
export const filesOf = (report: {
  readonly formats: readonly string[];
  readonly protected?: boolean | undefined;
}): Files => ({
  endings: report.formats.map((format) => endingOf(report, format)),
  others: [...reportFormats.map((format) => endingOf({}, format)), '.zip'],
});

const plain = (format: string): string => format.replace(/[^\w-]+/g, '').slice(0, 20) || 'file';

/** The id in the name of a file; undefined where none is. */
export const idInFileName = (file: string): string | undefined =>
  /(?:^|[^A-Za-z0-9])(rpt_[0-9A-Za-z]+)(?:[^0-9A-Za-z]|$)/.exec(file)?.[1];

import type { ReportFormat } from '../../contract/reports.ts';

export interface FileType {
  /** With its dot. */
  readonly extension: string;
  readonly mediaType: string;
}

/** What the files of each format are. */
export const fileTypes: Readonly<Record<ReportFormat, FileType>> = {
  pdf: { extension: '.pdf', mediaType: 'application/pdf' },
  excel: {
    extension: '.xlsx',
    mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  },
  csv: { extension: '.csv', mediaType: 'text/csv; charset=utf-8' },
  json: { extension: '.json', mediaType: 'application/json' },
  html: { extension: '.html', mediaType: 'text/html; charset=utf-8' },
};

/** What a protected report's files are in, but for its PDF, which is encrypted itself. */
export const archiveType: FileType = { extension: '.zip', mediaType: 'application/zip' };

const longestName = 80;
/** Windows opens a device under these, whatever the ending. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;

/** A file's name made of a report's: letters, digits, `-` and `_` of any script. */
export function fileNameOf(name: string): string {
  const words = name.normalize('NFC').match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  // By characters: none is cut in half.
  const cut = [...words.join('-')].slice(0, longestName).join('');
  const stem = cut.replace(/-+$/, '') || 'report';
  return deviceName.test(stem) ? `report-${stem}` : stem;
}

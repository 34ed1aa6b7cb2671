import type { View } from '../../terminal/output.ts';
import { printableLine } from '../../terminal/printable.ts';
import { formatTable } from '../../terminal/table.ts';
import type { ShownReport } from '../report-objects.ts';
import { showSize } from '../../download/sizes.ts';
import type { DownloadedFile } from './download-report.ts';

/** What was downloaded: a line for each file. */
export const filesView = (report: ShownReport, files: readonly DownloadedFile[]): View => ({
  value: {
    report_id: report.id,
    files: files.map(({ verified, ...file }) => ({ ...file, verified: verified === true })),
  },
  rows: () => files,
  human: (style, columns) =>
    files.length === 0
      ? ''
      : formatTable(
          files,
          [
            // A path must be copied whole.
            { title: 'FILE', cell: ({ file }) => printableLine(file) },
            { title: 'SIZE', cell: ({ bytes }) => showSize(bytes), isRight: true },
            {
              title: 'SHA-256',
              cell: ({ verified, sha256 }) =>
                verified ? `verified ${sha256.slice(0, 12)}…` : 'unknown to the server',
              shrinks: 'end',
              paint: (text, { verified }) => (verified ? text : style.yellow(text)),
            },
          ],
          style,
          columns,
        ),
});

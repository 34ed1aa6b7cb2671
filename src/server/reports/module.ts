import type { FileOf, Module } from '../module.ts';
import { stores } from '../module.ts';
import { hasAny } from '../store/all-rows.ts';
import { reportLanes, reportShape, reportTimings, reports, timingShape } from './collection.ts';
import type { StoredReport } from './collection.ts';
import { downloadShape, linkShape, reportDownloads, reportLinks } from './download/collection.ts';

const downloadsKept = 400 * 24 * 3_600_000;

export const reportsModule = {
  collections: [
    stores(reports, reportShape, {
      // A password that can't be opened fails visibly, and tells what to set anew.
      sealed: { holds: ({ security }) => security?.password !== undefined },
      files: filesOf,
    }),
    stores(reportTimings, timingShape),
    stores(reportLinks, linkShape, { expiry: { orderBy: 'expires_at', keptMs: 0 } }),
    stores(reportDownloads, downloadShape, { expiry: { orderBy: 'at', keptMs: downloadsKept } }),
  ],
  lanes: [{ spec: reportLanes, owners: reports.name, workIsOwner: true }],
  needsKey: (store) => hasAny(store, reports, { sealed: { any: ['yes'] } }),
} satisfies Module;

function filesOf({ result }: StoredReport): readonly FileOf[] {
  if (!result) return [];
  return [
    ...result.model.map((blob) => ({ blob })),
    ...result.files.flatMap(({ blob, size, sha256, signature }) => [
      { blob, size, sha256 },
      ...(signature ? [signature] : []),
    ]),
  ];
}

import type { FileOf, Module } from '../module.ts';
import { partOf, stores } from '../module.ts';
import { dropDeliveries, waitingReports } from '../report-delivery/service.ts';
import { hasAny } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { reportLanes, reportShape, reportTimings, reports, timingShape } from './collection.ts';
import type { StoredReport, StoredSecurity } from './collection.ts';
import { downloadShape, linkShape, reportDownloads, reportLinks } from './download/collection.ts';

const downloadsKept = 400 * 24 * 3_600_000;

export const reportsModule = {
  collections: [
    stores(reports, reportShape, {
      // A password that can't be opened fails visibly, and tells what to set anew.
      sealed: { holds: ({ security }) => security?.password !== undefined },
      files: filesOf,
      expiry: {
        orderBy: 'ended_at',
        keptMs: (retention) => retention.reports,
        needed: beingSent,
        parts: (report) => [
          partOf(reportLinks, 'report_id', report),
          partOf(reportDownloads, 'report_id', report),
        ],
        beside: (tx, { id }) => dropDeliveries(tx, id),
      },
      archive: { shown: withoutPassword },
    }),
    stores(reportTimings, timingShape),
    stores(reportLinks, linkShape, { expiry: { orderBy: 'expires_at', keptMs: 0 } }),
    // Those of a report go with it.
    stores(reportDownloads, downloadShape, { expiry: { orderBy: 'at', keptMs: downloadsKept } }),
  ],
  lanes: [{ spec: reportLanes, owners: reports.name, workIsOwner: true }],
  needsKey: (store) => hasAny(store, reports, { sealed: { any: ['yes'] } }),
} satisfies Module;

const plainOf = ({
  password: _sealed,
  password_hash: _hash,
  ...shown
}: StoredSecurity): StoredSecurity => shown;

function withoutPassword({ security, ...report }: StoredReport): StoredReport {
  return security ? { ...report, security: plainOf(security) } : report;
}

async function beingSent(reader: Reader): Promise<(report: StoredReport) => boolean> {
  const ids = await waitingReports(reader);
  return ({ id }) => ids.has(id);
}

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

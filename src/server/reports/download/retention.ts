import type { Tx } from '../../store/store.ts';
import { reportDownloads } from './collection.ts';

/** Rows of a report's access log that are kept. */
const mostRows = 10_000;

/** Rows beyond those kept that are removed together: to find the oldest takes its time. */
const slack = 100;

/** Removes a report's rows beyond the newest, where there are some more of them. */
export async function removeSurplus(tx: Tx, reportId: string, most = mostRows): Promise<void> {
  const own = { where: { report_id: { any: [reportId] } }, orderBy: 'at' } as const;
  const { total } = await tx.page(reportDownloads, { ...own, direction: 'asc', limit: 0 });
  if (total < most + slack) return;
  const oldest = await tx.page(reportDownloads, { ...own, direction: 'asc', limit: total - most });
  for (const { doc } of oldest.rows) await tx.remove(reportDownloads, doc.id);
}

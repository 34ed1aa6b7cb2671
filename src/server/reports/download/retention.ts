import type { Deps } from '../../deps.ts';
import { timestamp } from '../../deps.ts';
import type { Tx } from '../../store/store.ts';
import { reportDownloads } from './collection.ts';

/** Rows of a report's access log that are kept, and for how long. */
const mostRows = 10_000;
const keptDays = 400;

/** Rows beyond those kept that are removed together: to find the oldest takes its time. */
const slack = 100;
/** Rows removed in one transaction. */
const batch = 500;

/** Removes a report's rows beyond the newest, where there are some more of them. */
export async function removeSurplus(tx: Tx, reportId: string, most = mostRows): Promise<void> {
  const own = { where: { report_id: { any: [reportId] } }, orderBy: 'at' } as const;
  // The newest first: it is where the search begins, while the oldest may be anywhere among the others'.
  const { total } = await tx.page(reportDownloads, { ...own, direction: 'desc', limit: 1 });
  if (total < most + slack) return;
  const oldest = await tx.page(reportDownloads, { ...own, direction: 'asc', limit: total - most });
  for (const { doc } of oldest.rows) await tx.remove(reportDownloads, doc.id);
}

/** Removes rows that are older than 400 days, of all reports. */
export async function removeOldDownloads({ store, clock }: Deps): Promise<void> {
  const before = timestamp(clock.now() - keptDays * 24 * 3_600_000);
  const oldest = { orderBy: 'at', direction: 'asc', limit: batch } as const;
  for (;;) {
    // Looked at outside a transaction first: usually nothing is that old.
    const seen = await store.page(reportDownloads, { ...oldest, limit: 1 });
    if (!seen.rows.some(({ doc }) => doc.at < before)) return;
    await store.transact(async (tx) => {
      const { rows } = await tx.page(reportDownloads, oldest);
      for (const { doc } of rows) if (doc.at < before) await tx.remove(reportDownloads, doc.id);
    });
  }
}

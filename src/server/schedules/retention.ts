import { reportDeliveries } from '../report-delivery/collection.ts';
import { deliveriesOfRun } from '../report-delivery/service.ts';
import type { Tx } from '../store/store.ts';
import { runs } from './collection.ts';

/** Runs of a schedule that are kept. */
const mostRuns = 1_000;

/** Removes a schedule's runs beyond the newest, with their deliveries; what is not done yet stays. */
export async function removeOldRuns(tx: Tx, scheduleId: string, most = mostRuns): Promise<void> {
  const own = { where: { schedule_id: { any: [scheduleId] } }, orderBy: 'fire_at' } as const;
  // The newest first: it is where the search begins, while the oldest may be anywhere among the others'.
  const { total } = await tx.page(runs, { ...own, direction: 'desc', limit: 1 });
  if (total <= most) return;
  const oldest = await tx.page(runs, { ...own, direction: 'asc', limit: total - most });
  for (const { doc: run } of oldest.rows) {
    const deliveries = await deliveriesOfRun(tx, run.id);
    const isUnderWay = [run, ...deliveries].some(({ status }) => status === 'pending');
    if (isUnderWay) continue;
    for (const { id } of deliveries) await tx.remove(reportDeliveries, id);
    await tx.remove(runs, run.id);
  }
}

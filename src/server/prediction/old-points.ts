import type { Deps } from '../deps.ts';
import { nextTurn } from '../next-turn.ts';
import { attributeHistories, oldestPoint } from './collection.ts';
import type { StoredHistory } from './collection.ts';

/** Histories that one transaction shortens: each may have thousands of points. */
const batch = 100;

/** Removes what is too old of the histories of attributes, and histories without anything else. */
export async function removeOldPoints(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  keptMs: number,
): Promise<void> {
  const oldest = { orderBy: 'oldest', direction: 'asc', limit: batch } as const;
  for (let isMore = true; isMore;) {
    const before = clock.now() - keptMs;
    const isOld = (history: StoredHistory): boolean => (oldestPoint(history) ?? before) < before;
    const seen = await store.page(attributeHistories, { ...oldest, limit: 1 });
    if (!seen.rows.some(({ doc }) => isOld(doc))) return;
    isMore = await store.transact(async (tx) => {
      const { rows, hasMore } = await tx.page(attributeHistories, oldest);
      for (const { doc } of rows) {
        if (!isOld(doc)) return false;
        const series = doc.series
          .map((one) => ({ ...one, points: one.points.filter(([at]) => at >= before) }))
          .filter(({ points }) => points.length > 0);
        if (series.length > 0) await tx.replace(attributeHistories, { ...doc, series });
        else await tx.remove(attributeHistories, doc.id);
      }
      return hasMore;
    });
    await nextTurn();
  }
}

import { allRows } from './all-rows.ts';
import type { CollectionSpec, Document, Store, Tx, Where } from './store.ts';

/** Rows removed in one transaction. */
const batch = 500;

/**
 * Removes all rows under a condition, a batch in a transaction, as one of them all would keep others waiting. For rows that
 * nothing refers to any more: what is left where this is cut off must go some other way. The collection must have the order `id`.
 */
export async function removeRows<T extends Document>(
  store: Pick<Store, 'page' | 'transact'>,
  collection: CollectionSpec<T>,
  where: Readonly<Record<string, Where>>,
): Promise<void> {
  const first = { where, orderBy: 'id', direction: 'asc', limit: batch } as const;
  for (let hasMore = true; hasMore;) {
    // Outside the transaction, as it takes a while.
    const page = await store.page(collection, first);
    ({ hasMore } = page);
    if (page.rows.length === 0) return;
    await store.transact(async (tx) => {
      for (const { doc } of page.rows) {
        if (await tx.get(collection, doc.id)) await tx.remove(collection, doc.id);
      }
    });
  }
}

/**
 * Removes the few rows under a condition in the transaction of a change. The collection must have the order `id`.
 * @returns how many
 */
export async function removeFew<T extends Document>(
  tx: Tx,
  collection: CollectionSpec<T>,
  where: Readonly<Record<string, Where>>,
): Promise<number> {
  const ids: string[] = [];
  for await (const { doc } of allRows(tx, collection, where)) ids.push(doc.id);
  for (const id of ids) await tx.remove(collection, id);
  return ids.length;
}

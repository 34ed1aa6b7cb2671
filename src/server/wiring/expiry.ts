import type { Retention } from '../config/retention.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Expiry, StoredCollection } from '../module.ts';
import { nextTurn } from '../next-turn.ts';
import { removeRows } from '../store/remove-rows.ts';
import type { Document } from '../store/store.ts';

/** Rows removed in one transaction. */
const batch = 500;

const keptMsOf = ({ keptMs }: Expiry, retention: Retention): number =>
  typeof keptMs === 'number' ? keptMs : keptMs(retention);

/** Whether a document expires at a time, in milliseconds since the epoch, or before it. */
const createIsExpired =
  ({ spec, expiry }: StoredCollection & { readonly expiry: Expiry }, retention: Retention) =>
  (doc: Document, when: number): boolean => {
    const before = Math.max(0, when - keptMsOf(expiry, retention));
    const at = spec.order?.[expiry.orderBy]?.(doc);
    if (typeof at === 'string') return at < timestamp(before);
    return typeof at === 'number' && at <= before;
  };

/** Removes what has expired of a collection, with its parts and files, but for what is still needed. */
export async function removeExpired(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { expiry, ...collection }: StoredCollection,
  retention: Retention,
): Promise<void> {
  if (!expiry) return;
  const { spec, files } = collection;
  const isExpired = createIsExpired({ ...collection, expiry }, retention);
  const oldest = { orderBy: expiry.orderBy, direction: 'asc', limit: batch } as const;
  for (let page = await store.page(spec, oldest); ;) {
    const now = clock.now();
    const expired = page.rows.flatMap(({ doc }) => (isExpired(doc, now) ? [doc] : []));
    if (expired.length === 0) return;
    const seenNeeded = await expiry.needed?.(store);
    const due = expired.filter((doc) => seenNeeded?.(doc) !== true);
    for (const doc of due) {
      for (const part of expiry.parts?.(doc) ?? []) await removeRows(store, part.spec, part.where);
    }
    const gone = await store.transact(async (tx) => {
      const needed = await expiry.needed?.(tx);
      const removed: Document[] = [];
      for (const { id } of due) {
        // It may have changed meanwhile.
        const doc = (await tx.get(spec, id))?.doc;
        if (!doc || !isExpired(doc, now) || needed?.(doc) === true) continue;
        await expiry.beside?.(tx, doc);
        await tx.remove(spec, id);
        removed.push(doc);
      }
      return removed;
    });
    // What is left where this is cut off, the next start removes.
    for (const doc of gone) {
      for (const { blob } of files?.(doc) ?? []) await store.blobs.remove(blob);
    }
    if (!page.hasMore || !page.last || expired.length < page.rows.length) return;
    await nextTurn();
    page = await store.page(spec, { ...oldest, after: page.last });
  }
}

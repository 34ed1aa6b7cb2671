import type { Retention } from '../config/retention.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Expiry, Part, StoredCollection } from '../module.ts';
import { nextTurn } from '../next-turn.ts';
import type { Document, Tx } from '../store/store.ts';

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
  { store, clock, log }: Pick<Deps, 'store' | 'clock' | 'log'>,
  { expiry, ...collection }: StoredCollection,
  retention: Retention,
): Promise<void> {
  if (!expiry) return;
  const { spec, files } = collection;
  const isExpired = createIsExpired({ ...collection, expiry }, retention);
  const oldest = { orderBy: expiry.orderBy, direction: 'asc', limit: batch } as const;

  /** @returns the documents that are gone, and how many were looked at: as many as one transaction may remove rows */
  const remove = (due: readonly Document[], now: number) =>
    store.transact(async (tx) => {
      const needed = await expiry.needed?.(tx);
      const gone: Document[] = [];
      let room = batch;
      for (const [at, { id }] of due.entries()) {
        // It may have changed meanwhile.
        const doc = (await tx.get(spec, id))?.doc;
        if (!doc || !isExpired(doc, now) || needed?.(doc) === true) continue;
        for (const part of expiry.parts?.(doc) ?? []) room -= await removePart(tx, part, room);
        if (room <= 0) return { gone, seen: at };
        await expiry.beside?.(tx, doc);
        await tx.remove(spec, id);
        gone.push(doc);
        room -= 1;
      }
      return { gone, seen: due.length };
    });

  for (let page = await store.page(spec, oldest); ;) {
    const now = clock.now();
    const expired = page.rows.flatMap(({ doc }) => (isExpired(doc, now) ? [doc] : []));
    for (let due = expired; due.length > 0;) {
      const { gone, seen } = await remove(due, now);
      due = due.slice(seen);
      for (const { blob } of gone.flatMap((doc) => files?.(doc) ?? [])) {
        await store.blobs.remove(blob).catch((error: unknown) => {
          log.warn({ blob, err: error }, 'a file could not be removed; the next start tries again');
        });
      }
      await nextTurn();
    }
    if (!page.hasMore || !page.last || expired.length < page.rows.length) return;
    page = await store.page(spec, { ...oldest, after: page.last });
  }
}

/** @returns how many rows it removed, `most` at most */
async function removePart(tx: Tx, { spec, where }: Part, most: number): Promise<number> {
  if (most <= 0) return 0;
  const { rows } = await tx.page(spec, { where, orderBy: 'id', direction: 'asc', limit: most });
  for (const { doc } of rows) await tx.remove(spec, doc.id);
  return rows.length;
}

import type { StoredCollection } from '../module.ts';
import { allRows } from '../store/all-rows.ts';
import type { Document, Tx } from '../store/store.ts';

/** The collections of what users have: keys, sessions, tokens. */
export type Belongings = readonly StoredCollection[];

/**
 * Removes what a user has, or only that which ends where they have to sign in again.
 * @returns how many of each collection
 */
export async function removeBelongings(
  tx: Tx,
  belongings: Belongings,
  userId: string,
  which: 'all' | 'sign-in',
): Promise<Record<string, number>> {
  const removed: Record<string, number> = {};
  for (const { spec, belongs } of belongings) {
    if (!belongs) continue;
    const docs: Document[] = [];
    for await (const { doc } of allRows(tx, spec, { [belongs.by]: { any: [userId] } })) {
      if (which === 'all' || belongs.endsWithSignIn(doc)) docs.push(doc);
    }
    for (const doc of docs) await (belongs.remove?.(tx, doc, userId) ?? tx.remove(spec, doc.id));
    removed[spec.name] = docs.length;
  }
  return removed;
}

import type { LaneFamily, StoredCollection } from '../module.ts';
import { allRows } from '../store/all-rows.ts';
import type { Tx } from '../store/store.ts';

/** Fills the lanes that are empty and may not be: those that documents of an earlier version have. */
export async function layEmptyLanes(
  tx: Tx,
  families: readonly LaneFamily[],
  collections: readonly StoredCollection[],
): Promise<void> {
  for (const { spec, owners, lay } of families) {
    const collection = collections.find((one) => one.spec.name === owners);
    if (!lay || !collection) continue;
    for await (const { doc } of allRows(tx, collection.spec, {})) {
      if ((await tx.laneState(spec, doc.id)).waiting === 0) await lay(tx, doc);
    }
  }
}

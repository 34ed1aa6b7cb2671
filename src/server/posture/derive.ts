import { schedulePolicy } from '../evaluation/schedule-policy.ts';
import { policies } from '../policies/collection.ts';
import { resources } from '../resources/collection.ts';
import { allRows, hasAny } from '../store/all-rows.ts';
import type { Tx } from '../store/store.ts';
import { scopes, standings } from './collection.ts';
import { resourceStored, setStanding } from './service.ts';

/** Counts an inventory that an earlier version stored, and has its policies evaluated, as their outcomes are not known. */
export async function derivePosture(tx: Tx): Promise<void> {
  if (!(await hasAny(tx, scopes))) {
    for await (const { doc } of allRows(tx, resources, {})) {
      await resourceStored(tx, undefined, doc.resource);
    }
  }
  if (await hasAny(tx, standings)) return;
  for await (const { doc } of allRows(tx, policies, { enabled: { any: ['true'] } })) {
    await setStanding(tx, doc, 'pending');
    // At once, whatever the clock says.
    await schedulePolicy(tx, 0, doc.id);
  }
}

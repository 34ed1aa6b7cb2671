import { findUnused, ruledTypes } from '../../cost/unused/rules.ts';
import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { resources } from '../resources/collection.ts';
import { allRows, hasAny } from '../store/all-rows.ts';
import type { Tx } from '../store/store.ts';
import { unusedResources, unusedShape } from './collection.ts';
import { noteUnused } from './note.ts';

/** Looks through an inventory that an earlier version stored, as long as nothing is written down. */
async function deriveUnused(tx: Tx): Promise<void> {
  if (await hasAny(tx, unusedResources)) return;
  let derived = 0;
  // They sort before all that are made later.
  const ids = { next: () => `unu_0${String((derived += 1)).padStart(12, '0')}` };
  for await (const { doc } of allRows(tx, resources, { type: { any: ruledTypes() } })) {
    if (findUnused(doc.resource)) await noteUnused({ ids }, tx, doc.id, doc.resource);
  }
}

export const unusedModule = {
  collections: [stores(unusedResources, unusedShape)],
  derive: deriveUnused,
} satisfies Module;

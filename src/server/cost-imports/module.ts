import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { costImportLanes, costImports, filesOf, importShape } from './collection.ts';

export const costImportsModule = {
  collections: [
    stores(costImports, importShape, {
      expiry: { orderBy: 'expires', keptMs: 0 },
      files: filesOf,
    }),
  ],
  lanes: [{ spec: costImportLanes, owners: costImports.name, workIsOwner: true }],
} satisfies Module;

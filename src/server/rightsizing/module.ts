import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { partShape, utilization } from './collection.ts';

export const rightsizingModule = {
  collections: [
    stores(utilization, partShape, {
      expiry: { orderBy: 'until', keptMs: (retention) => retention.metrics },
      files: ({ file }) => [file],
    }),
  ],
} satisfies Module;

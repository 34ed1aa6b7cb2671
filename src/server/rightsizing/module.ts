import { metricsKeptDays } from '../../contract/metrics.ts';
import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { partShape, utilization } from './collection.ts';

export const rightsizingModule = {
  collections: [
    stores(utilization, partShape, {
      expiry: { orderBy: 'until', keptMs: metricsKeptDays * 86_400_000 },
      files: ({ file }) => [file],
    }),
  ],
} satisfies Module;

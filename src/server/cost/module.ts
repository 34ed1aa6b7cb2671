import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { costPeriods, periodShape } from './collection.ts';

export const costModule = {
  collections: [
    stores(costPeriods, periodShape, {
      files: ({ charges }) => [charges],
      expiry: { orderBy: 'end', keptMs: (retention) => retention.cost },
    }),
  ],
} satisfies Module;

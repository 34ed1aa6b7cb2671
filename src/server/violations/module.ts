import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { violationShape, violations } from './collection.ts';

export const violationsModule = {
  collections: [
    stores(violations, violationShape, {
      // Only what is resolved has this time.
      expiry: { orderBy: 'resolved_at', keptMs: (retention) => retention.violations },
    }),
  ],
} satisfies Module;

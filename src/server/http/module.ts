import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { idempotencyKeys } from './idempotency.ts';
import { requestCounts } from './request-counts.ts';

export const httpModule = {
  collections: [
    keeps(idempotencyKeys, 'forgotten', {
      expiry: { orderBy: 'expires_at', keptMs: 0 },
    }),
    keeps(requestCounts, 'own', {
      expiry: { orderBy: 'ends_at', keptMs: 0 },
    }),
  ],
} satisfies Module;

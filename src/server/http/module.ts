import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { idempotencyKeys } from './idempotency.ts';

export const httpModule = {
  collections: [
    stores(idempotencyKeys, {
      stays: 'forgotten',
      expiry: { orderBy: 'expires_at', keptMs: 0 },
    }),
  ],
} satisfies Module;

import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { accessTokens, apiKeys, oauthClients } from './collections.ts';

/** So long an expired token is told apart from one that never was, in milliseconds. */
const expiredTokensKept = 24 * 3_600_000;

export const authModule = {
  collections: [
    stores(apiKeys, { stays: 'own' }),
    stores(oauthClients, { stays: 'own' }),
    stores(accessTokens, {
      stays: 'own',
      expiry: { orderBy: 'expires_at', keptMs: expiredTokensKept },
    }),
  ],
} satisfies Module;

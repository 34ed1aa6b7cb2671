import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { accessTokens, apiKeys, oauthClients } from './collections.ts';

/** So long an expired token is told apart from one that never was, in milliseconds. */
const expiredTokensKept = 24 * 3_600_000;

export const authModule = {
  collections: [
    keeps(apiKeys, 'own'),
    keeps(oauthClients, 'own'),
    keeps(accessTokens, 'own', {
      expiry: { orderBy: 'expires_at', keptMs: expiredTokensKept },
    }),
  ],
} satisfies Module;

import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { hasAny } from '../store/all-rows.ts';
import { deriveStates, removeHolder } from './api-keys.ts';
import { removeClientHolder } from './oauth-clients.ts';
import { accessTokens, apiKeyStates, apiKeys, oauthClients } from './collection.ts';

/** So long an expired token is told apart from one that never was, in milliseconds. */
const expiredTokensKept = 24 * 3_600_000;

export const authModule = {
  collections: [
    keeps(apiKeys, 'own', {
      belongs: { by: 'bound_to', endsWithSignIn: () => false, remove: removeHolder },
    }),
    keeps(apiKeyStates, 'own'),
    keeps(oauthClients, 'own', {
      belongs: { by: 'bound_to', endsWithSignIn: () => false, remove: removeClientHolder },
    }),
    keeps(accessTokens, 'own', {
      expiry: { orderBy: 'expires_at', keptMs: expiredTokensKept },
      belongs: { by: 'bound_to', endsWithSignIn: ({ kind }) => kind === 'person' },
    }),
  ],
  derive: deriveStates,
  needsKey: (store) => hasAny(store, apiKeys, { signs: { any: ['yes'] } }),
} satisfies Module;

import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { hasAny } from '../store/all-rows.ts';
import { oauthKeys, oauthStates } from './collection.ts';

/** Logins belong to this server: snapshots do not include them. */
export const oauthModule = {
  collections: [
    keeps(oauthStates, 'own', {
      expiry: { orderBy: 'expires_at', keptMs: 0 },
      belongs: { by: 'user_id', endsWithSignIn: () => true },
    }),
    keeps(oauthKeys, 'own'),
  ],
  needsKey: (store) => hasAny(store, oauthKeys),
} satisfies Module;

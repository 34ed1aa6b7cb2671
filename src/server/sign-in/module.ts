import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { sessions } from './collection.ts';

export const signInModule = {
  collections: [
    keeps(sessions, 'own', {
      expiry: { orderBy: 'expires_at', keptMs: 0 },
      belongs: { by: 'user_id', endsWithSignIn: () => true },
    }),
  ],
} satisfies Module;

import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { trusts } from './collection.ts';

/** Who may log in belongs to this server: snapshots do not include it. */
export const trustsModule = {
  collections: [keeps(trusts, 'own', { belongs: { by: 'bound_to', endsWithSignIn: () => false } })],
} satisfies Module;

import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { trustStates, trusts } from './collection.ts';
import { deriveStates, removeTrust } from './rules.ts';

/** Who may log in belongs to this server: snapshots do not include it. */
export const trustsModule = {
  collections: [
    keeps(trusts, 'own', {
      belongs: {
        by: 'bound_to',
        endsWithSignIn: () => false,
        remove: (tx, { id }) => removeTrust(tx, id),
      },
    }),
    keeps(trustStates, 'own'),
  ],
  derive: deriveStates,
} satisfies Module;

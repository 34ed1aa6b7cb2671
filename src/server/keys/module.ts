import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { serverState } from './collection.ts';
import { hasOwnSigner } from './signer.ts';
import { hasStatementKey } from './statement-key.ts';

export const keysModule = {
  collections: [keeps(serverState, 'own')],
  needsKey: async (store) => (await hasOwnSigner(store)) || hasStatementKey(store),
} satisfies Module;

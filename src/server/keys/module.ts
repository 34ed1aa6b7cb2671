import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { serverState } from './collection.ts';
import { hasOwnSigner } from './signer.ts';
import { hasStatementKey } from './statement-key.ts';

export const keysModule = {
  collections: [stores(serverState, { stays: 'own' })],
  needsKey: async (store) => (await hasOwnSigner(store)) || hasStatementKey(store),
} satisfies Module;

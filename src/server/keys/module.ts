import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { serverState } from './collection.ts';
import { hasOwnSigner } from './signer.ts';

export const keysModule = {
  collections: [stores(serverState, { stays: 'own' })],
  needsKey: hasOwnSigner,
} satisfies Module;

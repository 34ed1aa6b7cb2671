import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { localState } from './collection.ts';

export const localModule = {
  collections: [stores(localState, { stays: 'own' })],
} satisfies Module;

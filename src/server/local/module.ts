import type { Module } from '../module.ts';
import { keeps } from '../module.ts';
import { localState } from './collection.ts';

export const localModule = {
  collections: [keeps(localState, 'own')],
} satisfies Module;

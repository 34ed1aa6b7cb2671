import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { flips } from './collection.ts';

export const predictionModule = { collections: [stores(flips)] } satisfies Module;

import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { violations } from './collection.ts';

export const violationsModule = { collections: [stores(violations)] } satisfies Module;

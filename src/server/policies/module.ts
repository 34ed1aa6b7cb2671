import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { policies } from './collection.ts';

export const policiesModule = { collections: [stores(policies)] } satisfies Module;

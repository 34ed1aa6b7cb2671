import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { resources } from './collection.ts';

export const resourcesModule = { collections: [stores(resources)] } satisfies Module;

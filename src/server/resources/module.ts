import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { resourceShape, resources } from './collection.ts';

export const resourcesModule = { collections: [stores(resources, resourceShape)] } satisfies Module;

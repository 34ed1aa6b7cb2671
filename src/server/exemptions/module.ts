import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { exemptions } from './collection.ts';

export const exemptionsModule = { collections: [stores(exemptions)] } satisfies Module;

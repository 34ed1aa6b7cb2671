import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { assessments } from './collection.ts';

export const complianceModule = { collections: [stores(assessments)] } satisfies Module;

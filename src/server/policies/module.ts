import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { policies, policyShape } from './collection.ts';

export const policiesModule = { collections: [stores(policies, policyShape)] } satisfies Module;

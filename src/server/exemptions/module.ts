import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { exemptionShape, exemptions } from './collection.ts';

export const exemptionsModule = {
  collections: [stores(exemptions, exemptionShape)],
} satisfies Module;

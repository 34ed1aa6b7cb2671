import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { attributeHistories, flips, forecasts, policyLimits } from './collection.ts';

export const predictionModule = {
  collections: [stores(flips), stores(policyLimits), stores(attributeHistories), stores(forecasts)],
} satisfies Module;

import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import {
  attributeHistories,
  flipShape,
  flips,
  forecastShape,
  forecasts,
  historyShape,
  limitsShape,
  policyLimits,
} from './collection.ts';

export const predictionModule = {
  collections: [
    stores(flips, flipShape),
    stores(policyLimits, limitsShape),
    stores(attributeHistories, historyShape),
    stores(forecasts, forecastShape),
  ],
} satisfies Module;

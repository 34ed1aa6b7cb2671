import type { Thresholds } from './detect.ts';

/**
 * What is no anomaly unless the operator says otherwise. The share is half of the smallest rise that has to be found (50%): a day
 * that would have been a little cheaper than usual is found, too. The amount, in units of the currency, is about what a
 * look at it costs.
 */
export const defaultThresholds: Thresholds = { minImpact: 10, minPercent: 25 };

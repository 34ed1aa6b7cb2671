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
import type { StoredHistory } from './collection.ts';

/** What of a history falls between two times, in milliseconds since the epoch. */
function pointsBetween(
  history: StoredHistory,
  since: number,
  until: number,
): StoredHistory | undefined {
  const series = history.series
    .map((one) => ({ ...one, points: one.points.filter(([at]) => at >= since && at < until) }))
    .filter(({ points }) => points.length > 0);
  return series.length > 0 ? { ...history, series } : undefined;
}

export const predictionModule = {
  collections: [
    stores(flips, flipShape),
    stores(policyLimits, limitsShape),
    stores(attributeHistories, historyShape, {
      archive: {
        orderBy: 'oldest',
        keptMs: (retention) => retention.attribute_history,
        pick: pointsBetween,
      },
    }),
    stores(forecasts, forecastShape),
  ],
} satisfies Module;

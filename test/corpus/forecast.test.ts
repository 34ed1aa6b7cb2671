// Forecasts of real daily cost, made strictly from what was known before: one a week from day 56 on, of 14 days each.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Forecast } from '../../src/cost/forecast/forecast.ts';
import { forecastDaily } from '../../src/cost/forecast/forecast.ts';

const file = path.resolve(
  import.meta.dirname,
  '../../../shared/data/focus-cost/jupyterhub__binder-billing/mybinder_gcp_daily_cost.csv',
);
const isThere = existsSync(file);
if (!isThere) console.log('skipped: the public daily cost is not in this checkout');

const horizon = 14;

/** The daily cost of each category and project that has any, by name. */
function readSeries(): ReadonlyMap<string, readonly number[]> {
  const series = new Map<string, number[]>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n').slice(1)) {
    const [, name = '', value] = line.split(',');
    if (!/^(?:category|project_id):/.test(name)) continue;
    series.set(name, [...(series.get(name) ?? []), Number(value)]);
  }
  return new Map([...series].filter(([, values]) => values.some((value) => value !== 0)));
}

interface Score {
  readonly ratio: number;
  readonly days: number;
  readonly within80: number;
  readonly within95: number;
}

async function scoreOf(values: readonly number[]): Promise<Score> {
  let [error, naive, days, within80, within95] = [0, 0, 0, 0, 0];
  for (let at = 56; at + horizon <= values.length; at += 7) {
    const points = pointsOf(await forecastDaily(values.slice(0, at), horizon));
    for (const [ahead, { mean, interval80, interval95 }] of points.entries()) {
      const value = values[at + ahead] ?? NaN;
      error += Math.abs(value - mean);
      naive += Math.abs(value - (values[at - 7 + (ahead % 7)] ?? NaN));
      days += 1;
      if (interval80[0] <= value && value <= interval80[1]) within80 += 1;
      if (interval95[0] <= value && value <= interval95[1]) within95 += 1;
    }
  }
  return { ratio: error / naive, days, within80, within95 };
}

function pointsOf(forecast: Forecast) {
  if (forecast.method === 'none') throw new Error(forecast.reason);
  return forecast.points;
}

describe.runIf(isThere)('forecasts of real daily cost', () => {
  it('err less than the last week again, and their intervals contain what they say', async () => {
    const scores = new Map<string, Score>();
    for (const [name, values] of readSeries()) scores.set(name, await scoreOf(values));
    const all = [...scores.values()];
    const sum = (of: (score: Score) => number): number =>
      all.reduce((total, score) => total + of(score), 0);
    const mean = sum(({ ratio }) => ratio) / all.length;
    const [in80, in95] = [sum((one) => one.within80), sum((one) => one.within95)].map(
      (hits) => hits / sum(({ days }) => days),
    );
    console.log(
      [...scores].map(([name, { ratio }]) => `${name} ${ratio.toFixed(3)}`).join(', '),
      `; mean ${mean.toFixed(3)}, within 80 %: ${in80?.toFixed(3)}, within 95 %: ${in95?.toFixed(3)}`,
    );
    expect(all).toHaveLength(6);
    expect(mean).toBeLessThanOrEqual(0.9);
    expect(Math.max(...all.map(({ ratio }) => ratio))).toBeLessThanOrEqual(1.05);
    expect(in80).toBeGreaterThanOrEqual(0.72);
    expect(in80).toBeLessThanOrEqual(0.88);
    expect(in95).toBeGreaterThanOrEqual(0.9);
    expect(in95).toBeLessThanOrEqual(0.99);
  });
});

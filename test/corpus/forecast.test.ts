// Forecasts of real daily cost, made strictly from what was known before: one a week from day 56 on, of 14 days each. The
// figures of docs/cost.md: `npm run docs` writes them where the public data is.
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ForecastPoint } from '../../src/cost/forecast/forecast.ts';
import { forecastDaily, sumOfDays } from '../../src/cost/forecast/forecast.ts';
import { isDailyCostThere, readDailyCost } from './daily-cost.ts';
import { withBlock } from './generated-block.ts';

const docs = path.resolve(import.meta.dirname, '../../docs/cost.md');
const horizon = 14;
/** Days that a sum is forecast of, too. */
const longer = 30;

/** How many values their intervals of 80 and 95 % contained. */
interface Within {
  readonly of: number;
  readonly in80: number;
  readonly in95: number;
}
interface Score {
  readonly length: number;
  readonly ratio: number;
  readonly days: Within;
  /** Sums of all days of a forecast, by their number. */
  readonly sums: ReadonlyMap<number, Within>;
}

const none: Within = { of: 0, in80: 0, in95: 0 };
const both = (a: Within, b: Within): Within => ({
  of: a.of + b.of,
  in80: a.in80 + b.in80,
  in95: a.in95 + b.in95,
});
const withinOf = (value: number, { interval80, interval95 }: ForecastPoint): Within => ({
  of: 1,
  in80: interval80[0] <= value && value <= interval80[1] ? 1 : 0,
  in95: interval95[0] <= value && value <= interval95[1] ? 1 : 0,
});

async function scoreOf(values: readonly number[]): Promise<Score> {
  let [error, naive, days] = [0, 0, none];
  const sums = new Map([horizon, longer].map((length) => [length, none]));
  for (let at = 56; at + horizon <= values.length; at += 7) {
    const forecast = await forecastDaily(values.slice(0, at), longer);
    if (forecast.method === 'none') throw new Error(forecast.reason);
    for (const [ahead, point] of forecast.points.slice(0, horizon).entries()) {
      const value = values[at + ahead] ?? NaN;
      error += Math.abs(value - point.mean);
      naive += Math.abs(value - (values[at - 7 + (ahead % 7)] ?? NaN));
      days = both(days, withinOf(value, point));
    }
    for (const [length, known] of sums) {
      if (at + length > values.length) continue;
      const sum = values.slice(at, at + length).reduce((all, value) => all + value, 0);
      sums.set(length, both(known, withinOf(sum, sumOfDays(forecast, 0, length))));
    }
  }
  return { length: values.length, ratio: error / naive, days, sums };
}

interface Figures {
  readonly scores: ReadonlyMap<string, Score>;
  readonly mean: number;
  readonly days: Within;
}

async function score(): Promise<Figures> {
  const scores = new Map<string, Score>();
  for (const [name, values] of readDailyCost()) scores.set(name, await scoreOf(values));
  const all = [...scores.values()];
  return {
    scores,
    mean: all.reduce((sum, { ratio }) => sum + ratio, 0) / all.length,
    days: all.map(({ days }) => days).reduce(both, none),
  };
}

function section({ scores, mean, days }: Figures): string {
  const percent = (hits: number, of: number): string => `${((100 * hits) / of).toFixed(0)}%`;
  const covered = (what: string, { of, in80, in95 }: Within): string =>
    `| ${what} | ${of.toLocaleString('en-US')} | ${percent(in80, of)} | ${percent(in95, of)} |`;
  const sumsOf = (length: number): Within =>
    [...scores.values()].map(({ sums }) => sums.get(length) ?? none).reduce(both, none);
  return `Daily cost of mybinder.org on Google Cloud until 2018-12-31, a forecast of ${horizon} days each week from day 56 on. The ratio is the mean
absolute error, divided by that of repeating the last week.

| series | days | ratio |
|---|---|---|
${[...scores].map(([name, { length, ratio }]) => `| \`${name}\` | ${length} | ${ratio.toFixed(3)} |`).join('\n')}
| mean | | ${mean.toFixed(3)} |

| intervals of | forecasts | within 80% | within 95% |
|---|---|---|---|
${covered('days, 1 to 14 ahead', days)}
${covered('sums of 14 days', sumsOf(horizon))}
${covered('sums of 30 days', sumsOf(longer))}
`;
}

describe.runIf(isDailyCostThere)('forecasts of real daily cost', () => {
  let figures: Figures;
  beforeAll(async () => {
    figures = await score();
  });

  it('err less than the last week again', () => {
    const { scores, mean } = figures;
    expect(scores.size).toBe(6);
    expect(mean).toBeLessThanOrEqual(0.9);
    expect(Math.max(...[...scores.values()].map(({ ratio }) => ratio))).toBeLessThanOrEqual(1.05);
  });

  it('have intervals that contain what they say', () => {
    const { of, in80, in95 } = figures.days;
    expect(in80 / of).toBeGreaterThanOrEqual(0.72);
    expect(in80 / of).toBeLessThanOrEqual(0.88);
    expect(in95 / of).toBeGreaterThanOrEqual(0.9);
    expect(in95 / of).toBeLessThanOrEqual(0.99);
  });

  it('have the figures that docs/cost.md says', async () => {
    const text = withBlock(docs, 'test/corpus/forecast.test.ts', section(figures));
    await expect(text).toMatchFileSnapshot(docs);
  });
});

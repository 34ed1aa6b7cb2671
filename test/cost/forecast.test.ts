import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Forecast } from '../../src/cost/forecast/forecast.ts';
import { forecastDaily, sumOfDays } from '../../src/cost/forecast/forecast.ts';

const day = fc.double({ min: 0, max: 1e9, noNaN: true });
const daysOf = (minLength: number, maxLength: number) => fc.array(day, { minLength, maxLength });

function pointsOf(forecast: Forecast) {
  if (forecast.method === 'none') throw new Error(forecast.reason);
  return forecast.points;
}

/** Each weekday has its own cost, and every week is the same. */
const weekly = (weeks: number): number[] =>
  Array.from({ length: weeks * 7 }, (_, at) => [10, 12, 11, 13, 20, 3, 2][at % 7] ?? 0);

describe('a forecast of daily cost', () => {
  it('is none with its reason under 7 days, and the mean with a note under 28', async () => {
    expect(await forecastDaily([], 5)).toEqual({
      method: 'none',
      reason: '0 days of data; a forecast requires 7',
    });
    expect(await forecastDaily([1, 2, 3, 4, 5, 6], 5)).toMatchObject({ method: 'none' });
    const forecast = await forecastDaily([1, 2, 3, 4, 5, 6, 7], 5);
    expect(forecast).toMatchObject({ method: 'mean', note: expect.stringContaining('7 days') });
    const points = pointsOf(forecast);
    expect(points).toHaveLength(5);
    expect(points[0]?.mean).toBe(4);
    expect(points[0]?.interval80[0]).toBeLessThan(1);
  });

  it('counts days from the first with cost on', async () => {
    expect(await forecastDaily([...new Array<number>(60).fill(0), 1, 2, 3], 5)).toMatchObject({
      method: 'none',
      reason: expect.stringContaining('3 days'),
    });
  });

  it('goes on with what is the same each week, with intervals of no width', async () => {
    const points = pointsOf(await forecastDaily(weekly(10), 14));
    const expected = weekly(2);
    for (const [at, { mean, interval95 }] of points.entries()) {
      expect(mean).toBeCloseTo(expected[at] ?? NaN, 3);
      expect(interval95[1] - interval95[0]).toBeLessThan(0.01);
    }
  });

  it('is not led astray by a single day', async () => {
    const values = weekly(10);
    values[64] = 5_000;
    const [first] = pointsOf(await forecastDaily(values, 7));
    expect(first?.mean).toBeLessThan(20);
  });

  it('reaches a year ahead with intervals that grow', async () => {
    const values = weekly(12).map((value, at) => value + ((at * 7_919) % 13) / 5);
    const points = pointsOf(await forecastDaily(values, 365));
    expect(points).toHaveLength(365);
    const width = (at: number): number => {
      const [low, high] = points[at]?.interval80 ?? [0, 0];
      return high - low;
    };
    expect(width(364)).toBeGreaterThan(width(14));
  });

  it('has the errors of earlier forecasts, and of the last week again', async () => {
    const forecast = await forecastDaily(weekly(12), 7);
    if (forecast.method === 'none') throw new Error(forecast.reason);
    expect(forecast.backtest?.origins).toBeGreaterThan(5);
    expect(forecast.backtest?.seasonalNaiveMae).toBe(0);
    expect(forecast.backtest?.mae).toBeLessThan(1);
  });

  it('says how many days earlier intervals contained, once there were enough', async () => {
    const noisy = weekly(30).map((value, at) => value + ((at * 7_919) % 13) / 2);
    const forecast = await forecastDaily(noisy, 7);
    if (forecast.method === 'none') throw new Error(forecast.reason);
    const [in80 = 0, in95 = 0] = forecast.backtest?.coverage ?? [];
    expect(in80).toBeGreaterThan(0.6);
    expect(in95).toBeGreaterThanOrEqual(in80);
    const few = await forecastDaily(noisy.slice(0, 28), 7);
    expect(few).not.toHaveProperty('backtest.coverage');
  });

  it('adds days up, with an interval narrower than theirs together, and never below 0', async () => {
    const noisy = weekly(30).map((value, at) => value + ((at * 7_919) % 13) / 2);
    const forecast = await forecastDaily(noisy, 60);
    if (forecast.method === 'none') throw new Error(forecast.reason);
    const { points } = forecast;
    const width = ({ interval80: [low, high] }: { interval80: readonly [number, number] }) =>
      high - low;
    expect(sumOfDays(forecast, 3, 4)).toEqual(points[3]);
    const month = sumOfDays(forecast, 0, 30);
    const together = points.slice(0, 30).reduce((sum, point) => sum + width(point), 0);
    expect(month.mean).toBeCloseTo(
      points.slice(0, 30).reduce((sum, { mean }) => sum + mean, 0),
      6,
    );
    expect(width(month)).toBeLessThan(together * 0.9);
    expect(width(sumOfDays(forecast, 0, 60))).toBeGreaterThan(width(month));
    expect(sumOfDays(forecast, 0, 0)).toEqual({ mean: 0, interval80: [0, 0], interval95: [0, 0] });
  });

  it('is finite, ordered and never negative, whatever the days were', async () => {
    await fc.assert(
      fc.asyncProperty(daysOf(0, 80), fc.integer({ min: 1, max: 40 }), async (values, horizon) => {
        const forecast = await forecastDaily(values, horizon);
        if (forecast.method === 'none') return;
        expect(forecast.points).toHaveLength(horizon);
        for (const { mean, interval80, interval95 } of forecast.points) {
          const ends = [interval95[0], interval80[0], mean, interval80[1], interval95[1]];
          expect(ends.every((end) => Number.isFinite(end) && end >= 0)).toBe(true);
          expect(ends).toEqual(ends.toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is the same each time, and ends where its caller ends it', async () => {
    const values = weekly(20).map((value, at) => value * (1 + ((at * 31) % 7) / 10));
    expect(await forecastDaily(values, 14)).toEqual(await forecastDaily(values, 14));
    let turns = 0;
    const ended = forecastDaily(values, 14, () =>
      (turns += 1) === 3 ? Promise.reject(new Error('ended')) : Promise.resolve(),
    );
    await expect(ended).rejects.toThrow('ended');
    expect(turns).toBe(3);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTrend, theilSen } from '../../../src/engine/predict/trend.ts';
import type { Point } from '../../../src/engine/predict/trend.ts';

const day = 86_400_000;
const start = Date.parse('2026-01-01T00:00:00Z');

/** One value a day. */
const daily = (values: readonly number[]): Point[] =>
  values.map((value, i) => [start + i * day, value]);
const line = (from: number, perDay: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => from + i * perDay);
const inDays = (ms: number): number => (ms - start) / day;

const integers = { min: -1_000, max: 1_000 };
const series = fc.array(fc.integer(integers), { minLength: 5, maxLength: 30 });
const slopes = fc.integer({ min: 1, max: 50 });

describe('a trend', () => {
  it('of a straight line is that line, without doubt', () => {
    const trend = findTrend(daily(line(90, -2, 10)), 60);
    for (const moment of [trend?.at, ...(trend?.interval ?? [])]) {
      expect(inDays(moment ?? 0)).toBeCloseTo(15, 6);
    }
    expect(trend?.chanceBy(start + 16 * day)).toBe(1);
    expect(trend?.chanceBy(start + 14 * day)).toBe(0);
  });

  it.each([
    ['too few values', daily([5, 4, 3, 2]), 0],
    ['too short a time', daily([5, 4, 3, 2, 1]).map(([at, v]): Point => [start + (at - start) / 2, v]), 0], // prettier-ignore
    ['values that stay', daily([5, 5, 5, 5, 5, 5]), 0],
    ['a way that leads elsewhere', daily([1, 2, 3, 4, 5, 6]), 0],
  ])('is not seen in %s', (_, points, target) => {
    expect(findTrend(points, target)).toBeUndefined();
  });

  it('ends where the value has stayed for long', () => {
    const fallen = daily(line(30, -2, 8));
    expect(findTrend(fallen, 6)).toBeDefined();
    expect(findTrend([...fallen, [start + 60 * day, 16]], 6)).toBeUndefined();
  });

  it('is the slope of most points, whatever the others are', () => {
    fc.assert(
      fc.property(slopes, fc.nat(9), fc.integer({ min: -1e9, max: 1e9 }), (slope, where, odd) => {
        const values = line(0, slope, 10).with(where, odd);
        expect(theilSen(line(0, 1, 10), values)).toBeCloseTo(slope, 9);
      }),
    );
  });

  it('is the same for the same points, and moves with them in time and value', () => {
    const shift = fc.integer({ min: -400, max: 400 });
    fc.assert(
      fc.property(series, shift, shift, fc.integer(integers), (values, later, higher, target) => {
        const points = daily(values);
        const found = findTrend(points, target);
        const again = findTrend(points, target);
        expect([again?.at, again?.interval]).toEqual([found?.at, found?.interval]);
        const moved = points.map(([at, value]): Point => [at + later * day, value + higher]);
        const shifted = findTrend(moved, target + higher)?.at;
        expect(shifted === undefined).toBe(found === undefined);
        if (found && shifted !== undefined) {
          expect(inDays(shifted) / 1e6).toBeCloseTo((inDays(found.at) + later) / 1e6, 6);
        }
      }),
    );
  });

  it('lies ahead and in its interval, and its chance only grows with time', () => {
    fc.assert(
      fc.property(series, fc.integer(integers), (values, target) => {
        const points = daily(values);
        const trend = findTrend(points, target);
        if (!trend) return;
        const [from, to] = trend.interval;
        expect(from).toBeLessThanOrEqual(trend.at);
        expect(to).toBeGreaterThanOrEqual(trend.at);
        expect(from).toBeGreaterThanOrEqual(points.at(-1)?.[0] ?? Infinity);
        const chances = [1, 10, 100, 1_000, 1e6].map((days) => trend.chanceBy(start + days * day));
        expect(chances).toEqual(chances.toSorted((a, b) => a - b));
        expect(chances.every((one) => one >= 0 && one <= 1)).toBe(true);
      }),
    );
  });

  it('has an interval that holds the truth in about 8 of 10 noisy series', () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const noise = (): number => random() + random() + random() + random() - 2;
    let held = 0;
    for (let i = 0; i < 300; i++) {
      const values = line(100, -1, 30).map((value) => value + noise());
      const last = values.at(-1) ?? 0;
      // From the last value on, the truth is 1 a day.
      const trend = findTrend(daily(values), last - 20);
      const truth = start + 49 * day;
      if (trend && trend.interval[0] <= truth && truth <= trend.interval[1]) held += 1;
    }
    expect(held / 300).toBeGreaterThan(0.65);
    expect(held / 300).toBeLessThan(0.95);
  });
});

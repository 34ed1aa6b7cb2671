import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findEpisodes, longestEpisode, warmUpDays } from '../../src/cost/anomalies/detect.ts';
import type { Thresholds } from '../../src/cost/anomalies/detect.ts';

const thresholds: Thresholds = { minImpact: 10, minPercent: 25 };
const find = (values: readonly number[], given: Partial<Thresholds> = {}) =>
  findEpisodes(values, () => ({ ...thresholds, ...given }));
const placesOf = (values: readonly number[]) =>
  find(values).map(({ start, end }) => [start, end] as const);

/** Ten weeks: less at weekends, and never quite the same. */
const usual = Array.from(
  { length: 70 },
  (_, at) => (at % 7 < 5 ? 100 : 40) + ((at * 7_919) % 13) / 4,
);
const with_ = (changes: Readonly<Record<number, number>>): number[] =>
  usual.map((value, at) => value + (changes[at] ?? 0));
const days = (from: number, to: number, value: number): Record<number, number> =>
  Object.fromEntries(Array.from({ length: to - from }, (_, at) => [from + at, value]));

describe('anomalies of daily cost', () => {
  it('are none where each week is as the one before', () => {
    expect(find(usual)).toEqual([]);
    expect(find(new Array<number>(100).fill(5))).toEqual([]);
    expect(find(new Array<number>(100).fill(0))).toEqual([]);
  });

  it('are a spike, on a weekday and at a weekend, with what was expected', () => {
    expect(placesOf(with_({ 57: 50 }))).toEqual([[57, 57]]);
    expect(placesOf(with_({ 62: 30 }))).toEqual([[62, 62]]);
    const [spike] = find(with_({ 57: 50 }));
    expect(spike?.actual).toBe((usual[57] ?? 0) + 50);
    expect(spike?.expected).toBeCloseTo(100, -1);
    expect(spike?.peakPercent).toBeGreaterThan(40);
  });

  it('last over weekends as long as the cost stays up, and over one usual day', () => {
    expect(placesOf(with_(days(56, 66, 50)))).toEqual([[56, 65]]);
    expect(placesOf(with_({ 57: 50, 59: 50 }))).toEqual([[57, 59]]);
    expect(placesOf(with_({ 57: 50, 60: 50 }))).toEqual([
      [57, 57],
      [60, 60],
    ]);
  });

  it('end after two weeks: the level is the new normal', () => {
    expect(placesOf(with_(days(45, 70, 60)))).toEqual([[45, 45 + longestEpisode - 1]]);
  });

  it('are not a drop, nor the return from one within a week', () => {
    expect(find(with_(days(50, 54, -35)))).toEqual([]);
    expect(placesOf([...usual.slice(0, 50).fill(100), ...new Array<number>(10).fill(20), ...new Array<number>(10).fill(100)])).toEqual([[60, 69]]); // prettier-ignore
  });

  it('are cost where there was none before', () => {
    const values = new Array<number>(60).fill(0);
    values[58] = 11;
    expect(find(values)).toEqual([
      { start: 58, end: 58, expected: 0, actual: 11, peakPercent: Infinity },
    ]);
    expect(find(values, { minImpact: 12 })).toEqual([]);
  });

  it('exceed the share and the amount', () => {
    expect(find(with_({ 57: 50 }), { minPercent: 60 })).toEqual([]);
    expect(find(with_({ 57: 50 }), { minImpact: 60 })).toEqual([]);
    expect(find(with_(days(57, 60, 50)), { minImpact: 60 })).toHaveLength(1);
  });

  it('are never found by looking ahead: what begins is the same, whatever follows', () => {
    const day = fc.oneof(fc.integer({ min: 80, max: 120 }), fc.integer({ min: 0, max: 400 }));
    fc.assert(
      fc.property(fc.array(day, { minLength: 50, maxLength: 120 }), fc.nat(), (values, cut) => {
        const length = warmUpDays + (cut % (values.length - warmUpDays));
        const open = { minImpact: 0 };
        const whole = find(values, open).filter(({ start }) => start < length);
        const part = find(values.slice(0, length), open);
        expect(part.map(({ start }) => start)).toEqual(whole.map(({ start }) => start));
        for (const { start, end } of whole) expect(end - start).toBeLessThan(longestEpisode);
      }),
    );
  });
});

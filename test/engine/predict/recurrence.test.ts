import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRecurrence, fitPrior, recordAt } from '../../../src/engine/predict/recurrence.ts';
import type { PairRecord, VerdictHistory } from '../../../src/engine/predict/recurrence.ts';

const day = 86_400_000;
const history = (...changes: [number, PairRecord['state']][]): VerdictHistory =>
  changes.map(([days, state]) => [days * day, state]);
const passing = (falls: number, days: number): PairRecord => ({ state: 'PASS', failures: Math.max(2, falls), falls, days }); // prettier-ignore

const days = fc.double({ min: 0.1, max: 5_000, noNaN: true });
const pools = fc
  .array(fc.record({ falls: fc.nat(20), days }), { minLength: 20, maxLength: 60 })
  .filter((pool) => pool.some(({ falls }) => falls > 0));

describe('the record of a verdict', () => {
  const seen = history([0, 'FAIL'], [10, 'PASS'], [30, 'FAIL'], [31, 'PASS'], [50, 'gone']);

  it.each([
    [-1, undefined],
    [5, { state: 'FAIL', failures: 1, falls: 0, days: 0 }],
    [20, { state: 'PASS', failures: 1, falls: 0, days: 10 }],
    [40, { state: 'PASS', failures: 2, falls: 1, days: 29 }],
    [60, { state: 'gone', failures: 2, falls: 1, days: 39 }],
  ])('on day %s is %o', (moment, expected) => {
    expect(recordAt(seen, moment * day)).toEqual(expected);
  });

  it('never depends on what comes later', () => {
    const changes = fc.array(
      fc.tuple(fc.nat(100), fc.constantFrom<PairRecord['state'][]>('PASS', 'FAIL', 'gone')),
    );
    fc.assert(
      fc.property(changes, fc.nat(100), (given, moment) => {
        const sorted = given.toSorted(([a], [b]) => a - b);
        const cut = sorted.filter(([at]) => at <= moment);
        expect(recordAt(cut, moment)).toEqual(recordAt(sorted, moment));
      }),
    );
  });
});

describe('the rates of a pool', () => {
  it('are not told of fewer than 20, or where nothing fell', () => {
    expect(fitPrior(Array.from({ length: 19 }, () => passing(1, 10)))).toBeUndefined();
    expect(fitPrior(Array.from({ length: 30 }, () => passing(0, 10)))).toBeUndefined();
  });

  it('have the mean of the pool', () => {
    fc.assert(
      fc.property(pools, (pool) => {
        const prior = fitPrior(pool);
        const falls = pool.reduce((sum, one) => sum + one.falls, 0);
        const exposed = pool.reduce((sum, one) => sum + one.days, 0);
        expect((prior?.shape ?? 0) / (prior?.rate ?? 1) / (falls / exposed)).toBeCloseTo(1, 9);
      }),
    );
  });

  it('are close together where resources are alike, and apart where few fail often', () => {
    const alike = fitPrior(Array.from({ length: 40 }, (_, i) => passing(i % 2, 100)));
    const apart = fitPrior(Array.from({ length: 40 }, (_, i) => passing(i < 2 ? 10 : 0, 100)));
    expect(alike?.rate).toBeGreaterThan(100_000);
    expect(apart?.rate).toBeLessThan(100);
  });
});

describe('a recurrence', () => {
  const prior = { shape: 0.5, rate: 200 };

  it.each([
    ['it fails', { ...passing(3, 10), state: 'FAIL' as const }],
    ['it is gone', { ...passing(3, 10), state: 'gone' as const }],
    ['it failed once only', { ...passing(1, 10), failures: 1 }],
  ])('is not told where %s', (_, record) => {
    expect(findRecurrence(record, prior)).toBeUndefined();
  });

  it('is even at its median', () => {
    const found = findRecurrence(passing(3, 100), prior);
    // 1 - (300 / (300 + t)) ** 3.5
    expect(found?.medianDays).toBeCloseTo(300 * (2 ** (1 / 3.5) - 1), 9);
    expect(found?.chanceWithin(found.medianDays)).toBeCloseTo(0.5, 9);
    expect(found?.chanceWithin(30)).toBeCloseTo(1 - (300 / 330) ** 3.5, 9);
  });

  it('is likelier the more falls there were, the less time it passed, and the more time comes', () => {
    fc.assert(
      fc.property(pools, fc.integer({ min: 2, max: 20 }), days, days, (pool, falls, passed, within) => {
        const fitted = fitPrior(pool);
        if (!fitted) throw new Error('pools are large enough');
        const chance = (record: PairRecord, by = within): number =>
          findRecurrence(record, fitted)?.chanceWithin(by) ?? NaN;
        const one = chance(passing(falls, passed));
        expect(one).toBeGreaterThanOrEqual(0);
        expect(one).toBeLessThanOrEqual(1);
        expect(chance(passing(falls + 1, passed))).toBeGreaterThanOrEqual(one);
        expect(chance(passing(falls, passed * 2))).toBeLessThanOrEqual(one);
        expect(chance(passing(falls, passed), within * 2)).toBeGreaterThanOrEqual(one);
      }),
    ); // prettier-ignore
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { untilNow, withPoint } from '../../../src/engine/predict/history.ts';
import type { Point } from '../../../src/engine/predict/trend.ts';

const day = 86_400_000;

describe('the history of an attribute', () => {
  it('begins with the value before the first change', () => {
    expect(withPoint(undefined, [1, 5], [9, 6])).toEqual([[1, 5], [9, 6]]); // prettier-ignore
  });

  it('has the last of several changes at one moment', () => {
    const two = withPoint(undefined, [1, 5], [9, 6]);
    expect(withPoint(two, [9, 6], [9, 7])).toEqual([[1, 5], [9, 7]]); // prettier-ignore
  });

  it('is in the order of time and bounded in count and age, whatever comes', () => {
    const changes = fc.array(
      fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: -9, max: 9 })),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(changes, (given) => {
        let now = 0;
        let before: Point = [0, 0];
        let history: readonly Point[] | undefined;
        for (const [later, value] of given) {
          now += later * day;
          history = withPoint(history, before, [now, value]);
          before = [now, value];
        }
        for (const points of [history ?? [], untilNow(history ?? [], now, before[1])]) {
          const times = points.map(([at]) => at);
          expect(points.at(-1)).toEqual(before);
          expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
          expect(points.length).toBeLessThanOrEqual(30);
          expect(now - (times[0] ?? now)).toBeLessThanOrEqual(400 * day);
        }
      }),
    );
  });

  it('holds its last value until now', () => {
    expect(untilNow([[1, 5]], 9, 5)).toEqual([[1, 5], [9, 5]]); // prettier-ignore
  });
});

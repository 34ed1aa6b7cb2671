import { describe, expect, it } from 'vitest';
import { playBack } from '../../../../src/server/reports/gather/history.ts';
import type { StoredViolation } from '../../../../src/server/violations/collection.ts';

type Change = StoredViolation['history'][number];
const at = (day: number): number => Date.UTC(2026, 2, day);
const change = (day: number, status: Change['status'], cause: Change['cause']): Change => ({
  status,
  at: new Date(at(day)).toISOString(),
  cause,
});
/** Found on the 2nd, exempt from the 5th to the 8th, resolved on the 10th, open again from the 20th. */
const history = [
  change(2, 'OPEN', 'fails'),
  change(5, 'EXEMPT', 'exempted'),
  change(8, 'OPEN', 'exemption_ended'),
  change(10, 'RESOLVED', 'passes'),
  change(20, 'OPEN', 'fails'),
];
const within = (since: number | undefined, until: number) =>
  playBack({ history }, { since: since === undefined ? undefined : at(since), until: at(until) });

describe('what a violation was in a span of time', () => {
  it.each([
    // since, until, at its start, at its end, open within
    [undefined, 31, undefined, 'OPEN', true],
    [undefined, 2, undefined, undefined, false],
    [3, 4, 'OPEN', 'OPEN', true],
    [6, 7, 'EXEMPT', 'EXEMPT', false],
    [6, 9, 'EXEMPT', 'OPEN', true],
    [9, 15, 'OPEN', 'RESOLVED', true],
    [11, 20, 'RESOLVED', 'RESOLVED', false],
    [11, 21, 'RESOLVED', 'OPEN', true],
  ] as const)('from day %s up to day %s', (since, until, atStart, atEnd, wasOpen) => {
    expect(within(since, until)).toMatchObject({
      ...(atStart === undefined ? {} : { atStart }),
      ...(atEnd === undefined ? {} : { atEnd }),
      wasOpen,
    });
    expect('atStart' in within(since, until)).toBe(atStart !== undefined);
    expect('atEnd' in within(since, until)).toBe(atEnd !== undefined);
  });

  it('says when it was found, as of then, and how long it lasted', () => {
    expect(within(undefined, 10)).toMatchObject({ foundAt: at(2) });
    expect(within(undefined, 11)).toMatchObject({ resolvedAt: at(10) });
    expect(within(9, 11).steps).toEqual([
      { at: at(10), from: 'OPEN', to: 'RESOLVED', cause: 'passes', lasted: 8 * 24 * 3_600_000 },
    ]);
    const later = within(undefined, 31);
    expect(later).toMatchObject({ foundAt: at(20) });
    expect('resolvedAt' in later).toBe(false);
  });

  it('counts a further reason for one that is resolved as no change', () => {
    const noted = [...history.slice(0, 4), change(12, 'RESOLVED', 'manual'), ...history.slice(4)];
    const whole = { until: at(31) };
    expect(playBack({ history: noted }, whole)).toEqual(playBack({ history }, whole));
    const resolved = { until: at(15) };
    expect(playBack({ history: noted }, resolved)).toEqual(playBack({ history }, resolved));
  });

  it('does not guess what was before the first change that is kept', () => {
    const many = Array.from({ length: 20 }, (_, number) =>
      number % 2 === 0
        ? change(number + 3, 'RESOLVED', 'passes')
        : change(number + 3, 'OPEN', 'fails'),
    );
    const all = playBack({ history: many }, { until: at(31) });
    expect(all.isCut).toBe(true);
    // When the first one was found is gone; the second lasted a day.
    expect(all.steps[0]).toEqual({ at: at(3), to: 'RESOLVED', cause: 'passes' });
    expect(all.steps[2]).toMatchObject({ from: 'OPEN', to: 'RESOLVED', lasted: 24 * 3_600_000 });
    expect(playBack({ history: many }, { since: at(4), until: at(31) }).isCut).toBe(false);
    const before = playBack({ history: many }, { until: at(2) });
    expect(before).toMatchObject({ isCut: true, wasOpen: false });
    expect('atEnd' in before).toBe(false);
  });
});

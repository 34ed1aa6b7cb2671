import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextAttempt, pauseAfter } from '../../../../src/server/outbound/retry.ts';
import type { FailedAttempt } from '../../../../src/server/outbound/retry.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = Date.parse('2026-03-01T12:00:00.000Z');

const failed = (fields: Partial<FailedAttempt> = {}): FailedAttempt => ({
  attempt: 1,
  firstAt: start,
  now: start,
  config: undefined,
  random: 0.5,
  ...fields,
});

/** Milliseconds after the start at which attempts are made, each failing at once, until it is given up. */
function attemptsOf(config: FailedAttempt['config'], random: () => number): number[] {
  const times = [0];
  for (;;) {
    const now = start + (times.at(-1) ?? 0);
    const next = nextAttempt(failed({ attempt: times.length, now, config, random: random() }));
    if (next === undefined) return times;
    expect(next).toBeGreaterThan(now);
    times.push(next - start);
  }
}

const pausesOf = (times: readonly number[]): number[] =>
  times.slice(1).map((time, at) => time - (times[at] ?? 0));

describe('the schedule', () => {
  test('is 1, 2, 4, 8 and 16 seconds, then twice as long each time, an hour at most', () => {
    const seconds = Array.from({ length: 16 }, (_, at) => pauseAfter(at + 1, {}, 0.5) / 1000);
    expect(seconds).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, ...Array(4).fill(3_272.727)]); // prettier-ignore
  });

  test('grows by the multiplier, and by at least two after the fifth retry', () => {
    const seconds = (multiplier: number) =>
      Array.from({ length: 8 }, (_, at) => pauseAfter(at + 1, { backoff_multiplier: multiplier }, 0.5) / 1000); // prettier-ignore
    expect(seconds(1)).toEqual([1, 1, 1, 1, 1, 2, 4, 8]);
    expect(seconds(1.5)).toEqual([1, 1.5, 2.25, 3.375, 5.063, 10.125, 20.25, 40.5]);
    expect(seconds(10)).toEqual([1, 10, 100, 1000, ...Array<number>(4).fill(3_272.727)]);
  });

  test('is exactly the stated one, to the end, where max_attempts is given', () => {
    const seconds = (multiplier: number, random: number) =>
      Array.from({ length: 8 }, (_, at) => pauseAfter(at + 1, { max_attempts: 20, backoff_multiplier: multiplier }, random) / 1000); // prettier-ignore
    for (const random of [0, 0.5, 0.99]) {
      expect(seconds(1, random)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
      expect(seconds(1.5, random)).toEqual([1, 1.5, 2.25, 3.375, 5.063, 7.594, 11.391, 17.086]);
      expect(seconds(10, random)).toEqual([1, 10, 100, 1000, 3600, 3600, 3600, 3600]);
    }
  });

  test('is spread below the hour, too: few pauses are exactly that long', () => {
    const pauses = Array.from({ length: 100 }, (_, at) => pauseAfter(30, {}, at / 100));
    expect(new Set(pauses).size).toBe(100);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(hour);
  });

  const multipliers = fc.double({ min: 1, max: 10, noNaN: true });
  const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test('is spread by a tenth at most above 16 seconds, and exact below', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), multipliers, randoms, (attempt, m, random) => {
        const config = { backoff_multiplier: m };
        const middle = pauseAfter(attempt, config, 0.5);
        const pause = pauseAfter(attempt, config, random);
        expect(pause).toBeLessThanOrEqual(hour);
        if (middle <= 16_000) expect(pause).toBe(middle);
        expect(Math.abs(pause - middle)).toBeLessThanOrEqual(middle * 0.1 + 1);
      }),
      // Over 16 seconds by less than any clock can tell.
      { examples: [[9, 1.0000000000000002, 0]] },
    );
  });

  test('goes on for 24 hours, and tries a last time at their end', () => {
    fc.assert(
      fc.property(multipliers, fc.array(randoms, { minLength: 1 }), (multiplier, drawn) => {
        let at = 0;
        const random = () => drawn[at++ % drawn.length] ?? 0;
        const times = attemptsOf({ backoff_multiplier: multiplier }, random);
        expect(times.at(-1)).toBe(day);
        const pauses = pausesOf(times).slice(0, -1);
        for (const [before, pause] of pauses.entries()) {
          expect(pause).toBeLessThanOrEqual(hour);
          // The spread of both, before the hour is reached.
          const least = Math.min((pauses[before - 1] ?? 0) * 0.8, (hour / 1.1) * 0.9);
          expect(pause).toBeGreaterThanOrEqual(Math.floor(least));
        }
      }),
    );
  });

  test('makes exactly max_attempts where they are given, however long that takes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), multipliers, randoms, (most, m, random) => {
        const config = { max_attempts: most, backoff_multiplier: m };
        expect(attemptsOf(config, () => random)).toHaveLength(most);
      }),
    );
    const late = { config: { max_attempts: 20 }, now: start + 3 * day };
    expect(nextAttempt(failed(late))).toBe(start + 3 * day + 1_000);
  });

  test('is ended by 410, whatever remains', () => {
    expect(nextAttempt(failed({ status: 410 }))).toBeUndefined();
    expect(nextAttempt(failed({ status: 410, config: { max_attempts: 9 } }))).toBeUndefined();
  });

  test('counts its 24 hours from the first attempt, moved by pauses', () => {
    const late = { attempt: 30, now: start + day };
    expect(nextAttempt(failed(late))).toBeUndefined();
    expect(nextAttempt(failed({ ...late, firstAt: start + 5_000 }))).toBe(start + day + 5_000);
  });
});

describe('Retry-After', () => {
  const after = (value: string, fields: Partial<FailedAttempt> = {}, date?: string): number => {
    const headers = { 'retry-after': value, ...(date === undefined ? {} : { date }) };
    return (nextAttempt(failed({ status: 429, headers, ...fields })) ?? NaN) - start;
  };

  test('is honoured on 429 and 503 only', () => {
    expect(after('120')).toBe(120_000);
    expect(after('120', { status: 503 })).toBe(120_000);
    expect(after('120', { status: 500 })).toBe(1_000);
    expect(after('120', { status: undefined })).toBe(1_000);
  });

  test('takes a date of any of the three forms, measured by the receiver’s own clock', () => {
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    expect(after('Sun, 06 Nov 1994 08:51:37 GMT', {}, date)).toBe(120_000);
    expect(after('Sunday, 06-Nov-94 08:51:37 GMT', {}, date)).toBe(120_000);
    expect(after('Sun Nov  6 08:51:37 1994', {}, date)).toBe(120_000);
    expect(after('Sun, 01 Mar 2026 12:02:00 GMT')).toBe(120_000);
    expect(after('Sun, 01 Mar 2026 12:02:00 GMT', {}, 'yesterday')).toBe(120_000);
  });

  test('is never earlier than the schedule and never later than an hour', () => {
    expect(after('0')).toBe(1_000);
    expect(after('1', { attempt: 5 })).toBe(16_000);
    expect(after('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(1_000);
    expect(after('86400')).toBe(hour);
    expect(after('9'.repeat(400))).toBe(hour);
    expect(after('Fri, 31 Dec 9999 23:59:59 GMT')).toBe(hour);
  });

  test('that nobody can read is as if it were not there', () => {
    for (const text of ['', 'soon', '-5', '1.5', '2026-03-01', '12:00', 'Sun, \u0000', 'Infinity'])
      expect(after(text)).toBe(1_000);
  });

  test('beyond the 24 hours leaves the last try at their end', () => {
    const now = start + day - 60_000;
    expect(after('50', { now })).toBe(day - 10_000);
    expect(after('61', { now })).toBe(day);
    expect(after('61', { now: start + day })).toBeNaN();
  });

  test('keeps within schedule, hour and window, whatever it says', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.nat().map(String), fc.date({ noInvalidDate: true }).map((d) => d.toUTCString())), // prettier-ignore
        fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map((d) => d.toUTCString())), // prettier-ignore
        fc.constantFrom(429, 503),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 0, max: day }),
        (value, date, status, attempt, passed) => {
          const headers = { 'retry-after': value, date };
          const now = start + passed;
          const next = nextAttempt(failed({ status, headers, attempt, now }));
          if (next === undefined) return;
          expect(next).toBeLessThanOrEqual(start + day);
          expect(next - now).toBeLessThanOrEqual(hour);
          const scheduled = now + pauseAfter(attempt, {}, 0.5);
          expect(next).toBeGreaterThanOrEqual(Math.min(scheduled, start + day));
        },
      ),
    );
  });
});

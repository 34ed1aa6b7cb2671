import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dateRangeOf } from '../../src/calendar/date-range.ts';
import { dateRangeTypes } from '../../src/contract/schedules.ts';
import type { DateRangeType } from '../../src/contract/schedules.ts';

const at = (text: string): number => Date.parse(text);
const range = (type: DateRangeType, when: string, zone: string): string => {
  const { start, end } = dateRangeOf(type, at(when), zone);
  return `${start} ${end}`.replaceAll(':00.000Z', 'Z');
};

describe('a relative range', () => {
  test.each<[DateRangeType, string]>([
    ['last_24_hours', '2026-11-23T08:00Z 2026-11-24T08:00Z'],
    ['last_7_days', '2026-11-17T08:00Z 2026-11-24T08:00Z'],
    // The clocks went back on 25 October: the same time of day.
    ['last_30_days', '2026-10-25T08:00Z 2026-11-24T08:00Z'],
    ['last_week', '2026-11-15T23:00Z 2026-11-22T23:00Z'],
    ['last_month', '2026-09-30T22:00Z 2026-10-31T23:00Z'],
    ['last_quarter', '2026-06-30T22:00Z 2026-09-30T22:00Z'],
    ['last_year', '2024-12-31T23:00Z 2025-12-31T23:00Z'],
    ['month_to_date', '2026-10-31T23:00Z 2026-11-24T08:00Z'],
    ['quarter_to_date', '2026-09-30T22:00Z 2026-11-24T08:00Z'],
    ['year_to_date', '2025-12-31T23:00Z 2026-11-24T08:00Z'],
  ])('%s is read in its zone', (type, expected) => {
    expect(range(type, '2026-11-24T08:00Z', 'Europe/Berlin')).toBe(expected);
  });

  test('goes by the date of the zone, not by that of UTC', () => {
    // Already December, Tuesday there.
    expect(range('last_month', '2026-11-30T22:00Z', 'Asia/Kathmandu')).toBe(
      '2026-10-31T18:15Z 2026-11-30T18:15Z',
    );
    expect(range('last_month', '2026-12-01T02:00Z', 'America/St_Johns')).toBe(
      '2026-10-01T02:30Z 2026-11-01T02:30Z',
    );
  });

  test('last_week is Monday to Monday, on a Sunday and on a Monday too', () => {
    expect(range('last_week', '2026-11-22T12:00Z', 'UTC')).toBe(
      '2026-11-09T00:00Z 2026-11-16T00:00Z',
    );
    expect(range('last_week', '2026-11-23T00:00Z', 'UTC')).toBe(
      '2026-11-16T00:00Z 2026-11-23T00:00Z',
    );
  });

  test('a week with a change of the clocks is an hour longer or shorter', () => {
    expect(range('last_week', '2026-10-27T12:00Z', 'Europe/Berlin')).toBe(
      '2026-10-18T22:00Z 2026-10-25T23:00Z',
    );
    expect(range('last_week', '2026-03-31T12:00Z', 'Europe/Berlin')).toBe(
      '2026-03-22T23:00Z 2026-03-29T22:00Z',
    );
  });

  test('ranges of a weekly report meet where the clocks change', () => {
    const monday = range('last_7_days', '2026-10-19T07:00Z', 'Europe/Berlin');
    const next = range('last_7_days', '2026-10-26T08:00Z', 'Europe/Berlin');
    expect(monday.split(' ')[1]).toBe(next.split(' ')[0]);
  });

  test('crosses the year', () => {
    expect(range('last_quarter', '2026-02-10T00:00Z', 'UTC')).toBe(
      '2025-10-01T00:00Z 2026-01-01T00:00Z',
    );
    expect(range('last_month', '2026-01-10T00:00Z', 'UTC')).toBe(
      '2025-12-01T00:00Z 2026-01-01T00:00Z',
    );
    expect(range('last_week', '2026-01-01T00:00Z', 'UTC')).toBe(
      '2025-12-22T00:00Z 2025-12-29T00:00Z',
    );
  });

  test('to date, at the very start of a period, is the period that has just ended', () => {
    expect(range('month_to_date', '2026-11-30T23:00Z', 'Europe/Berlin')).toBe(
      '2026-10-31T23:00Z 2026-11-30T23:00Z',
    );
    expect(range('year_to_date', '2027-01-01T00:00Z', 'UTC')).toBe(
      '2026-01-01T00:00Z 2027-01-01T00:00Z',
    );
  });

  test('a day begins when the clocks have passed over its midnight', () => {
    // On 1 October 2017 Asunción went from 23:59:59 to 01:00.
    expect(range('month_to_date', '2017-10-04T12:00Z', 'America/Asuncion')).toBe(
      '2017-10-01T04:00Z 2017-10-04T12:00Z',
    );
  });
});

test('any range at any time, anywhere, starts before it ends and has nothing of the future', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...dateRangeTypes),
      fc.integer({ min: at('1990-01-01'), max: at('2100-01-01') }),
      fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
      (type, when, zone) => {
        const { start, end } = dateRangeOf(type, when, zone);
        expect(at(start)).toBeLessThan(at(end));
        expect(at(end)).toBeLessThanOrEqual(when);
        const hour = new Intl.DateTimeFormat('en-US', {
          timeZone: zone,
          hour: 'numeric',
          hourCycle: 'h23',
        });
        // Midnight, or what follows where there is none.
        if (!/days|hours/.test(type)) expect(Number(hour.format(at(start)))).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 300 },
  );
});

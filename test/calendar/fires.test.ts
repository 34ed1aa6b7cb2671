import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lastFire, nextFire, nextFires } from '../../src/calendar/fires.ts';
import { slowFires } from './oracle.ts';

const fires = (cron: string, zone: string, after: string, count: number): string[] =>
  nextFires(cron, zone, Date.parse(after), count).map((at) =>
    new Date(at).toISOString().slice(0, 16),
  );

describe('the next fires of a cron', () => {
  test('come after the time that is asked for, never at it', () => {
    expect(fires('0 9 * * *', 'UTC', '2026-11-23T09:00:00.000Z', 1)).toEqual(['2026-11-24T09:00']);
    expect(fires('0 9 * * *', 'UTC', '2026-11-23T08:59:59.999Z', 1)).toEqual(['2026-11-23T09:00']);
  });

  test('are at the time of day of their zone, in winter and in summer', () => {
    expect(fires('0 9 1 */6 *', 'Europe/Berlin', '2026-01-01T12:00Z', 2)).toEqual([
      '2026-07-01T07:00',
      '2027-01-01T08:00',
    ]);
    expect(fires('0 9 * * 1', 'Asia/Kathmandu', '2026-11-21T00:00Z', 1)).toEqual([
      '2026-11-23T03:15',
    ]);
    expect(fires('30 0 1 1 *', 'America/St_Johns', '2026-11-21T00:00Z', 1)).toEqual([
      '2027-01-01T04:00',
    ]);
  });

  test('are on either day where day of month and day of week are both restricted', () => {
    expect(fires('0 0 1 * 1', 'UTC', '2026-11-21T00:00Z', 4)).toEqual([
      '2026-11-23T00:00',
      '2026-11-30T00:00',
      '2026-12-01T00:00',
      '2026-12-07T00:00',
    ]);
    // A star with a step restricts; without one it doesn't.
    expect(fires('0 0 */10 * 1', 'UTC', '2026-12-08T00:00Z', 2)).toEqual([
      '2026-12-11T00:00',
      '2026-12-14T00:00',
    ]);
    expect(fires('0 0 */1 * 1', 'UTC', '2026-12-08T00:00Z', 1)).toEqual(['2026-12-14T00:00']);
  });

  test('take Sunday as 0, as 7, by its name and as the end of a week', () => {
    for (const sunday of ['0', '7', 'SUN', 'sun', '7-7']) {
      expect(fires(`0 0 * * ${sunday}`, 'UTC', '2026-11-21T00:00Z', 1)).toEqual([
        '2026-11-22T00:00',
      ]);
    }
    expect(fires('0 0 * * fri-sun', 'UTC', '2026-11-21T00:00Z', 2)).toEqual([
      '2026-11-22T00:00',
      '2026-11-27T00:00',
    ]);
  });

  test('go on from a start with a step to the end of the field', () => {
    expect(fires('5/15 * * * *', 'UTC', '2026-11-21T00:20Z', 3)).toEqual([
      '2026-11-21T00:35',
      '2026-11-21T00:50',
      '2026-11-21T01:05',
    ]);
  });

  test('wait eight years for a 29 February where they have to', () => {
    expect(fires('0 12 29 2 *', 'Europe/Berlin', '2096-03-01T00:00Z', 1)).toEqual([
      '2104-02-29T11:00',
    ]);
  });

  test('are none of a cron that never fires, or is none', () => {
    expect(nextFire('0 0 31 2 *', 'UTC', 0)).toBeUndefined();
    expect(nextFire('nonsense', 'UTC', 0)).toBeUndefined();
    expect(nextFires('* * * * *', 'UTC', 0, 0)).toEqual([]);
  });
});

describe('where the clocks go forward', () => {
  test('a time that is passed over fires when they have gone, once', () => {
    expect(fires('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(fires('0,15,30,45 2 * * *', 'America/New_York', '2026-03-07T12:00Z', 2)).toEqual([
      '2026-03-08T07:00',
      '2026-03-09T06:00',
    ]);
    expect(fires('15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', 1)).toEqual([
      '2026-10-03T15:30',
    ]);
  });

  test('a midnight that is passed over fires when they have gone', () => {
    expect(fires('30 0 29 * *', 'Asia/Amman', '2019-03-28T21:59Z', 1)).toEqual([
      '2019-03-28T22:00',
    ]);
    expect(fires('0 0 * * *', 'America/Santiago', '2026-09-05T12:00Z', 1)).toEqual([
      '2026-09-06T04:00',
    ]);
  });

  test('a day that a zone left out fires at the start of the next', () => {
    expect(fires('0 9 30 12 *', 'Pacific/Apia', '2011-12-29T00:00Z', 1)).toEqual([
      '2011-12-30T10:00',
    ]);
  });

  test('an hourly one fires at every hour that there is', () => {
    expect(fires('0 * * * *', 'Europe/Berlin', '2026-03-28T23:30Z', 3)).toEqual([
      '2026-03-29T00:00',
      '2026-03-29T01:00',
      '2026-03-29T02:00',
    ]);
  });
});

describe('where the clocks go back', () => {
  test('a time that comes twice fires the first time only', () => {
    for (const after of ['2026-10-25T00:30Z', '2026-10-25T00:59Z', '2026-10-25T01:10Z']) {
      expect(fires('30 2 * * *', 'Europe/Berlin', after, 1)).toEqual(['2026-10-26T01:30']);
    }
    expect(fires('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:29Z', 1)).toEqual([
      '2026-10-25T00:30',
    ]);
    expect(fires('0,45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', 3)).toEqual([
      '2026-04-04T14:00',
      '2026-04-04T14:45',
      '2026-04-05T14:30',
    ]);
  });

  test('one whose minute or hour begins with a star follows the clock', () => {
    expect(fires('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 3)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T01:00',
      '2026-10-25T02:00',
    ]);
    expect(fires('*/30 2 * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 5)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-26T01:00',
    ]);
  });
});

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Africa/Casablanca',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
];

// Days around changes of some of these clocks, and days without any.
const days = [
  '2026-02-27',
  '2026-03-08',
  '2026-03-28',
  '2026-03-29',
  '2026-04-04',
  '2026-04-23',
  '2026-09-05',
  '2026-09-26',
  '2026-10-03',
  '2026-10-24',
  '2026-10-29',
  '2026-10-31',
  '2026-12-31',
];

const values = (low: number, high: number) => fc.integer({ min: low, max: high }).map(String);
const field = (low: number, high: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 3, arbitrary: values(low, high) },
    fc.integer({ min: 1, max: Math.min(high, 30) }).map((step) => `*/${step}`),
    fc
      .tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc
      .tuple(values(low, high), fc.integer({ min: 1, max: Math.min(high, 9) }))
      .map(([start, step]) => `${start}/${step}`),
    fc.uniqueArray(values(low, high), { minLength: 2, maxLength: 4 }).map((all) => all.join(',')),
  );
const cron = fc
  .tuple(
    field(0, 59),
    fc.oneof(field(0, 3), field(0, 23)),
    field(1, 31),
    fc.oneof({ weight: 5, arbitrary: fc.constant('*') }, field(1, 12)),
    field(0, 6),
  )
  .map((fields) => fields.join(' '));

test('the fires of any cron in any zone are those that its clocks show, minute by minute', () => {
  fc.assert(
    fc.property(
      cron,
      fc.constantFrom(...zones),
      fc.constantFrom(...days),
      fc.integer({ min: 0, max: 1_439 }),
      (expression, zone, day, minute) => {
        const from = Date.parse(`${day}T00:00Z`) + minute * 60_000;
        const to = from + 36 * 3_600_000;
        const slow = slowFires(expression, zone, from, to);
        const quick = nextFires(expression, zone, from, slow.length + 1);
        expect(quick.filter((at) => at <= to)).toEqual(slow);
        // From the middle on, it is the same.
        const middle = slow[Math.floor(slow.length / 2)];
        if (middle !== undefined) {
          expect(nextFire(expression, zone, middle - 1)).toBe(middle);
          expect(lastFire(expression, zone, middle, to)).toBe(slow.at(-1));
        }
      },
    ),
    { numRuns: 60 },
  );
});

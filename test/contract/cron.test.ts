import { describe, expect, test } from 'vitest';
import { cronFault } from '../../src/contract/cron.ts';

test.each([
  '0 9 * * *',
  '0 9 * * 1',
  '0 9 1 */3 *',
  '5/15 * * * *',
  '0,30 8-17/2 1,15 jan-jun MON-FRI',
  '0 0 * * 7',
  '0 0 * * mon-sun',
  '  0   9\t* * *  ',
  '0 0 29 2 *',
  // The day of the month never comes; the day of the week does.
  '0 0 31 2 1',
  '0 0 30,31 2,3 *',
])('%s is a cron expression', (expression) => {
  expect(cronFault(expression)).toBeUndefined();
});

describe('what is no cron expression, or never runs, is told apart', () => {
  test.each([
    ['0 0 31 2 *', 'never runs: February has no day 31'],
    ['0 0 30-31 feb *', 'never runs: February has no day 30'],
    ['0 0 31 4,6,9,11 *', 'never runs: April, June, September and November have no day 31'],
    ['0 0 31 2 */1', 'never runs: February has no day 31'],
    ['0 0 9 * * *', 'has six fields; seconds are not supported, so use only the last five'],
    ['@daily', 'is "@daily"; schedule names are not supported; use 0 0 * * *'],
    ['@Reboot', 'is "@Reboot"; schedule names are not supported; use five fields'],
    ['@constructor', 'is "@constructor"; schedule names are not supported; use five fields'],
    ['CRON_TZ=Europe/Berlin 0 9 * * *', 'contains a time zone; set timezone instead'],
    ['0 9 L * *', 'has "L" as its day of month; L, W and # are not supported'],
    ['0 9 15W * *', 'has "15W" as its day of month; L, W and # are not supported'],
    ['0 9 * * FRI#2', 'has "FRI#2" as its day of week; L, W and # are not supported'],
    ['0 9 ? * 1', 'has "?" as its day of month; ? is not supported; use *'],
    ['0 9 * * mno', 'has "mno" as its day of week; did you mean mon?'],
    ['0 9 * jum *', 'has "jum" as its month; did you mean jun?'],
    ['0 22-2 * * *', `has "22-2" as its hour; a range must not start after its end; use 22-23,0-2`],
    [
      '0 9 * * sat-tue',
      `has "sat-tue" as its day of week; a range must not start after its end; use sat-6,0-tue`,
    ],
  ])('%s', (expression, fault) => {
    expect(cronFault(expression)).toBe(fault);
  });

  test.each(['', '   ', 'x', '* * * *', '* * * * * * *', '0 9 * * *;'])('"%s"', (expression) => {
    expect(cronFault(expression)).toMatch(/five fields|allowed values|use /);
  });

  test.each([
    '60 * * * *',
    '-1 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '*/60 * * * *',
    '1/ * * * *',
    '1,,2 * * * *',
    '1-2-3 * * * *',
    '1/2/3 * * * *',
    '0x1 * * * *',
    '1e1 * * * *',
    '٣ * * * *',
  ])('%s', (expression) => {
    expect(cronFault(expression)).toMatch(/; use /);
  });
});

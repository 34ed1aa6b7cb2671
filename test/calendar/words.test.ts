import { expect, test } from 'vitest';
import { describeCron, localDate, sayTime } from '../../src/calendar/words.ts';

test('a date is that of the zone', () => {
  const at = Date.parse('2026-11-23T18:30:00Z');
  expect(localDate(at, 'UTC')).toBe('2026-11-23');
  expect(localDate(at, 'Asia/Kathmandu')).toBe('2026-11-24');
});

test('a time is said with its day and its zone', () => {
  const at = Date.parse('2026-11-23T08:00:00Z');
  expect(sayTime(at, 'Europe/Berlin')).toBe('Mon 23 Nov 2026 09:00 Europe/Berlin');
  expect(sayTime(at, 'UTC')).toBe('Mon 23 Nov 2026 08:00 UTC');
});

test.each([
  ['0 9 * * *', 'At 09:00'],
  ['0 9 * * 1', 'At 09:00, only on Monday'],
  ['0 9 1 */3 *', 'At 09:00, on day 1 of the month, every 3 months'],
  ['*/15 * * * *', 'Every 15 minutes'],
  ['0 17 * * fri', 'At 17:00, only on Friday'],
  // Either day will do, which the words must say.
  ['0 9 1 * 1', 'At 09:00, on day 1 of the month; and at 09:00, only on Monday'],
])('%s in words', async (cron, words) => {
  expect(await describeCron(cron)).toBe(words);
});

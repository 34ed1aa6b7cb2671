import { describe, expect, it } from 'vitest';
import { parseMoment } from '../../../src/cli/flags/moment.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');

describe('a moment on the command line', () => {
  it.each([
    ['30m', '2026-03-01T11:30:00.000Z'],
    ['1d', '2026-02-28T12:00:00.000Z'],
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30+02:00', '2026-01-31T07:30:00.000Z'],
  ])('%s', (text, moment) => {
    expect(parseMoment('--since', text, now)).toBe(moment);
  });

  it.each([
    '',
    'monday',
    '2026-02-30',
    '2026-13-01',
    '2026-01-31T09:30:00',
    '7',
    '-1h',
    '9999999w9999999w',
  ])('is not %j', (text) => {
    expect(() => parseMoment('--since', text, now)).toThrow('must be a date or a time');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeOffset, parseDuration } from '../../src/contract/duration.ts';

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5s', 1_500],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1w', 604_800_000],
    ['1h30m', 5_400_000],
    ['0s', 0],
    ['PT30S', 30_000],
    ['PT0.5S', 500],
    ['P1DT2H', 93_600_000],
    ['P2W', 1_209_600_000],
  ])('is read from %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each([
    '',
    ' ',
    '5',
    's',
    '-1h',
    '1h ',
    '1 h',
    '1y',
    'P',
    'PT',
    'P1Y',
    'P1M',
    'P1DT',
    'pt1s',
    '1e3s',
    '١s',
    '1h-1m',
  ])('is not read from %j', (text) => expect(parseDuration(text)).toBeUndefined());

  it('is a number of milliseconds, or none, whatever is given, and read at once', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.mshdwPTHMSWD') }), (text) => {
        const ms = parseDuration(text);
        expect(ms === undefined || (Number.isInteger(ms) && ms >= 0)).toBe(true);
      }),
    );
    expect(parseDuration('1'.repeat(1_000_000) + 'x')).toBeUndefined();
  });

  it('is shown as how far a clock was moved', () => {
    const shown = [0, 500, -90_000, 90_000_000, 86_461_000, 86_399_700, -604_800_000].map(
      describeOffset,
    );
    expect(shown).toEqual(['+0s', '+0.5s', '-1m30s', '+1d1h', '+1d', '+1d', '-7d']);
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 1e13 }), (ms) => {
        const back = parseDuration(describeOffset(ms).slice(1)) ?? NaN;
        expect(Math.abs(back - ms)).toBeLessThan(ms / 10);
      }),
    );
  });
});

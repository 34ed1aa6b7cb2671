import { describe, expect, it } from 'vitest';
import { shortTime } from '../../../src/cli/terminal/ages.ts';
import { inThrees } from '../../../src/cli/terminal/printable.ts';
import { formatTable, numberColumn } from '../../../src/cli/terminal/table.ts';
import { createStyle } from '../../../src/cli/terminal/terminal.ts';
import { utcMinute, utcSecond } from '../../../src/contract/utc-time.ts';

describe('times for people', () => {
  it('have minutes, or seconds where one line follows another', () => {
    expect(utcMinute('2026-11-21T11:55:03.123Z')).toBe('2026-11-21 11:55 UTC');
    expect(utcMinute('2026-11-21T12:55:03+01:00')).toBe('2026-11-21 11:55 UTC');
    expect(utcSecond('2026-11-21T11:55:03.123Z')).toBe('2026-11-21 11:55:03 UTC');
  });

  it('stay as a server sent them if they are no times, or absent', () => {
    expect(utcMinute('soon')).toBe('soon');
    expect(utcMinute(undefined)).toBeUndefined();
  });

  it('are whole in a table with room, and ages in a narrow one', () => {
    const now = Date.parse('2026-11-21T12:00:00Z');
    expect(shortTime(now, Infinity)('2026-11-21T11:55:00Z')).toBe('2026-11-21 11:55 UTC');
    expect(shortTime(now, 80)('2026-11-21T11:55:00Z')).toBe('5min');
  });
});

describe('numbers for people', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1_234, '1,234'],
    [-1_234_567, '-1,234,567'],
    [1_234.56789, '1,234.56789'],
    [0.123456, '0.123456'],
  ])('%d reads %s', (amount, text) => {
    expect(inThrees(amount)).toBe(text);
  });

  it('end one below the other in a table, with a dash where there is none', () => {
    const rows = [{ n: 12 }, { n: 6_438 }, {}] as const;
    const columns = [
      numberColumn<{ n?: number }>('COUNT', ({ n }) => n),
      { title: 'ID', cell: () => 'x' },
    ];
    expect(formatTable(rows, columns, createStyle(false), 80)).toBe(
      'COUNT  ID\n   12  x\n6,438  x\n    -  x\n',
    );
  });
});

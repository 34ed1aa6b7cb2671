import { describe, expect, it } from 'vitest';
import type { Column } from '../../../src/report/model.ts';
import { lineBelow, readingOf } from '../../../src/report/formats/reading.ts';

const column = (id: string, fields: Partial<Column> = {}): Column => ({
  id,
  title: id,
  type: 'text',
  width: 1,
  ...fields,
});
const columns = [
  column('Policy'),
  column('Environment', { shown: 'below' }),
  column('All of them', { shown: 'data' }),
  column('Failed', { shown: 'below', type: 'integer' }),
  column('Resolved', { shown: 'below', type: 'timestamp' }),
];

describe('the columns of a table as it is read', () => {
  it('are those that stand side by side, and those under the row', () => {
    const { main, below } = readingOf(columns);
    expect(main.map(({ at }) => at)).toEqual([0]);
    expect(below.map(({ at }) => at)).toEqual([1, 3, 4]);
  });

  it('stand side by side where none else would', () => {
    const all = [column('a', { shown: 'below' }), column('b', { shown: 'data' })];
    expect(readingOf(all)).toMatchObject({ main: [{ at: 0 }, { at: 1 }], below: [] });
  });

  it.each([
    [['p', 'prod', 'x', 1234, '2026-03-01T08:00:00Z'], 'Environment: prod · Failed: 1,234 · Resolved: 2026-03-01 08:00:00 UTC'], // prettier-ignore
    [['p', '', 'x', 0, null], 'Failed: 0'],
    [['p', null, 'x', null], ''],
  ])('say under %j what there is', (row, line) => {
    expect(lineBelow(readingOf(columns), row)).toBe(line);
  });
});

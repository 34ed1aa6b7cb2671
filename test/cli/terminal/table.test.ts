import { describe, expect, it } from 'vitest';
import { formatTable } from '../../../src/cli/terminal/table.ts';
import type { Column } from '../../../src/cli/terminal/table.ts';
import { createStyle } from '../../../src/cli/terminal/terminal.ts';

interface Row {
  readonly id: string;
  readonly name: string;
  readonly scopes: string;
  readonly count: string;
}

const rows: readonly Row[] = [
  {
    id: 'pol_01m8hj1ng9esa2ge435y2dhyq1',
    name: 'a-policy-with-quite-a-long-name-of-many-words',
    scopes: 'governance:read, compliance:write, cost:read, audit:read, admin',
    count: '1,234',
  },
  { id: 'pol_01m8hj1ng2rnv8dcr5abz2rzfc', name: 'short', scopes: 'admin', count: '7' },
];

const columns: readonly Column<Row>[] = [
  { title: 'NAME', cell: ({ name }) => name, shrinks: 'end' },
  { title: 'SCOPES', cell: ({ scopes }) => scopes, shrinks: 'wrap', least: 17, drops: 1 },
  { title: 'COUNT', cell: ({ count }) => count, isRight: true },
  { title: 'ID', cell: ({ id }) => id },
];

const shown = (width: number): string => formatTable<Row>(rows, columns, createStyle(false), width);

describe('a table', () => {
  it('is as wide as its content where there is room, on one line per row', () => {
    expect(shown(Infinity).split('\n')).toHaveLength(4);
    expect(shown(Infinity)).toContain(`${rows[0]?.scopes ?? ''}  1,234`);
  });

  it('shows IDs and numbers whole at any width', () => {
    for (let width = 1; width <= 200; width++) {
      for (const { id, count } of rows) expect(shown(width)).toMatch(`${count}  ${id}`);
    }
  });

  it('is no wider than the terminal while the columns that stay whole fit', () => {
    for (let width = 45; width <= 200; width++) {
      for (const line of shown(width).split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    }
  });

  it('names every column that it hides', () => {
    for (let width = 1; width <= 200; width++) {
      const [titles = ''] = shown(width).split('\n');
      const isHidden = !titles.includes('SCOPES');
      expect(/Hidden\s+column:\s+SCOPES\./.test(shown(width))).toBe(isHidden);
    }
    expect(shown(66)).toContain(
      '\nHidden column: SCOPES. Use a wider terminal, a pipe or -o json.',
    );
  });

  it('breaks what wraps between words and loses nothing of it', () => {
    for (let width = 70; width <= 200; width++) {
      const [titles = '', ...lines] = shown(width).split('\n');
      const [from, to] = [titles.indexOf('SCOPES'), titles.indexOf('COUNT')];
      const words = lines.map((line) => line.slice(from, to).trim()).filter((part) => part !== '');
      expect(words.join(' ')).toContain(rows[0]?.scopes);
    }
  });

  it('breaks a word that is wider than its column, and loses nothing of it', () => {
    const only: readonly Column<Row>[] = [{ title: 'ID', cell: ({ id }) => id, shrinks: 'wrap' }];
    const table = formatTable<Row>(rows, only, createStyle(false), 13);
    expect(table).toBe(
      'ID\npol_01m8hj1ng\n9esa2ge435y2d\nhyq1\npol_01m8hj1ng\n2rnv8dcr5abz2\nrzfc\n',
    );
  });
});

import { cellText, columnTitle } from '../cell-text.ts';
import type { CellType, Column, Row, Table } from '../../model.ts';
import type { StyleName } from './styles.ts';
import { digitsOf } from './text-lines.ts';

/** Digits, of a column of such cells: at least and at most. Texts that are longer are wrapped. */
const bounds: Readonly<Record<CellType, readonly [least: number, most: number]>> = {
  text: [8, 48],
  id: [10, 40],
  integer: [9, 22],
  decimal: [9, 22],
  percent: [10, 14],
  money: [10, 22],
  timestamp: [21, 21],
  date: [12, 12],
  severity: [11, 14],
  status: [10, 24],
};

/** What a filter's button takes, and the margins of a cell. */
const button = 3.5;
const margins = 1.5;
/** No cell is measured further: what is longer than the widest column is wrapped anyway. */
const measured = 100;

/**
 * How wide the columns of a table are, in digits: as its first rows need it, and the longest word of each column's title.
 * Only those rows are read: widths stand before the rows of a sheet, which are not held in memory.
 */
export async function columnWidths({ columns, rows }: Table): Promise<number[]> {
  const shown = await firstOf(rows());
  return columns.map((column, at) => {
    const [least, most] = bounds[column.type];
    const words = columnTitle(column).split(/\s+/);
    const title = Math.max(...words.map((word) => digitsOf(word.slice(0, measured), 'head')));
    let widest = 0;
    for (const row of shown) widest = Math.max(widest, widthOfCell(row, at, column));
    const wanted = Math.max(least, Math.min(widest + margins, most), Math.min(title + button, 30));
    return Math.ceil(wanted * 10) / 10;
  });
}

function widthOfCell(row: Row, at: number, { type }: Column): number {
  const cell = row[at] ?? null;
  // Times and dates are as long as they are.
  if (cell === null || type === 'timestamp' || type === 'date') return 0;
  if (typeof cell === 'number') return digitsOf(formatted(cell, type), 'text');
  const text = cellText(cell, type).slice(0, measured);
  return digitsOf(text, styleFor[type] ?? 'text');
}

/** With the decimals that the cell shows. */
const formatted = (cell: number, type: CellType): string =>
  type === 'integer' ? cellText(cell, type) : `${cellText(Math.trunc(cell), 'integer')}.00%`;

const styleFor: Partial<Record<CellType, StyleName>> = {
  id: 'id',
  severity: 'bad',
  status: 'bad',
};

async function firstOf(batches: AsyncIterable<readonly Row[]>): Promise<readonly Row[]> {
  for await (const batch of batches) return batch;
  return [];
}

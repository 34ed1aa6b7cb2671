import type { CellType, Column, Row } from '../../model.ts';
import type { StyleName } from './styles.ts';
import { digitsOf, lineHeight, linesIn, rowPadding } from './text-lines.ts';

/** Points; Excel takes no row that is higher than 409. */
export const highestRow = 400;
/** Digits that a letter takes at most, in any style of a table. */
const widestLetter = 1.8;
/** No text is looked at further: a row is at its highest long before. */
const looked = 4_000;

/** What cells of texts look like at their widest. */
const looks: Readonly<Partial<Record<CellType, StyleName>>> = { severity: 'bad', status: 'bad', id: 'id' }; // prettier-ignore

/**
 * Points that a row of a table needs; none where one line is enough. Excel would find out by itself, other programs don't.
 * @param widths of the columns, in digits
 */
export function rowHeight(
  row: Row,
  columns: readonly Column[],
  widths: readonly number[],
): number | undefined {
  let most = 1;
  for (let at = 0; at < columns.length; at++) {
    const cell = row[at];
    if (typeof cell !== 'string') continue;
    const type = columns[at]?.type ?? 'text';
    if (type === 'timestamp' || type === 'date') continue;
    most = Math.max(most, linesOf(cell, type, widths[at] ?? 0));
  }
  return heightOf(most);
}

/** Points that the titles of columns need. */
export const headHeight = (titles: readonly string[], widths: readonly number[]): number =>
  heightOf(
    Math.max(...titles.map((title, at) => linesIn(title, (widths[at] ?? 0) - 3, 'head').length)),
  ) ?? lineHeight('head') + rowPadding;

const heightOf = (lines: number): number | undefined =>
  lines === 1
    ? undefined
    : Math.min(highestRow, Math.ceil(lines * lineHeight('text') + rowPadding));

function linesOf(text: string, type: CellType, room: number): number {
  if (text.length * widestLetter <= room && !text.includes('\n')) return 1;
  const style = looks[type] ?? 'text';
  const start = text.slice(0, looked);
  if (!start.includes('\n') && digitsOf(start, style) <= room) return 1;
  return linesIn(start, room, style).length;
}

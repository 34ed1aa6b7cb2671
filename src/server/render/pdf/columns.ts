import type { Column, Row } from '../model.ts';
import { setCell, isNumeric } from './cells.ts';
import type { CellText } from './cells.ts';
import type { Line, Typesetter } from './text.ts';

export interface PlannedColumn {
  readonly column: Column;
  readonly heading: readonly Line[];
  readonly x: number;
  readonly width: number;
  readonly toTheRight: boolean;
}

export const cellStyle = { size: 7.5, leading: 9.4, across: 4, down: 3 } as const;
export const headStyle = { size: 7.4, leading: 9.2, across: 4, down: 3.6 } as const;

/** Tables of more columns get pages in landscape. */
export const mostInPortrait = 7;

/** What is enough for a column, and what it would like, padding included. */
interface Need {
  readonly least: number;
  readonly natural: number;
  readonly share: number;
}

/**
 * Widths of columns: their shares, but that none is narrower than its longest short value or word, nor wider than its
 * contents as long as another can use the room. `rows` are the first ones: the plan holds for all.
 */
export function planColumns(
  type: Typesetter,
  columns: readonly Column[],
  rows: readonly Row[],
  { left, width }: { readonly left: number; readonly width: number },
): readonly PlannedColumn[] {
  const widths = shareOut(
    columns.map((column, n) => needOf(type, column, rows, n, width)),
    width,
  );
  let x = left;
  return columns.map((column, n) => {
    const own = widths[n] ?? 0;
    const planned = {
      column,
      heading: type.lines(
        titleOf(column),
        'narrowBold',
        headStyle.size,
        own - 2 * headStyle.across,
      ),
      x,
      width: own,
      toTheRight: isNumeric(column.type),
    };
    x += own;
    return planned;
  });
}

const titleOf = ({ title, type }: Column): string =>
  type === 'timestamp' ? `${title} (UTC)` : title;

const sampled = 200;

function needOf(
  type: Typesetter,
  column: Column,
  rows: readonly Row[],
  at: number,
  total: number,
): Need {
  const padding = 2 * cellStyle.across + 0.5;
  const wide = ({ text, face }: Pick<CellText, 'text' | 'face'>): number =>
    type.width(text, face, cellStyle.size) + padding;
  const heading = titleOf(column)
    .split(/\s+/)
    .map((word) => type.width(word, 'narrowBold', headStyle.size) + 2 * headStyle.across + 0.5);
  let least = Math.max(0, ...heading);
  let natural = type.width(titleOf(column), 'narrowBold', headStyle.size) + padding;
  for (const row of rows.slice(0, sampled)) {
    const cell = setCell(row[at] ?? null, column.type);
    const short = { ...cell, text: cell.text.slice(0, 200) };
    natural = Math.max(natural, wide(short));
    least = Math.max(least, Math.min(leastOf(column, short, wide), total * 0.22));
  }
  return { least, natural, share: Math.max(0.1, column.width) };
}

/** Short values stay whole, times break before the hour; of texts the longest word counts, up to a length. */
function leastOf(
  { type }: Column,
  cell: CellText,
  wide: (cell: Pick<CellText, 'text' | 'face'>) => number,
): number {
  if (type === 'text') {
    const longest = cell.text.split(/\s+/).reduce((a, b) => (b.length > a.length ? b : a), '');
    return Math.min(62, wide({ ...cell, text: longest }));
  }
  if (type === 'timestamp') return wide({ ...cell, text: cell.text.slice(0, 10) });
  return wide(cell);
}

function shareOut(needs: readonly Need[], total: number): readonly number[] {
  const least = needs.reduce((sum, need) => sum + need.least, 0);
  if (least >= total) return needs.map((need) => (need.least / least) * total);
  const widths = needs.map((need) => need.least);
  let room = total - least;
  for (let round = 0; round < needs.length + 2 && room > 0.01; round++) {
    const open = needs.map((need, n) => (widths[n] ?? 0) < need.natural - 0.01);
    const any = open.includes(true);
    const shares = needs.map((need, n) => (!any || open[n] ? need.share : 0));
    const sum = shares.reduce((a, b) => a + b, 0);
    let given = 0;
    for (const [n, need] of needs.entries()) {
      const offered = (room * (shares[n] ?? 0)) / sum;
      const taken = any ? Math.min(offered, Math.max(0, need.natural - (widths[n] ?? 0))) : offered;
      widths[n] = (widths[n] ?? 0) + taken;
      given += taken;
    }
    room -= given;
  }
  return widths;
}

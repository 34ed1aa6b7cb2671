import { columnTitle } from '../cell-text.ts';
import type { Column, Row } from '../../model.ts';
import type { PlacedColumn, Reading } from '../reading.ts';
import { setCell, isNumeric } from './cells.ts';
import type { CellText } from './cells.ts';
import type { Line, Typesetter } from './text.ts';

export interface PlannedColumn extends PlacedColumn {
  readonly heading: readonly Line[];
  readonly x: number;
  readonly width: number;
  readonly toTheRight: boolean;
}

export interface CellStyle {
  readonly size: number;
  readonly leading: number;
  /** Padding. */
  readonly across: number;
  readonly down: number;
}

export interface TableStyle {
  readonly cell: CellStyle;
  readonly head: CellStyle;
}

const roomy: TableStyle = {
  cell: { size: 7.5, leading: 9.4, across: 4, down: 2.6 },
  head: { size: 7.4, leading: 9.2, across: 4, down: 3.6 },
};
const dense: TableStyle = {
  cell: { size: 6.7, leading: 8.4, across: 3, down: 2.8 },
  head: { size: 6.6, leading: 8.2, across: 3, down: 3.2 },
};

/** Lists: a line for each row, which needs little air. */
const tight: TableStyle = { ...roomy, cell: { ...roomy.cell, down: 1.9 } };

/** Tables of more columns are set smaller. */
const mostRoomy = 10;
/** Tables of no more are lists. */
const mostTight = 4;

export function styleOf({ main, below }: Reading): TableStyle {
  if (main.length > mostRoomy) return dense;
  return main.length <= mostTight && below.length === 0 ? tight : roomy;
}

/** Of a cell's letters: a monospaced face looks larger than its size. */
export const sizeOf = ({ face }: Pick<CellText, 'face'>, { size }: CellStyle): number =>
  face === 'mono' ? size * 0.89 : size;

/** What is enough for a column, and what it would like, padding included. */
interface Need {
  readonly least: number;
  /** Where there is too little room for all: ids and long words may break, words of a kind never. */
  readonly hard: number;
  readonly natural: number;
  readonly share: number;
}

/**
 * Widths of columns: their shares, but that none is narrower than its longest short value or word, nor wider than its
 * contents as long as another can use the room. `rows` are the first ones: the plan holds for all.
 */
export function planColumns(
  type: Typesetter,
  reading: Reading,
  rows: readonly Row[],
  { left, width }: { readonly left: number; readonly width: number },
): readonly PlannedColumn[] {
  const { main: columns } = reading;
  const style = styleOf(reading);
  const { head } = style;
  const widths = shareOut(
    columns.map((column) => needOf(type, column, rows, style)),
    width,
  );
  let x = left;
  return columns.map(({ column, at }, n) => {
    const own = widths[n] ?? 0;
    const planned = {
      column,
      at,
      heading: type
        .lines(columnTitle(column), 'narrowBold', head.size, own - 2 * head.across)
        .slice(0, mostHeadLines),
      x,
      width: own,
      toTheRight: isNumeric(column.type),
    };
    x += own;
    return planned;
  });
}

/** The head is repeated on each page: rows are to have room below it. */
const mostHeadLines = 8;

const sampled = 200;

function needOf(
  type: Typesetter,
  { column, at }: PlacedColumn,
  rows: readonly Row[],
  { cell: style, head }: TableStyle,
): Need {
  const padding = 2 * style.across + 0.5;
  const wide = (cell: Pick<CellText, 'text' | 'face'>): number =>
    type.width(cell.text, cell.face, sizeOf(cell, style)) + padding;
  const title = columnTitle(column);
  const heading = title
    .split(/\s+/)
    .map((word) => type.width(word, 'narrowBold', head.size) + padding);
  let least = Math.max(0, ...heading);
  let hard = least;
  let natural = type.width(title, 'narrowBold', head.size) + padding;
  for (const row of rows.slice(0, sampled)) {
    const cell = setCell(row[at] ?? null, column.type);
    const short = { ...cell, text: cell.text.slice(0, 60) };
    natural = Math.max(natural, wide({ ...cell, text: cell.text.slice(0, 200) }));
    const own = leastOf(column, short, wide);
    least = Math.max(least, own);
    hard = Math.max(hard, isBreakable(column) ? Math.min(own, padding + own * 0.4) : own);
  }
  return { least, hard, natural, share: Math.max(0.1, column.width) };
}

const isBreakable = ({ type }: Column): boolean => type === 'id' || type === 'text';

/** Short values stay whole, times break before the hour; of texts the longest word counts, up to a length. */
function leastOf(
  { type }: Column,
  cell: CellText,
  wide: (cell: Pick<CellText, 'text' | 'face'>) => number,
): number {
  if (type === 'text') {
    const longest = cell.text.split(/\s+/).reduce((a, b) => (b.length > a.length ? b : a), '');
    return Math.min(72, wide({ ...cell, text: longest }));
  }
  if (type === 'timestamp') return wide({ ...cell, text: cell.text.slice(0, 10) });
  return type === 'id' ? Math.min(96, wide(cell)) : Math.min(160, wide(cell));
}

function shareOut(needs: readonly Need[], total: number): readonly number[] {
  const least = needs.reduce((sum, need) => sum + need.least, 0);
  if (least >= total) return squeeze(needs, least, total);
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

/** What may break gives way first; where that is not enough, all do. */
function squeeze(needs: readonly Need[], least: number, total: number): readonly number[] {
  const hard = needs.reduce((sum, need) => sum + need.hard, 0);
  if (hard >= total) return needs.map((need) => (need.hard / hard) * total);
  const kept = (total - hard) / (least - hard);
  return needs.map((need) => need.hard + (need.least - need.hard) * kept);
}

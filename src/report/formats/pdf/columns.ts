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
  /** Where there is too little room for all: ids, times and long words break, words of a kind never. */
  readonly broken: number;
  /** A cell whose text may be broken over lines, on average; 0: there is none. */
  readonly usual: number;
  /** Its longest cell in one line. */
  readonly longest: number;
  /** Its title in one line. */
  readonly title: number;
  readonly share: number;
}

/**
 * Widths of columns: none is narrower than its longest short value or word, and the room that is left goes to texts by their
 * lengths, so that the cells of a row have about as many lines. What no cell needs goes to titles, then to all by their
 * shares. `rows` are the first ones: the plan holds for all.
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
  const insets = columns.map(({ column }, n) => {
    const before = columns[n - 1]?.column.type;
    const touches = before !== undefined && isNumeric(before) && !isNumeric(column.type);
    return touches ? betweenTouching : 0;
  });
  const widths = shareOut(
    columns.map((column, n) => needOf(type, column, rows, { style, inset: insets[n] ?? 0 })),
    width,
  );
  let x = left;
  return columns.map(({ column, at }, n) => {
    const own = widths[n] ?? 0;
    const inset = insets[n] ?? 0;
    const planned = {
      column,
      at,
      heading: type
        .lines(columnTitle(column), 'narrowBold', head.size, own - inset - 2 * head.across)
        .slice(0, mostHeadLines),
      x: x + inset,
      width: own - inset,
      toTheRight: isNumeric(column.type),
    };
    x += own;
    return planned;
  });
}

/** Points more between a number, which ends at its column's right, and a text, which starts at its column's left. */
const betweenTouching = 8;

/** The head is repeated on each page: rows are to have room below it. */
const mostHeadLines = 8;

const sampled = 200;

function needOf(
  type: Typesetter,
  { column, at }: PlacedColumn,
  rows: readonly Row[],
  { style: { cell: style, head }, inset }: { readonly style: TableStyle; readonly inset: number },
): Need {
  const padding = 2 * style.across + 0.5 + inset;
  const wide = (cell: Pick<CellText, 'text' | 'face'>): number =>
    type.width(cell.text, cell.face, sizeOf(cell, style)) + padding;
  const title = columnTitle(column);
  const titleWidth = (text: string): number => type.width(text, 'narrowBold', head.size) + padding;
  let least = inTwoLines(title, titleWidth);
  let broken = least;
  let [longest, sum] = [0, 0];
  const sample = rows.slice(0, sampled);
  for (const row of sample) {
    const cell = setCell(row[at] ?? null, column.type);
    const short = { ...cell, text: cell.text.slice(0, 60) };
    const whole = wide({ ...cell, text: cell.text.slice(0, 200) });
    longest = Math.max(longest, whole);
    sum += whole;
    least = Math.max(least, leastOf(column, short, wide, asWhole));
    broken = Math.max(broken, leastOf(column, short, wide, asBroken));
  }
  return {
    least,
    broken,
    usual: isBreakable(column) && sample.length > 0 ? sum / sample.length : 0,
    longest,
    title: titleWidth(title),
    share: Math.max(0.1, column.width),
  };
}

/** The width in which a text of words has no more than two lines. */
function inTwoLines(text: string, width: (text: string) => number): number {
  const words = text.split(' ');
  const both = words.map((_, n) =>
    Math.max(width(words.slice(0, n).join(' ')), width(words.slice(n).join(' '))),
  );
  return Math.min(...both);
}

const isBreakable = ({ type }: Column): boolean =>
  type === 'id' || type === 'text' || type === 'timestamp';

/** Points that an id and a word take at least, if they are as long, and letters of a time. */
interface Leasts {
  readonly id: number;
  readonly word: number;
  readonly time: number;
}
const asWhole: Leasts = { id: 130, word: 110, time: 19 };
const asBroken: Leasts = { id: 60, word: 90, time: 10 };

/** Short values stay whole; of texts the longest word counts. */
function leastOf(
  { type }: Column,
  cell: CellText,
  wide: (cell: Pick<CellText, 'text' | 'face'>) => number,
  leasts: Leasts,
): number {
  if (type === 'text') {
    const longest = cell.text.split(/\s+/).reduce((a, b) => (b.length > a.length ? b : a), '');
    return Math.min(leasts.word, wide({ ...cell, text: longest }));
  }
  if (type === 'timestamp') return wide({ ...cell, text: cell.text.slice(0, leasts.time) });
  return Math.min(type === 'id' ? leasts.id : 160, wide(cell));
}

/** Where texts get less than this part of their usual length, ids, times and long words are broken, too. */
const leastPart = 0.5;

function shareOut(needs: readonly Need[], total: number): readonly number[] {
  const whole = fill(needs, (need) => need.least, total);
  if (whole && whole.part >= leastPart) return whole.widths;
  const broken = fill(needs, (need) => need.broken, total);
  if (broken) return broken.widths;
  const sum = sumOf(needs.map((need) => need.broken));
  return needs.map((need) => (need.broken / sum) * total);
}

/** Undefined: there is no room for what is least. */
function fill(
  needs: readonly Need[],
  leastIn: (need: Need) => number,
  total: number,
): { readonly widths: readonly number[]; readonly part: number } | undefined {
  const ofTexts = (part: number): readonly number[] =>
    needs.map((need) => Math.max(leastIn(need), Math.min(need.longest, need.usual * part)));
  if (sumOf(ofTexts(0)) > total) return undefined;
  const part = largest((one) => sumOf(ofTexts(one)) <= total);
  const texts = ofTexts(part);
  const titles = texts.map((width, n) => Math.max(width, needs[n]?.title ?? 0));
  const titled = sumOf(titles) <= total ? titles : texts;
  const left = total - sumOf(titled);
  const shares = sumOf(needs.map(({ share }) => share));
  const widths = titled.map((width, n) => width + (left * (needs[n]?.share ?? 0)) / shares);
  return { widths, part };
}

const sumOf = (widths: readonly number[]): number => widths.reduce((sum, one) => sum + one, 0);

/** The largest number, to a thousandth, that fits: from 0, which does, to 100. */
function largest(fits: (part: number) => boolean): number {
  let [low, high] = [0, 100];
  while (high - low > 0.001) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

import { printableLine, widthOf } from './printable.ts';
import type { Style, Terminal } from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Colours the padded cell. */
  readonly paint?: (text: string, row: Row, style: Style) => string;
  /** Numbers: their ends are one below the other. */
  readonly isRight?: true;
  /** Is cut where the terminal is narrow; those cut in their middle first. */
  readonly shrinks?: 'end' | 'middle';
  /** Goes before anything is cut at its end; the lowest number first. */
  readonly drops?: number;
}

const gap = '  ';
/** A cut column keeps at least this many cells while any other can give some. */
const narrowest = 12;

/** How wide a table may be: in a pipe nothing is cut, as `grep` and `awk` want all of it. */
export const tableColumns = ({ stdoutIsTty, columns }: Terminal): number =>
  stdoutIsTty ? columns : Infinity;

/** Rows under bold titles, as wide as their content where that fits, and never wider than the terminal. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  style: Style,
  terminalColumns: number,
): string {
  const { cells, layout } = measure(rows, columns, terminalColumns);
  const tails = layout.columns.map((column, at) =>
    column.shrinks === 'middle' ? tailFor(cells.get(column) ?? [], layout.widths[at] ?? 0) : 0,
  );
  const line = (texts: readonly string[], paint: (text: string, at: number) => string): string =>
    texts
      .map((text, at) => {
        const width = layout.widths[at] ?? 0;
        const cut = truncate(text, width, tails[at] ?? 0, style.ellipsis);
        const padding = ' '.repeat(Math.max(0, width - widthOf(cut)));
        if (layout.columns[at]?.isRight) return paint(padding + cut, at);
        return paint(at === texts.length - 1 ? cut : cut + padding, at);
      })
      .join(gap);
  const titles = line(
    layout.columns.map(({ title }) => title),
    (text) => style.bold(text),
  );
  const body = rows.map((row, index) =>
    line(
      layout.columns.map((column) => cells.get(column)?.[index] ?? ''),
      (text, at) => layout.columns[at]?.paint?.(text, row, style) ?? text,
    ),
  );
  return `${[titles, ...body].join('\n')}\n`;
}

/** Whether a table of these columns has to drop the one with this title to fit into the terminal. */
export const isDropped = <Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  terminalColumns: number,
): boolean =>
  columns.some((column) => column.title === title) &&
  !measure(rows, columns, terminalColumns).layout.columns.some((column) => column.title === title);

function measure<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  terminalColumns: number,
) {
  const cells = new Map(
    columns.map((column) => [column, rows.map((row) => printableLine(column.cell(row)))]),
  );
  const widths = new Map(
    columns.map((column) => [
      column,
      (cells.get(column) ?? []).reduce(
        (widest, text) => Math.max(widest, widthOf(text)),
        column.title.length,
      ),
    ]),
  );
  return { cells, layout: layOut(columns, (column) => widths.get(column) ?? 0, terminalColumns) };
}

interface Layout<Row> {
  readonly columns: readonly Column<Row>[];
  readonly widths: readonly number[];
}

/**
 * Columns that may go are dropped in their order, until the rest fits with those cut in their middle as narrow as
 * they get; the others are cut only where that is not enough.
 */
function layOut<Row>(
  columns: readonly Column<Row>[],
  contentOf: (column: Column<Row>) => number,
  room: number,
): Layout<Row> {
  const total = (widths: readonly number[]): number =>
    widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
  const least = (column: Column<Row>): number =>
    column.shrinks === 'middle' ? Math.min(contentOf(column), narrowest) : contentOf(column);
  const leaving = columns
    .filter(({ drops }) => drops !== undefined)
    .sort((a, b) => (a.drops ?? 0) - (b.drops ?? 0));
  let shown = columns;
  while (leaving.length > 0 && total(shown.map(least)) > room) {
    const gone = leaving.shift();
    shown = shown.filter((column) => column !== gone);
  }
  const widths = shown.map(contentOf);
  const cut = (may: (column: Column<Row>) => boolean, floor: number): void => {
    const at = shown.flatMap((column, index) => (may(column) ? [index] : []));
    for (let over = total(widths) - room; over > 0; over--) {
      // One cell from the widest at a time evens them out.
      const widest = at.reduce<number | undefined>(
        (best, index) =>
          (widths[index] ?? 0) > (best === undefined ? floor : (widths[best] ?? 0)) ? index : best,
        undefined,
      );
      if (widest === undefined) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  };
  cut(({ shrinks }) => shrinks === 'middle', narrowest);
  cut(({ shrinks }) => shrinks !== undefined, narrowest);
  cut(() => true, 1);
  return { columns: shown, widths };
}

/** Texts of a column that are compared: more are not on one screen. */
const mostCompared = 200;

/** Cells of the end of texts that are cut in their middle: half of them, unless more texts differ with another cut. */
function tailFor(cells: readonly string[], width: number): number {
  const half = Math.floor((width - 1) / 2);
  const texts = [...new Set(cells.slice(0, mostCompared))];
  if (texts.every((text) => widthOf(text) <= width)) return half;
  const differentWith = (tail: number): number =>
    new Set(texts.map((text) => truncate(text, width, tail))).size;
  let best = half;
  let most = differentWith(half);
  for (let by = 1; by <= width && most < texts.length; by++) {
    for (const tail of [half + by, half - by]) {
      const different = tail < 0 || tail >= width ? 0 : differentWith(tail);
      if (different > most) [best, most] = [tail, different];
    }
  }
  return best;
}

/** @param tailWidth cells of its end that stay */
function truncate(text: string, width: number, tailWidth: number, ellipsis = '…'): string {
  if (widthOf(text) <= width) return text;
  const characters = [...text];
  const tail = startOf(characters.toReversed(), tailWidth);
  const head = startOf(characters, width - 1 - widthOf(tail));
  return `${head}${ellipsis}${[...tail].reverse().join('')}`;
}

/** As many characters as have room. */
function startOf(characters: readonly string[], width: number): string {
  let start = '';
  for (const character of characters) {
    if (widthOf(start + character) > width) break;
    start += character;
  }
  return start;
}

import { inThrees, printableLine, widthOf } from './printable.ts';
import { wrapWords } from './wrap-words.ts';
import type { Style, Terminal } from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Colours the padded cell. */
  readonly paint?: (text: string, row: Row, style: Style) => string;
  /** Numbers: their ends are one below the other. */
  readonly isRight?: true;
  /** Where the terminal is narrow: cut at its end or in its middle, or broken into lines. Others stay whole, such as IDs. */
  readonly shrinks?: 'end' | 'middle' | 'wrap';
  /** Cells that it has at least while another column can go; default: 12. */
  readonly least?: number;
  /** Is hidden where there is no room for all; the lowest number first. */
  readonly drops?: number;
}

/** Numbers for people, their ends one below the other; a dash where there is none. */
export const numberColumn = <Row>(
  title: string,
  numberOf: (row: Row) => number | null | undefined,
  more: Pick<Column<Row>, 'drops' | 'paint'> = {},
): Column<Row> => ({
  title,
  cell: (row) => {
    const amount = numberOf(row);
    return typeof amount === 'number' ? inThrees(amount) : '-';
  },
  isRight: true,
  ...more,
});

const gap = '  ';
const narrowest = 12;
/** Less than this shows nothing: a line is rather longer than the terminal, which breaks it. */
const smallest = 4;

/** How wide a table may be: in a pipe nothing is cut, as `grep` and `awk` want all of it. */
export const tableColumns = ({ stdoutIsTty, columns }: Terminal): number =>
  stdoutIsTty ? columns : Infinity;

/**
 * Rows under bold titles, as wide as their content where that fits. Where it does not, columns shrink, then some are
 * hidden, and a last line says which.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  style: Style,
  terminalColumns: number,
): string {
  const { cells, layout } = measure(rows, columns, terminalColumns);
  const fits = layout.columns.map((column, at) => {
    const width = layout.widths[at] ?? 0;
    return fitting(column, width, cells.get(column) ?? [], style.ellipsis);
  });
  const line = (texts: readonly string[], paint: (text: string, at: number) => string): string =>
    texts
      .map((text, at) => {
        const padding = ' '.repeat(Math.max(0, (layout.widths[at] ?? 0) - widthOf(text)));
        if (layout.columns[at]?.isRight) return paint(padding + text, at);
        return paint(at === texts.length - 1 ? text : text + padding, at);
      })
      .join(gap);
  const titles = line(
    layout.columns.map(({ title }, at) =>
      truncate(title, layout.widths[at] ?? 0, 0, style.ellipsis),
    ),
    (text) => style.bold(text),
  );
  const body = rows.flatMap((row, index) => {
    const parts = layout.columns.map(
      (column, at) => fits[at]?.(cells.get(column)?.[index] ?? '') ?? [],
    );
    const height = Math.max(1, ...parts.map(({ length }) => length));
    return Array.from({ length: height }, (_, from) =>
      line(
        parts.map((part) => part[from] ?? ''),
        (text, at) => layout.columns[at]?.paint?.(text, row, style) ?? text,
      ),
    );
  });
  const hidden = columns.filter((column) => !layout.columns.includes(column));
  return `${[titles, ...body, ...hiddenNote(hidden, style, terminalColumns)].join('\n')}\n`;
}

/** Nothing is missing from a table without a word. */
function hiddenNote(
  hidden: readonly { readonly title: string }[],
  style: Style,
  terminalColumns: number,
): string[] {
  if (hidden.length === 0) return [];
  const titles = hidden.map(({ title }) => title).join(', ');
  const what = hidden.length === 1 ? 'Hidden column' : 'Hidden columns';
  const note = `${what}: ${titles}. Use a wider terminal, a pipe or -o json.`;
  return [style.dim(wrapWords(note, terminalColumns, 0))];
}

/** A text as the lines of a cell of this width. */
function fitting<Row>(
  { shrinks }: Column<Row>,
  width: number,
  texts: readonly string[],
  ellipsis: string | undefined,
): (text: string) => readonly string[] {
  if (shrinks === undefined) return (text) => [text];
  if (shrinks === 'wrap') return (text) => wrapCell(text, width);
  const tail = shrinks === 'middle' ? tailFor(texts, width) : 0;
  return (text) => [truncate(text, width, tail, ellipsis)];
}

/** Lines between words, or within one that is wider alone: there after a sign between its parts, if that is not far back. */
const wrapCell = (text: string, width: number): string[] =>
  wrapWords(text, width, 0)
    .split('\n')
    .flatMap((line) => {
      const pieces: string[] = [];
      let rest = [...line];
      do {
        const start = startOf(rest, width) || rest.slice(0, 1).join('');
        const [part = ''] = lastPart.exec(start) ?? [];
        const isWhole = [...start].length === rest.length || part.length * 2 < start.length;
        const piece = isWhole ? start : part;
        pieces.push(piece);
        rest = rest.slice([...piece].length);
      } while (rest.length > 0);
      return pieces;
    });

/** Up to the last sign between the parts of a name. */
const lastPart = /^.*[-/:._]/su;

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

/** Columns that may go are dropped in their order until the rest fits as narrow as it may get, then the widest are cut. */
function layOut<Row>(
  columns: readonly Column<Row>[],
  contentOf: (column: Column<Row>) => number,
  room: number,
): Layout<Row> {
  const total = (widths: readonly number[]): number =>
    widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1));
  const leastOf = (column: Column<Row>): number =>
    column.shrinks ? Math.min(contentOf(column), column.least ?? narrowest) : contentOf(column);
  const leaving = columns
    .filter(({ drops }) => drops !== undefined)
    .sort((a, b) => (a.drops ?? 0) - (b.drops ?? 0));
  let shown = columns;
  while (leaving.length > 0 && total(shown.map(leastOf)) > room) {
    const gone = leaving.shift();
    shown = shown.filter((column) => column !== gone);
  }
  const widths = shown.map(contentOf);
  const cut = (floorOf: (column: Column<Row>) => number): void => {
    for (let over = total(widths) - room; over > 0; over--) {
      // One cell from the widest at a time evens them out.
      const widest = shown.reduce<number | undefined>((best, column, at) => {
        const width = widths[at] ?? 0;
        if (!column.shrinks || width <= floorOf(column)) return best;
        return best === undefined || width > (widths[best] ?? 0) ? at : best;
      }, undefined);
      if (widest === undefined) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  };
  cut(leastOf);
  cut(() => smallest);
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

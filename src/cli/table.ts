import { blanksLike, printableLine } from './report/printable.ts';
import type { Style, Terminal } from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Colours the padded cell. */
  readonly paint?: (text: string, row: Row, style: Style) => string;
  /** Gives way first where the terminal is narrow. */
  readonly shrinks?: boolean;
}

const gap = '  ';
/** A shrunk column keeps at least this many cells. */
const narrowest = 12;

/** How wide a table may be: in a pipe nothing is cut, as `grep` and `awk` want all of it. */
export const tableColumns = ({ stdoutIsTty, columns }: Terminal): number =>
  stdoutIsTty ? columns : Infinity;

/** Rows under bold titles, as wide as their content; columns that may shrink do so to fit the terminal. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  style: Style,
  terminalColumns: number,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => printableLine(cell(row))));
  const wanted = columns.map(({ title }, at) =>
    cells.reduce((widest, row) => Math.max(widest, displayWidth(row[at] ?? '')), title.length),
  );
  const widths = fitWidths(wanted, columns, terminalColumns);
  const line = (texts: readonly string[], paint: (text: string, at: number) => string): string =>
    texts
      .map((text, at) => {
        const last = at === texts.length - 1;
        const cut = truncate(text, widths[at] ?? 0);
        return paint(last ? cut : padEnd(cut, widths[at] ?? 0), at);
      })
      .join(gap);
  const titles = line(
    columns.map(({ title }) => title),
    (text) => style.bold(text),
  );
  const body = rows.map((row, index) =>
    line(cells[index] ?? [], (text, at) => columns[at]?.paint?.(text, row, style) ?? text),
  );
  return `${[titles, ...body].join('\n')}\n`;
}

function fitWidths<Row>(
  wanted: readonly number[],
  columns: readonly Column<Row>[],
  terminalColumns: number,
): number[] {
  const widths = [...wanted];
  let over =
    widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - terminalColumns;
  const shrinking = columns.map(({ shrinks }, at) => (shrinks ? at : -1)).filter((at) => at >= 0);
  while (over > 0) {
    // One cell from the widest at a time evens them out.
    const widest = shrinking.reduce<number | undefined>(
      (best, at) =>
        (widths[at] ?? 0) > (best === undefined ? narrowest : (widths[best] ?? 0)) ? at : best,
      undefined,
    );
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over--;
  }
  return widths;
}

/** Cells a text takes on a terminal. */
const displayWidth = (text: string): number => blanksLike(text).length;

const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));

function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = '';
  for (const character of text) {
    if (displayWidth(cut + character) > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

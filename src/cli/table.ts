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
  const cells = rows.map((row) => columns.map(({ cell }) => printable(cell(row))));
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

/** Text from elsewhere, without the control characters that could move the cursor or forge a line. */
export const printable = (text: string): string =>
  // eslint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ');

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const combining = /\p{Mn}/u;

/** Cells a text takes on a terminal: East Asian wide characters take two, combining marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width += combining.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

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

import type { Row } from '../../model.ts';
import { labelsBelow } from '../reading.ts';
import type { Reading } from '../reading.ts';
import { setCell } from './cells.ts';
import type { CellText } from './cells.ts';
import { sizeOf } from './columns.ts';
import type { CellStyle, PlannedColumn, TableStyle } from './columns.ts';
import { baseline, contentWidth, left } from './flow.ts';
import type { Flow } from './flow.ts';
import { addLink, artifact, drawLine, fillRect, mark } from './page.ts';
import { ink } from './palette.ts';
import type { Element } from './tags.ts';
import type { Line } from './text.ts';

/** How a table is set. */
export interface GridPlan {
  readonly title: string;
  /** Its columns are the same for all rows, what stands below a row may change from group to group. */
  reading: Reading;
  readonly columns: readonly PlannedColumn[];
  readonly style: TableStyle;
  readonly headHeight: number;
}

/** A table while it is written. */
export interface Grid extends GridPlan {
  readonly element: Element;
  /** The rows of this page. */
  body: Element;
  rows: number;
  /** Draws the heading of the group, which is repeated on the next page. */
  drawGroup?: ((element: Element | undefined) => void) | undefined;
}

/** A row that is set: its cells, and what stands under them. */
export interface SetRow {
  readonly cells: readonly SetCell[];
  readonly below: readonly Line[];
  /** Of its longest cell. */
  readonly lines: number;
}

interface SetCell {
  readonly lines: readonly Line[];
  readonly cell: CellText;
  readonly column: PlannedColumn;
}

/** Of a line, at a size. */
export const points = (line: Line, size: number): number => (line.width * size) / 1000;

/** The line under a row. */
export const below = {
  face: 'narrow',
  size: 6.7,
  leading: 8.3,
  down: 3.2,
  colour: ink.muted,
} as const;

export const heightOf = ({ leading, down }: CellStyle, lines: number): number =>
  lines * leading + 2 * down;
export const heightBelow = (lines: number): number =>
  lines === 0 ? 0 : lines * below.leading + below.down;

/** No line starts with the sign between two values. */
export const textBelow = (reading: Reading, row: Row): string =>
  labelsBelow(reading, row)
    .map(({ label, value }) => `${label}: ${value}`)
    .join('\u00a0· ');

export function setRow(
  flow: Flow,
  { columns, reading, style: { cell: style, head } }: GridPlan,
  row: Row,
): SetRow {
  const cells = columns.map((column) => {
    const cell = setCell(row[column.at] ?? null, column.column.type);
    const width = column.width - 2 * style.across;
    const lines = flow.type.lines(cell.text, cell.face, sizeOf(cell, style), width);
    return { cell, column, lines };
  });
  const text = textBelow(reading, row);
  const width = contentWidth(flow) - 2 * head.across;
  return {
    cells,
    below: text === '' ? [] : flow.type.lines(text, below.face, below.size, width),
    lines: cells.reduce((most, { lines }) => Math.max(most, lines.length), 1),
  };
}

export function drawRow(
  flow: Flow,
  grid: Grid,
  { cells, below: under }: SetRow,
  elements: readonly Element[],
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const height = heightOf(grid.style.cell, to - from);
  drawGround(flow, grid, height, under.length === 0);
  for (const [n, cell] of cells.entries()) {
    const element = elements[n];
    const lines = cell.lines.slice(from, to);
    if (element && lines.length > 0) drawCell(flow, grid.style.cell, cell, lines, element);
  }
  flow.y += height;
}

/** Close under the row, and as wide as the table. */
export function drawBelow(
  flow: Flow,
  grid: Grid,
  lines: readonly Line[],
  [element]: readonly Element[],
): void {
  const { sheet } = flow;
  drawGround(flow, grid, heightBelow(lines.length), true);
  if (element) {
    mark(sheet, element, () => {
      for (const [n, line] of lines.entries()) {
        const y = flow.y + n * below.leading + baseline(below) - 1;
        drawLine(sheet, line, { x: left + grid.style.cell.across, y, ...below });
      }
    });
  }
  flow.y += heightBelow(lines.length);
}

function drawGround(flow: Flow, { rows }: Grid, height: number, isEnd: boolean): void {
  const { sheet, y } = flow;
  const width = contentWidth(flow);
  artifact(sheet, 'Layout', () => {
    if (rows % 2 === 1) fillRect(sheet, ink.zebra, { x: left, y, width, height });
    if (isEnd) fillRect(sheet, ink.hairline, { x: left, y: y + height - 0.4, width, height: 0.4 });
  });
}

function drawCell(
  flow: Flow,
  style: CellStyle,
  { cell, column }: SetCell,
  lines: readonly Line[],
  element: Element,
): void {
  const { sheet, file } = flow;
  const size = sizeOf(cell, style);
  const owner = cell.url === undefined ? element : file.tags.open('Link', element);
  let top = flow.y + style.down;
  mark(sheet, owner, () => {
    for (const line of lines) {
      const width = points(line, size);
      const indent = column.toTheRight ? column.width - style.across - width : style.across;
      const x = column.x + indent;
      drawLine(sheet, line, {
        x,
        y: top + baseline({ size, leading: style.leading }),
        size,
        colour: cell.colour,
      });
      if (cell.url !== undefined) {
        addLink(file, sheet, { x, y: top, width, height: style.leading }, { url: cell.url }, owner);
      }
      top += style.leading;
    }
  });
  if (owner !== element) file.tags.close(owner);
}

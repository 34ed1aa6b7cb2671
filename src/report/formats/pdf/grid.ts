import type { Row, Table } from '../../model.ts';
import { cellText } from '../cell-text.ts';
import { readingOf } from '../reading.ts';
import type { Reading } from '../reading.ts';
import { planColumns, styleOf } from './columns.ts';
import type { PlannedColumn } from './columns.ts';
import { mostRows } from './digest.ts';
import { baseline, bottom, contentWidth, left, styles, turnPage, writeElement } from './flow.ts';
import type { Flow } from './flow.ts';
import { artifact, drawLine, fillRect, margin, mark } from './page.ts';
import { ink } from './palette.ts';
import { below, drawBelow, drawRow, heightBelow, heightOf, points, setRow } from './table-row.ts';
import type { Grid, GridPlan, SetRow } from './table-row.ts';
import type { Element } from './tags.ts';

/** Makes room for the start of a table, which is `height` points below its title, and writes this. */
export type Begin = (height: number) => Promise<void>;

/** A table of no more rows is on one page. */
const mostWhole = 8;
/** What starts below the middle of an empty page is broken over pages rather than moved. */
const mostKept = 360;

/** The first rows of a table as they come. @returns whether there are any */
export async function writeRows(flow: Flow, table: Table, begin: Begin): Promise<boolean> {
  const rows = await firstRows(flow, table, mostRows);
  if (rows.length === 0) return false;
  const plan = planGrid(flow, table.title, readingOf(table.columns), rows);
  await begin(startOf(flow, plan, rows));
  const grid = startGrid(flow, plan);
  await writeAll(flow, grid, rows);
  endGrid(flow, grid);
  if (table.rowCount > mostRows) await writeHint(flow, `Showing the first ${mostRows} of ${cellText(table.rowCount, 'integer')} rows. ${othersHaveAll}`); // prettier-ignore
  return true;
}

export async function writeAll(flow: Flow, grid: Grid, rows: readonly Row[]): Promise<void> {
  for (const [n, row] of rows.entries()) {
    // The last row is not alone on a page.
    const next = n > 0 && n === rows.length - 2 ? rows[n + 1] : undefined;
    const kept = next ? heightOfRow(grid, setRow(flow, grid, next)) : 0;
    await writeRow(flow, grid, setRow(flow, grid, row), kept);
  }
}

async function firstRows(flow: Flow, table: Table, most: number): Promise<readonly Row[]> {
  const found: Row[] = [];
  for await (const batch of table.rows()) {
    found.push(...batch.slice(0, most - found.length));
    flow.signal.throwIfAborted();
    if (found.length >= most) break;
  }
  return found;
}

/** Points that the head of a table and its first rows take. */
export async function startOfRows(flow: Flow, table: Table): Promise<number> {
  const rows = await firstRows(flow, table, mostWhole + 1);
  return startOf(flow, planGrid(flow, table.title, readingOf(table.columns), rows), rows);
}

function startOf(flow: Flow, plan: GridPlan, rows: readonly Row[]): number {
  const heightOf = (some: readonly Row[]): number =>
    some.reduce((sum, row) => sum + heightOfRow(plan, setRow(flow, plan, row)), plan.headHeight);
  if (rows.length <= mostWhole) {
    const whole = heightOf(rows);
    if (whole <= mostKept) return whole;
  }
  return Math.min(mostKept, heightOf(rows.slice(0, 2)));
}

export const othersHaveAll = 'HTML, Excel and JSON contain all of them.';

/** A small line about a table. */
export async function writeHint(flow: Flow, text: string): Promise<void> {
  flow.y += 3;
  await writeElement(flow, 'P', text, styles.small);
  flow.y += 3;
}

/** @param rows the first ones, or those that are shown: columns are as wide as these need it */
export function planGrid(
  flow: Flow,
  title: string,
  reading: Reading,
  rows: readonly Row[],
): GridPlan {
  const width = contentWidth(flow);
  const columns = planColumns(flow.type, reading, rows, { left, width });
  const style = styleOf(reading);
  const most = Math.max(1, ...columns.map(({ heading }) => heading.length));
  return {
    title,
    reading,
    columns,
    style,
    headHeight: most * style.head.leading + 2 * style.head.down,
  };
}

/** Writes the head. */
export function startGrid(flow: Flow, plan: GridPlan): Grid {
  const { tags } = flow.file;
  const { title, columns } = plan;
  const element = tags.open('Table', flow.element, { title });
  drawHead(flow, plan, (draw) => {
    const head = tags.open('THead', element);
    const row = tags.open('TR', head);
    for (const column of columns) {
      const cell = tags.open('TH', row, { scope: 'Column' });
      mark(flow.sheet, cell, () => {
        draw(column);
      });
      tags.close(cell);
    }
    tags.close(row);
    tags.close(head);
  });
  return { ...plan, element, rows: 0, body: tags.open('TBody', element) };
}

export function endGrid(flow: Flow, { body, element }: Grid): void {
  flow.file.tags.close(body);
  flow.file.tags.close(element);
}

/** The head is read once: where it is repeated on a later page, it is an artifact. */
function drawHead(
  flow: Flow,
  { headHeight, style: { head } }: Pick<Grid, 'headHeight' | 'style'>,
  drawCells: (draw: (column: PlannedColumn) => void) => void,
): void {
  const { sheet, y } = flow;
  artifact(sheet, 'Layout', () => {
    fillRect(sheet, ink.head, { x: left, y, width: contentWidth(flow), height: headHeight });
    fillRect(sheet, ink.accent, {
      x: left,
      y: y + headHeight - 0.8,
      width: contentWidth(flow),
      height: 0.8,
    });
  });
  drawCells(({ heading, x, width, toTheRight }) => {
    let top = y + headHeight - head.down - heading.length * head.leading;
    for (const line of heading) {
      const indent = toTheRight ? width - head.across - points(line, head.size) : head.across;
      drawLine(sheet, line, {
        x: x + indent,
        y: top + baseline(head),
        size: head.size,
        colour: ink.accent,
      });
      top += head.leading;
    }
  });
  flow.y += headHeight;
}

async function continueTable(flow: Flow, grid: Grid): Promise<void> {
  await turnPage(flow);
  const style = styles.small;
  const line = flow.type.cut(
    `${grid.title}, continued`,
    style.face,
    style.size,
    contentWidth(flow),
  );
  artifact(flow.sheet, 'Pagination', () => {
    drawLine(flow.sheet, line, {
      x: left,
      y: flow.y + baseline(style),
      size: style.size,
      colour: style.colour,
    });
  });
  flow.y += style.leading + 3;
  drawHead(flow, grid, (draw) => {
    artifact(flow.sheet, 'Pagination', () => {
      for (const column of grid.columns) draw(column);
    });
  });
  grid.drawGroup?.(undefined);
}

const heightOfRow = (grid: GridPlan, set: SetRow): number =>
  heightOf(grid.style.cell, set.lines) + heightBelow(set.below.length);

/** A heading of `height` points over the rows that follow, drawn again on each page that these go on to. */
export async function writeGroupHead(
  flow: Flow,
  grid: Grid,
  { height, first }: { readonly height: number; readonly first: Row },
  draw: (element: Element | undefined) => void,
): Promise<void> {
  const { tags } = flow.file;
  grid.rows = 0;
  grid.drawGroup = undefined;
  if (flow.y + startOfGroup(flow, grid, height, first) > bottom(flow)) await nextPage(flow, grid);
  const row = tags.open('TR', grid.body);
  const cell = tags.open('TH', row, { span: grid.columns.length });
  draw(cell);
  tags.close(cell);
  tags.close(row);
  grid.drawGroup = draw;
}

/** Points of the heading of a group, and its first row. */
export const startOfGroup = (flow: Flow, grid: GridPlan, height: number, first: Row): number =>
  height + Math.min(120, heightOfRow(grid, setRow(flow, grid, first)));

async function nextPage(flow: Flow, grid: Grid): Promise<void> {
  const { tags } = flow.file;
  tags.close(grid.body);
  await continueTable(flow, grid);
  grid.body = tags.open('TBody', grid.element);
}

/** @param next points of what must be on the same page */
async function writeRow(flow: Flow, grid: Grid, set: SetRow, next = 0): Promise<void> {
  const height = heightOfRow(grid, set);
  if (flow.y + height + next > bottom(flow)) {
    const whole = flow.sheet.height - margin.top - margin.bottom - grid.headHeight - 80;
    if (height > whole) return writeLongRow(flow, grid, set);
    await nextPage(flow, grid);
  }
  const first = openRow(flow, grid.body, set.cells);
  drawRow(flow, grid, set, first.cells, { from: 0, to: set.lines });
  first.close();
  if (set.below.length > 0) {
    const second = openRow(flow, grid.body, [set.below], grid.columns.length);
    drawBelow(flow, grid, set.below, second.cells);
    second.close();
  }
  grid.rows++;
}

/** A row that no page holds goes over as many as it takes. */
async function writeLongRow(flow: Flow, grid: Grid, set: SetRow): Promise<void> {
  const { tags } = flow.file;
  const { cell } = grid.style;
  const pieces = async (
    count: number,
    [padding, leading]: readonly [number, number],
    draw: (from: number, to: number) => void,
  ): Promise<void> => {
    for (let from = 0; from < count;) {
      const room = bottom(flow) - flow.y - padding;
      const to = Math.min(count, from + Math.floor(room / leading));
      if (to > from) draw(from, to);
      from = Math.max(from, to);
      if (from < count) await continueTable(flow, grid);
    }
  };
  const first = openRow(flow, grid.body, set.cells);
  await pieces(set.lines, [2 * cell.down, cell.leading], (from, to) => {
    drawRow(flow, grid, set, first.cells, { from, to });
  });
  first.close();
  if (set.below.length > 0) {
    const second = openRow(flow, grid.body, [set.below], grid.columns.length);
    await pieces(set.below.length, [below.down, below.leading], (from, to) => {
      drawBelow(flow, grid, set.below.slice(from, to), second.cells);
    });
    second.close();
  }
  tags.close(grid.body);
  grid.body = tags.open('TBody', grid.element);
  grid.rows++;
}

/** A row with an element for each cell. @param span how many columns each is under */
function openRow(
  { file: { tags } }: Flow,
  body: Element,
  cells: readonly unknown[],
  span?: number,
): { readonly cells: readonly Element[]; readonly close: () => void } {
  const row = tags.open('TR', body);
  const elements = cells.map(() => tags.open('TD', row, span === undefined ? {} : { span }));
  return {
    cells: elements,
    close() {
      for (const cell of elements) tags.close(cell);
      tags.close(row);
    },
  };
}

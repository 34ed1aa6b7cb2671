import type { Row, Table } from '../model.ts';
import { setCell } from './cells.ts';
import type { CellText } from './cells.ts';
import { planColumns, sizeOf, styleOf } from './columns.ts';
import type { CellStyle, PlannedColumn, TableStyle } from './columns.ts';
import {
  addMark,
  baseline,
  bottom,
  contentWidth,
  left,
  makeRoom,
  styles,
  turnPage,
  writeElement,
} from './flow.ts';
import type { Flow } from './flow.ts';
import { addLink, artifact, drawLine, fillRect, margin, mark } from './page.ts';
import { ink } from './palette.ts';
import type { Element } from './tags.ts';
import type { Line } from './text.ts';

/** A table while it is written. */
interface Grid {
  readonly title: string;
  readonly columns: readonly PlannedColumn[];
  readonly style: TableStyle;
  readonly headHeight: number;
  readonly element: Element;
  /** The rows of this page. */
  body: Element;
  rows: number;
}

interface SetCell {
  readonly lines: readonly Line[];
  readonly cell: CellText;
  readonly column: PlannedColumn;
}

export async function writeTable(flow: Flow, table: Table): Promise<void> {
  await makeRoom(flow, 90);
  flow.y += 4;
  addMark(flow, 2, table.title);
  await writeElement(flow, 'H3', table.title, styles.title);
  flow.y += 4;
  let grid: Grid | undefined;
  for await (const rows of table.rows()) {
    if (rows.length === 0) continue;
    grid ??= startGrid(flow, table, rows);
    for (const row of rows) await writeRow(flow, grid, row);
    flow.signal.throwIfAborted();
  }
  if (grid) endGrid(flow, grid);
  else await writeElement(flow, 'P', table.empty, { ...styles.body, colour: ink.muted });
  flow.y += 16;
}

function startGrid(flow: Flow, table: Table, rows: readonly Row[]): Grid {
  const { tags } = flow.file;
  const columns = planColumns(flow.type, table.columns, rows, { left, width: contentWidth(flow) });
  const style = styleOf(table.columns);
  const most = Math.max(1, ...columns.map(({ heading }) => heading.length));
  const element = tags.open('Table', flow.element, { title: table.title });
  const grid = {
    title: table.title,
    columns,
    style,
    headHeight: most * style.head.leading + 2 * style.head.down,
    element,
    rows: 0,
  };
  drawHead(flow, grid, (draw) => {
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
  return { ...grid, body: tags.open('TBody', element) };
}

function endGrid(flow: Flow, { body, element }: Grid): void {
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

const points = (line: Line, size: number): number => (line.width * size) / 1000;

async function continueTable(flow: Flow, grid: Grid): Promise<void> {
  await turnPage(flow, flow.sheet.landscape);
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
}

async function writeRow(flow: Flow, grid: Grid, row: Row): Promise<void> {
  const cells = setRow(flow, grid, row);
  const most = cells.reduce((lines, cell) => Math.max(lines, cell.lines.length), 1);
  const height = most * grid.style.cell.leading + 2 * grid.style.cell.down;
  const { tags } = flow.file;
  if (flow.y + height > bottom(flow)) {
    const whole = flow.sheet.height - margin.top - margin.bottom - grid.headHeight - 20;
    if (height > whole) return writeLongRow(flow, grid, cells, most);
    tags.close(grid.body);
    await continueTable(flow, grid);
    grid.body = tags.open('TBody', grid.element);
  }
  const element = tags.open('TR', grid.body);
  const elements = cells.map(() => tags.open('TD', element));
  drawRow(flow, grid, cells, elements, { from: 0, to: most });
  for (const cell of elements) tags.close(cell);
  tags.close(element);
  grid.rows++;
}

/** A row that no page holds goes over as many as it takes. */
async function writeLongRow(
  flow: Flow,
  grid: Grid,
  cells: readonly SetCell[],
  count: number,
): Promise<void> {
  const { tags } = flow.file;
  const element = tags.open('TR', grid.body);
  const elements = cells.map(() => tags.open('TD', element));
  for (let from = 0; from < count;) {
    const room = bottom(flow) - flow.y - 2 * grid.style.cell.down;
    const to = Math.min(count, from + Math.floor(room / grid.style.cell.leading));
    if (to > from) drawRow(flow, grid, cells, elements, { from, to });
    from = Math.max(from, to);
    if (from < count) await continueTable(flow, grid);
  }
  for (const cell of elements) tags.close(cell);
  tags.close(element);
  tags.close(grid.body);
  grid.body = tags.open('TBody', grid.element);
  grid.rows++;
}

const setRow = (
  flow: Flow,
  { columns, style: { cell: style } }: Grid,
  row: Row,
): readonly SetCell[] =>
  columns.map((column, n) => {
    const cell = setCell(row[n] ?? null, column.column.type);
    const width = column.width - 2 * style.across;
    return {
      cell,
      column,
      lines: flow.type.lines(cell.text, cell.face, sizeOf(cell, style), width),
    };
  });

function drawRow(
  flow: Flow,
  grid: Grid,
  cells: readonly SetCell[],
  elements: readonly Element[],
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const { sheet, y } = flow;
  const width = contentWidth(flow);
  const height = (to - from) * grid.style.cell.leading + 2 * grid.style.cell.down;
  artifact(sheet, 'Layout', () => {
    if (grid.rows % 2 === 1) fillRect(sheet, ink.zebra, { x: left, y, width, height });
    fillRect(sheet, ink.hairline, { x: left, y: y + height - 0.4, width, height: 0.4 });
  });
  for (const [n, cell] of cells.entries()) {
    const element = elements[n];
    const lines = cell.lines.slice(from, to);
    if (element && lines.length > 0) drawCell(flow, grid.style.cell, cell, lines, element);
  }
  flow.y += height;
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

import type { ReportModel, Section } from '../../model.ts';
import { columnLetters, emptyCell, tableCell, textCell } from './cells.ts';
import { highestRow } from './row-height.ts';
import type { Link } from './sheet-frame.ts';
import type { ChartLines } from './chart-lines.ts';
import type { PlacedChart } from './drawing-part.ts';
import { heightOfChart } from './chart-part.ts';
import { summaryLines } from './summary-lines.ts';
import type { SheetNote } from './summary-lines.ts';
import type { Line, SummaryCell } from './summary-cells.ts';
import { lineHeight, linesIn, rowPadding } from './text-lines.ts';

export interface SummarySheet {
  /** Of its columns, in digits. */
  readonly widths: readonly number[];
  readonly rows: readonly string[];
  readonly merged: readonly string[];
  readonly links: readonly Link[];
  readonly charts: readonly PlacedChart[];
}

/** Digits: the column of labels, and each of the others. */
const labelWidth = 40;
const valueWidth = 16;
/** Points. */
const gap = 9;
const padding: Readonly<Record<string, number>> = { title: 8, subtitle: 6, heading: 10, subheading: 6 }; // prettier-ignore

/**
 * The first sheet. Its rows are as high as their texts need it: no program does that by itself where cells are merged. A
 * text that is too long for one row goes on in the next.
 * @param name of the sheet, as references have it
 * @param sheetsOf the sheets of a section's tables
 */
export function summarySheet(
  model: ReportModel,
  name: string,
  sheetsOf: (section: Section) => readonly SheetNote[],
): SummarySheet {
  const rows: string[] = [];
  const merged: string[] = [];
  const links: Link[] = [];
  const charts: PlacedChart[] = [];
  let columns = 0;
  let isAfterGap = false;
  const add = (line: Line): void => {
    // Two gaps are one.
    if (line.length === 0 && isAfterGap) return;
    isAfterGap = line.length === 0;
    for (const { cells, height } of rowsOf(line)) {
      const number = rows.length + 1;
      const placed = place(cells);
      columns = Math.max(columns, placed.at(-1)?.end ?? 0);
      for (const { cell, at, end } of placed) {
        const from = `${columnLetters(at)}${number}`;
        if (end > at + 1) merged.push(`${from}:${columnLetters(end - 1)}${number}`);
        if ('link' in cell && cell.link !== undefined) links.push({ from, to: cell.link });
      }
      const xml = placed.map(({ cell, at }) => cellXml(cell, at, number)).join('');
      rows.push(rowXml(number, height, xml));
    }
  };
  const addChart = ({ chart, heading, head, numbers }: ChartLines): void => {
    const row = rows.length;
    // In one row, which is not cut where pages end; in more only if it is too high for one.
    const height = chart === undefined ? 0 : heightOfChart(chart) + gap;
    const count = Math.ceil(height / highestRow);
    for (let n = 1; n <= count; n++) rows.push(rowXml(row + n, Math.ceil(height / count), ''));
    add(heading);
    if (chart) charts.push({ chart, row, numbers: { sheet: name, head: rows.length + 1 } });
    if (numbers.length === 0) return;
    add(head);
    for (const line of numbers) add(line);
  };
  for (const one of summaryLines(model, sheetsOf)) {
    if ('heading' in one) addChart(one);
    else add(one);
  }
  const widths = Array.from({ length: columns }, (_, at) => widthFrom(at, at + 1));
  return { widths, rows, merged, links, charts };
}

const rowXml = (number: number, height: number, cells: string): string =>
  `<row r="${number}" ht="${height}" customHeight="1">${cells}</row>`;

interface PlacedCell {
  readonly cell: SummaryCell;
  /** Its columns, from 0; `end` is the one after its last. */
  readonly at: number;
  readonly end: number;
}

function place(cells: Line): PlacedCell[] {
  let end = 0;
  return cells.map((cell) => {
    const at = end;
    end += 'text' in cell ? cell.span : 1;
    return { cell, at, end };
  });
}

const widthFrom = (at: number, end: number): number =>
  at === 0 ? labelWidth + (end - 1) * valueWidth : (end - at) * valueWidth;

function cellXml(cell: SummaryCell, at: number, row: number): string {
  const first = `${columnLetters(at)}${row}`;
  if (!('text' in cell)) return tableCell(first, cell.value, cell.type);
  const { text, style, span } = cell;
  const others = Array.from({ length: span - 1 }, (_, n) =>
    emptyCell(`${columnLetters(at + 1 + n)}${row}`, style),
  );
  return `${text === '' ? emptyCell(first, style) : textCell(first, text, style)}${others.join('')}`;
}

/** A part of a cell, and how high it is. */
interface Part {
  readonly cell: SummaryCell;
  readonly height: number;
}

/** The rows that a line takes: more than one where a text has more lines than fit. */
function rowsOf(line: Line): { readonly cells: Line; readonly height: number }[] {
  if (line.length === 0) return [{ cells: [], height: gap }];
  const parts = place(line).map(partsOf);
  const count = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: count }, (_, n) => {
    const row = parts.map((of) => of[n] ?? nothingMore(of));
    return {
      cells: row.map(({ cell }) => cell),
      height: Math.ceil(Math.max(...row.map(({ height }) => height))),
    };
  });
}

function partsOf({ cell, at, end }: PlacedCell): readonly Part[] {
  if (!('text' in cell)) return [{ cell, height: lineHeight('text') + rowPadding }];
  const { text, style } = cell;
  const lines = linesIn(text, widthFrom(at, end) - 0.5, style);
  const most = Math.floor(highestRow / lineHeight(style));
  const extra = padding[style] ?? rowPadding;
  const heightOf = (count: number): number => count * lineHeight(style) + extra;
  if (lines.length <= most) return [{ cell, height: heightOf(lines.length) }];
  return Array.from({ length: Math.ceil(lines.length / most) }, (_, n) => {
    const some = lines.slice(n * most, (n + 1) * most);
    return { cell: { ...cell, text: some.join('').trimEnd() }, height: heightOf(some.length) };
  });
}

/** Under a text that ended above. */
function nothingMore([first]: readonly Part[]): Part {
  const cell = first?.cell;
  return cell !== undefined && 'text' in cell
    ? { cell: { text: '', style: cell.style, span: cell.span }, height: 0 }
    : { cell: { value: null, type: 'text' }, height: 0 };
}

import { columnTitle } from '../cell-text.ts';
import type { Cell, Column, ReportHead, ReportModel, Row, Section, Table } from '../../model.ts';
import type { Render } from '../render.ts';
import { writeZip } from '../zip.ts';
import type { ZipEntry } from '../zip.ts';
import { columnLetters, tableCell, textCell } from './cells.ts';
import { columnWidths } from './column-widths.ts';
import { filtered, quoted, workbookParts } from './parts.ts';
import { endOfSheet, startOfSheet } from './sheet-frame.ts';
import { headHeight, rowHeight } from './row-height.ts';
import { sheetNames } from './sheet-names.ts';
import type { SheetNote } from './summary-lines.ts';
import { summarySheet } from './summary-sheet.ts';
import type { SummarySheet } from './summary-sheet.ts';

type Write = (chunk: Uint8Array) => Promise<void>;

/** A table, or as many of its rows as one sheet holds. */
interface TableSheet {
  readonly name: string;
  readonly table: Table;
  readonly from: number;
  readonly rows: number;
}

/** Rows of a sheet under its head. */
const mostRows = 1_048_575;
const chunkLength = 64 * 1024;
const summaryName = 'Summary';

/**
 * A workbook: a summary of what is no table, then a sheet for each table, its head frozen and with filters. A section
 * with one table gives that its name. Sheets are written while their rows are read, so what it takes in memory does not
 * grow with them.
 */
export const renderExcel: Render = async (model, _options, write, signal) => {
  const sheets = sheetsOf(model);
  const summary = summaryOf(model, sheets);
  const named = [
    { name: summaryName },
    ...sheets.map(({ name, table, rows }) => ({ name, table: { columns: table.columns.length, rows } })), // prettier-ignore
  ];
  const entries: ZipEntry[] = [
    ...workbookParts(named, summary.charts, model.head).map(([name, text]) => ({
      name,
      write: (add: Write) => add(Buffer.from(text)),
    })),
    { name: 'xl/worksheets/sheet1.xml', write: (add) => writeSummary(model.head, summary, add) },
    ...sheets.map((sheet, at) => ({
      name: `xl/worksheets/sheet${at + 2}.xml`,
      write: (add: Write) => writeTable(model.head, sheet, add),
    })),
  ];
  await writeZip(entries, write, { modified: model.head.generated_at, signal });
  return {};
};

const tablesOf = ({ blocks }: Section): readonly Table[] =>
  blocks.filter((block) => block.kind === 'table' && block.columns.length > 0) as readonly Table[]; // by its kind

function sheetsOf(model: ReportModel): TableSheet[] {
  const parts = model.sections.flatMap((section) => {
    const tables = tablesOf(section);
    return tables.flatMap((table) => {
      const title = tables.length === 1 ? section.title : table.title;
      const count = Math.max(1, Math.ceil(table.rowCount / mostRows));
      return Array.from({ length: count }, (_, at) => ({
        title,
        table,
        from: at * mostRows,
        rows: Math.min(mostRows, table.rowCount - at * mostRows),
      }));
    });
  });
  const names = sheetNames(
    parts.map(({ title }) => title),
    [summaryName],
  );
  return parts.map(({ table, from, rows }, at) => ({ name: names[at] ?? '', table, from, rows }));
}

function summaryOf(model: ReportModel, sheets: readonly TableSheet[]): SummarySheet {
  const sheetsIn = (section: Section): readonly SheetNote[] =>
    tablesOf(section).flatMap((table) =>
      sheets
        .filter((sheet) => sheet.table === table)
        .map(({ name, rows }) => ({ name, rows, empty: table.empty })),
    );
  return summarySheet(model, quoted(summaryName), sheetsIn);
}

async function writeSummary(report: ReportHead, summary: SummarySheet, add: Write): Promise<void> {
  const { widths, rows, merged, links, charts } = summary;
  const out = gather(add);
  await out.add(startOfSheet({ widths, isTable: false, isOpen: true }));
  for (const row of rows) await out.add(row);
  await out.end(endOfSheet(report, { merged, links, isDrawnOn: charts.length > 0 }));
}

async function writeTable(
  report: ReportHead,
  { table, from, rows }: TableSheet,
  add: Write,
): Promise<void> {
  const { columns } = table;
  const letters = columns.map((_, at) => columnLetters(at));
  const out = gather(add);
  const widths = await columnWidths(table);
  await out.add(startOfSheet({ widths, isTable: true, isOpen: false }));
  const titles = columns.map(columnTitle);
  const heads = titles.map((title, at) => textCell(`${letters[at] ?? ''}1`, title, 'head'));
  await out.add(rowXml(1, heads.join(''), headHeight(titles, widths)));
  let at = 0;
  for await (const batch of table.rows()) {
    for (const row of batch) {
      if (at >= from && at < from + rows) {
        const number = at - from + 2;
        const cells = cellsXml(row, columns, letters, number);
        await out.add(rowXml(number, cells, rowHeight(row, columns, widths)));
      }
      at += 1;
    }
    if (at >= from + rows) break;
  }
  const filter = filtered({ columns: columns.length, rows });
  const lined = rows === 0 ? undefined : filter.replace('A1', 'A2');
  await out.end(endOfSheet(report, { filter, ...(lined !== undefined && { lined }) }));
}

/** @param height points; none: as the program has it */
const rowXml = (number: number, cells: string, height?: number): string =>
  `<row r="${number}"${height === undefined ? '' : ` ht="${height}" customHeight="1"`}>${cells}</row>`;

function cellsXml(
  row: Row,
  columns: readonly Column[],
  letters: readonly string[],
  number: number,
): string {
  let cells = '';
  for (let at = 0; at < columns.length; at++) {
    const cell: Cell = row[at] ?? null;
    cells += tableCell(`${letters[at] ?? ''}${number}`, cell, columns[at]?.type ?? 'text');
  }
  return cells;
}

/** Puts texts together into chunks. */
function gather(write: Write): {
  add(text: string): Promise<void> | undefined;
  end(text: string): Promise<void>;
} {
  let waiting = '';
  const flush = (): Promise<void> => {
    const chunk = Buffer.from(waiting);
    waiting = '';
    return write(chunk);
  };
  return {
    add(text) {
      waiting += text;
      return waiting.length >= chunkLength ? flush() : undefined;
    },
    end(text) {
      waiting += text;
      return flush();
    },
  };
}

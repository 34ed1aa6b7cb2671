import { columnTitle } from '../cell-text.ts';
import type { Cell, CellType, Column, ReportModel, Row, Section, Table } from '../model.ts';
import type { Render } from '../render.ts';
import { writeZip } from '../zip.ts';
import type { ZipEntry } from '../zip.ts';
import { columnLetters, tableCell, textCell } from './cells.ts';
import { endOfSheet, filtered, startOfSheet, workbookParts } from './parts.ts';
import { sheetNames } from './sheet-names.ts';
import { summaryRows } from './summary-sheet.ts';

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
  const named = [
    { name: summaryName },
    ...sheets.map(({ name, table, rows }) => ({ name, table: { columns: table.columns.length, rows } })), // prettier-ignore
  ];
  const entries: ZipEntry[] = [
    ...workbookParts(named, model.head).map(([name, text]) => ({
      name,
      write: (add: Write) => add(Buffer.from(text)),
    })),
    { name: 'xl/worksheets/sheet1.xml', write: (add) => writeSummary(model, sheets, add) },
    ...sheets.map((sheet, at) => ({
      name: `xl/worksheets/sheet${at + 2}.xml`,
      write: (add: Write) => writeTable(sheet, add),
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

async function writeSummary(
  model: ReportModel,
  sheets: readonly TableSheet[],
  add: Write,
): Promise<void> {
  const namesOf = (section: Section): readonly string[] =>
    tablesOf(section).flatMap((table) =>
      sheets.filter((sheet) => sheet.table === table).map(({ name }) => name),
    );
  const out = gather(add);
  await out.add(startOfSheet([44, 28, 18, 18, 18], false, true));
  for (const row of summaryRows(model, namesOf)) await out.add(row);
  await out.end(endOfSheet());
}

async function writeTable({ table, from, rows }: TableSheet, add: Write): Promise<void> {
  const { columns } = table;
  const letters = columns.map((_, at) => columnLetters(at));
  const out = gather(add);
  await out.add(startOfSheet(columns.map(widthOf), true, false));
  const heads = columns.map((column, at) =>
    textCell(`${letters[at] ?? ''}1`, columnTitle(column), 'head'),
  );
  await out.add(`<row r="1">${heads.join('')}</row>`);
  let at = 0;
  for await (const batch of table.rows()) {
    for (const row of batch) {
      if (at >= from && at < from + rows)
        await out.add(rowXml(row, columns, letters, at - from + 2));
      at += 1;
    }
    if (at >= from + rows) break;
  }
  await out.end(endOfSheet(filtered({ columns: columns.length, rows })));
}

function rowXml(
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
  return `<row r="${number}">${cells}</row>`;
}

/** Characters, of a column that shows such cells. */
const widths: Readonly<Record<CellType, number>> = {
  text: 40,
  id: 32,
  integer: 11,
  decimal: 12,
  percent: 11,
  timestamp: 19,
  date: 12,
  severity: 12,
  status: 16,
};

const widthOf = (column: Column): number =>
  Math.min(60, Math.max(widths[column.type], columnTitle(column).length + 4));

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

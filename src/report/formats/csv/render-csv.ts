import { replaceActing } from '../../../contract/control-characters.ts';
import type { Cell, ReportModel, Table } from '../../model.ts';
import { RenderFault } from '../render-fault.ts';
import type { Render } from '../render.ts';

/** Excel takes a file without it for one in the machine's old encoding. */
const byteOrderMark = '\uFEFF';

/**
 * The report's main table as CSV (RFC 4180): UTF-8 with a byte order mark, CRLF, a first row of column ids. Values are
 * as they are in the model: numbers without separators, percents of 100, times in ISO 8601, `true` and `false`, nothing
 * for null. A text that a spreadsheet would run as a formula has a `'` before it, so it is a text there as well; a character
 * that would act on a terminal is replaced.
 * @throws RenderFault where the report has no table
 */
export const renderCsv: Render = async (model, _options, write, signal) => {
  const { columns, rows } = mainTable(model);
  await write(Buffer.from(byteOrderMark + line(columns.map(({ id }) => textField(id)))));
  for await (const batch of rows()) {
    signal.throwIfAborted();
    if (batch.length === 0) continue;
    const lines = batch.map((row) => line(columns.map((_, at) => field(row[at] ?? null))));
    await write(Buffer.from(lines.join('')));
  }
  return {};
};

// A line of one empty field would be taken for an empty line.
const line = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === '' ? '""\r\n' : `${fields.join(',')}\r\n`;

function mainTable({ head, sections }: ReportModel): Table {
  const tables = sections
    .flatMap(({ blocks }) => blocks)
    .filter((block): block is Table => block.kind === 'table');
  const table = tables.find(({ id }) => id === head.mainTable) ?? tables[0];
  if (!table) throw new RenderFault('The report has no table that a CSV file could be made of');
  return table;
}

function field(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : '';
  return typeof cell === 'boolean' ? String(cell) : textField(cell);
}

/** What spreadsheets begin a formula with, also in the wide forms of East Asian keyboards. */
const formulaStart = /^[\s\0]*[=+\-@\t\r\n\0\uff1d\uff0b\uff0d\uff20]/;
const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
// Either half of the end of a line is quoted, too: some readers take each for one.
const quoted = /[",\r\n]/;

function textField(text: string): string {
  const plain = replaceActing(text, (one) => (one === '\r' ? one : '\ufffd'));
  const safe = formulaStart.test(text) && !number.test(text) ? `'${plain}` : plain;
  return quoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

import type { ReportModel, Table } from '../../model.ts';
import { RenderFault } from '../render-fault.ts';
import type { Render } from '../render.ts';
import { csvLine } from './csv-line.ts';

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
  await write(Buffer.from(byteOrderMark + csvLine(columns.map(({ id }) => id))));
  for await (const batch of rows()) {
    signal.throwIfAborted();
    if (batch.length === 0) continue;
    const lines = batch.map((row) => csvLine(columns.map((_, at) => row[at] ?? null)));
    await write(Buffer.from(lines.join('')));
  }
  return {};
};

function mainTable({ head, sections }: ReportModel): Table {
  const tables = sections
    .flatMap(({ blocks }) => blocks)
    .filter((block): block is Table => block.kind === 'table');
  const table = tables.find(({ id }) => id === head.mainTable) ?? tables[0];
  if (!table) throw new RenderFault('The report has no table to write as CSV');
  return table;
}

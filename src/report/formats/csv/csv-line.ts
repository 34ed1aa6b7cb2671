import { replaceActing } from '../../../contract/control-characters.ts';
import type { Cell } from '../../model.ts';

/** A line of CSV, as `renderCsv` describes it. */
export const csvLine = (cells: readonly Cell[]): string => line(cells.map(field));

// A line of one empty field would be taken for an empty line.
const line = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === '' ? '""\r\n' : `${fields.join(',')}\r\n`;

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

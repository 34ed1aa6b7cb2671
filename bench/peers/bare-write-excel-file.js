// The same cells through write-excel-file, as its README has it: typed cells, a bold head that stays, widths.
import writeExcelFile from 'write-excel-file/node';
import { findingColumns, findingRow } from '../findings.js';

const [count, file] = process.argv.slice(2);
const top = { alignVertical: 'top', wrap: true };
const cell = (value, { type }) => {
  if (type === 'timestamp') return { value: new Date(value), type: Date, format: 'yyyy-mm-dd hh:mm:ss' }; // prettier-ignore
  if (type === 'integer') return { value, type: Number, format: '#,##0' };
  if (type === 'severity' || type === 'status') return { value, type: String, fontWeight: 'bold' };
  return { value, type: String, ...top };
};
const data = [findingColumns.map(({ title }) => ({ value: title, type: String, fontWeight: 'bold', ...top }))]; // prettier-ignore
for (let n = 0; n < Number(count); n++) {
  data.push(findingRow(n).map((value, at) => cell(value, findingColumns[at])));
}
const columns = findingColumns.map(({ title }) => ({ width: Math.max(14, title.length + 4) }));
await writeExcelFile(data, { sheet: 'Findings', stickyRowsCount: 1, columns }).toFile(file);

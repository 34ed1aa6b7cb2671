// The same rows through csv-stringify's own stream, with the same options; formulas escaped by it.
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';
import { findingColumns, findingRow } from '../findings.js';

const [count, file] = process.argv.slice(2);
function* rows() {
  yield findingColumns.map(({ id }) => id);
  for (let n = 0; n < Number(count); n++) yield findingRow(n);
}
await pipeline(
  Readable.from(rows()),
  stringify({ bom: true, record_delimiter: '\r\n', quoted_match: /[\r\n]/, escape_formulas: true }),
  createWriteStream(file),
);

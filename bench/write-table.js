// Our side of the figures of large tables: renders a report of so many findings in one format.
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { findingColumns, findingRow } from './findings.js';

const [module, name, count, file] = process.argv.slice(2);
const { [name]: render } = await import(pathToFileURL(module).href);
const rowCount = Number(count);
const table = {
  kind: 'table',
  id: 'findings',
  title: 'Findings',
  columns: findingColumns,
  rowCount,
  async *rows() {
    for (let from = 0; from < rowCount; from += 500) {
      yield Array.from({ length: Math.min(500, rowCount - from) }, (_, n) => findingRow(from + n));
    }
  },
  empty: 'None.',
};
const summary = { compliance_score: 87.25, total_violations: rowCount, critical: 0, high: 0, medium: 0, low: 0 }; // prettier-ignore
const head = {
  id: 'rpt_01kah7v2m4x9c0d3e5f6g7h8j9',
  name: 'SOC 2 evidence',
  type: 'compliance',
  generated_at: '2026-11-02T09:30:00.000Z',
  generated_by: 'user_01kah7v2m4x9c0d3e5f6g7h8ja',
  about: [],
  generator: 'govctl',
  summary,
  mainTable: 'findings',
};
const out = createWriteStream(file);
await render(
  { head, sections: [{ id: 'findings', title: 'Findings', blocks: [table] }] },
  { format: 'csv', random: (bytes) => randomBytes(bytes) },
  async (chunk) => {
    if (!out.write(chunk)) await once(out, 'drain');
  },
  new AbortController().signal,
);
out.end();
await once(out, 'finish');

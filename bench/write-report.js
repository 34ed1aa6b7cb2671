// Our side of the figures of reports: renders the report in a JSON file, and says how many pages it has.
import { randomBytes } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';

const [module, data, file] = process.argv.slice(2);
const { renderPdf } = await import(pathToFileURL(module).href);
const { head, sections } = JSON.parse(readFileSync(data, 'utf8'));

const withRows = ({ cells, ...block }) =>
  cells
    ? {
        ...block,
        rowCount: cells.length,
        async *rows() {
          for (let from = 0; from < cells.length; from += 500) yield cells.slice(from, from + 500);
        },
      }
    : block;
const model = { head, sections: sections.map((s) => ({ ...s, blocks: s.blocks.map(withRows) })) };

const out = createWriteStream(file);
const { pages } = await renderPdf(
  model,
  { format: 'pdf', random: (bytes) => randomBytes(bytes) },
  async (chunk) => {
    if (!out.write(chunk)) await once(out, 'drain');
  },
  new AbortController().signal,
);
out.end();
await once(out, 'finish');
console.log(pages.total);

import type { Block, ReportHead, ReportModel, Row, Table } from '../../model.ts';
import type { Render } from '../render.ts';
import { reportSchemaId } from './schema-id.ts';

const chunkLength = 64 * 1024;

/**
 * The whole model as one JSON document, `docs/reference/report.schema.json` its schema. Tables are written while they
 * are read: each row is a line, with its cells by the ids of their columns.
 */
export const renderJson: Render = async (model, _options, write, signal) => {
  let waiting = '';
  for await (const part of documentOf(model, signal)) {
    waiting += part;
    if (waiting.length < chunkLength) continue;
    await write(Buffer.from(waiting));
    waiting = '';
  }
  await write(Buffer.from(waiting));
  return {};
};

async function* documentOf(
  { head, sections }: ReportModel,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `{"$schema":${JSON.stringify(reportSchemaId)},"format_version":1,\n"report":${JSON.stringify(reportOf(head))},\n"sections":[`;
  for (const [at, { id, title, blocks }] of sections.entries()) {
    yield `${at > 0 ? ',' : ''}\n{"id":${JSON.stringify(id)},"title":${JSON.stringify(title)},"blocks":[`;
    for (const [place, block] of blocks.entries()) {
      yield place > 0 ? ',\n' : '\n';
      yield* blockJson(block, signal);
    }
    yield ']}';
  }
  yield ']}\n';
}

const reportOf = ({ mainTable, ...head }: ReportHead): object => ({
  ...head,
  main_table: mainTable,
});

async function* blockJson(block: Block, signal: AbortSignal): AsyncGenerator<string> {
  if (block.kind === 'table') yield* tableJson(block, signal);
  else yield JSON.stringify(block);
}

async function* tableJson(table: Table, signal: AbortSignal): AsyncGenerator<string> {
  const { id, title, empty } = table;
  const columns = table.columns.map(({ id, title, type }) => ({ id, title, type }));
  yield `${JSON.stringify({ kind: 'table', id, title, columns, empty }).slice(0, -1)},"rows":[`;
  const names = columns.map(({ id }) => `${JSON.stringify(id)}:`);
  let count = 0;
  for await (const rows of table.rows()) {
    signal.throwIfAborted();
    for (const row of rows) {
      yield `${count > 0 ? ',' : ''}\n${rowJson(row, names)}`;
      count += 1;
    }
  }
  yield `],"row_count":${count}}`;
}

/** Names are put in as text: what they are called can do no harm. */
function rowJson(row: Row, names: readonly string[]): string {
  let cells = '';
  for (let at = 0; at < names.length; at++) {
    cells += `${at > 0 ? ',' : ''}${names[at] ?? ''}${JSON.stringify(row[at] ?? null)}`;
  }
  return `{${cells}}`;
}

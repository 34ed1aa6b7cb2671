import type { ReportModel, Section, Table } from '../../model.ts';
import type { Render } from '../render.ts';
import { blockHtml } from './blocks.ts';
import { escapeText } from './escape.ts';
import { figureHtml } from './figure.ts';
import { endOfPage, startOfPage } from './head.ts';
import { tableScript } from './script.ts';
import { styleOf } from './style.ts';
import { tableHtml } from './table.ts';

/** Characters that are written together. */
const chunkLength = 64 * 1024;

/**
 * One file that needs nothing else: it loads nothing, runs nothing but its own script, and can be read without that. What
 * it takes in memory does not grow with the number of rows.
 */
export const renderHtml: Render = async (model, { watermark }, write, signal) => {
  let text = '';
  for await (const part of pageHtml(model, watermark, signal)) {
    text += part;
    if (text.length < chunkLength) continue;
    signal.throwIfAborted();
    await write(Buffer.from(text));
    text = '';
  }
  await write(Buffer.from(text));
  return {};
};

async function* pageHtml(
  model: ReportModel,
  watermark: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const tables = model.sections.flatMap(({ blocks }) =>
    blocks.filter((block) => block.kind === 'table'),
  );
  const tableIds = new Map(tables.map((table, at) => [table, `table-${at + 1}`]));
  const ids = model.sections.map(({ id }, at) => sectionId(id, at));
  const style = styleOf([...tableIds].map(([table, id]) => [id, table]));
  yield startOfPage(model, { style, script: tableScript, watermark, ids });
  for (const [at, section] of model.sections.entries()) {
    yield* sectionHtml(section, ids[at] ?? '', tableIds, signal);
  }
  yield endOfPage(model, tableScript);
}

/** What links to it are made of. */
const sectionId = (id: string, at: number): string =>
  `section-${/^[a-z0-9_-]+$/.test(id) ? id : at + 1}`;

async function* sectionHtml(
  { title, blocks }: Section,
  id: string,
  tableIds: ReadonlyMap<Table, string>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `<section id="${id}" aria-labelledby="${id}-title">\n<h2 id="${id}-title">${escapeText(title)}</h2>\n`;
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'table') {
      const titledBy = block.title === title ? `${id}-title` : undefined;
      yield* tableHtml(block, { id: tableIds.get(block) ?? '', titledBy }, signal);
    } else if (block.kind === 'chart') yield figureHtml(block, `${id}-chart-${at + 1}`);
    else yield blockHtml(block);
  }
  yield '</section>\n';
}

import type { ReportModel, Section } from '../../model.ts';
import type { Render, RenderOptions } from '../render.ts';
import { writeBlock } from './blocks.ts';
import { needsLandscape } from './columns.ts';
import { openFile } from './file.ts';
import { addMark, beginPage, styles, writeElement } from './flow.ts';
import type { Flow } from './flow.ts';
import { createFonts } from './fonts.ts';
import { reserveContents, writeContents, writeCover, writeOutline } from './front.ts';
import { endTotal } from './page.ts';
import type { PdfFile } from './file.ts';
import { createTypesetter } from './text.ts';

/**
 * A tagged PDF: title page, contents, and a section from each page on that starts one. Pages are handed over as they are
 * done, so that memory does not grow with rows. But for the salts of encryption, one model gives one file.
 */
export const renderPdf: Render = async (model, options, write, signal) => {
  signal.throwIfAborted();
  const file = await openFile(model.head, options, write);
  const front = startFlow(file, model, options, signal);
  writeCover(front, model.head);
  const contents = reserveContents(front, model);
  const toc = file.tags.open('Sect', file.tags.root);
  const sections: number[] = [];
  for (const section of model.sections) {
    const before = front.pages;
    await writeSection(front, section);
    sections.push(front.pages - before);
  }
  writeContents(front, contents, toc);
  file.tags.close(toc);
  writeOutline(front);
  endTotal(file, front.type, front.pages);
  await file.close();
  return { pages: { total: front.pages, sections } };
};

type FrontFlow = Omit<Flow, 'sheet' | 'element'>;

function startFlow(
  file: PdfFile,
  { head }: ReportModel,
  options: RenderOptions,
  signal: AbortSignal,
): FrontFlow {
  const { watermark } = options;
  const state = watermark === undefined ? undefined : file.doc.ref({ Type: 'ExtGState', ca: 0.16 });
  state?.end();
  return {
    file,
    type: createTypesetter(createFonts(file.doc)),
    signal,
    running: { name: head.name, foot: head.id, ...(watermark !== undefined && { watermark }) },
    watermarkState: state,
    section: '',
    y: 0,
    pages: 0,
    marks: [],
  };
}

/** A section starts on a page of its own, so that its pages are its own. */
async function writeSection(front: FrontFlow, section: Section): Promise<void> {
  const { tags } = front.file;
  const element = tags.open('Sect', tags.root, { title: section.title });
  const landscape = section.blocks.some(
    (block) => block.kind === 'table' && needsLandscape(block.columns),
  );
  front.section = section.title;
  const flow: Flow = Object.assign(front, { element, sheet: beginPage(front, landscape) });
  addMark(flow, 1, section.title);
  await writeElement(flow, 'H1', section.title, styles.section);
  flow.y += 10;
  for (const block of section.blocks) await writeBlock(flow, block);
  front.file.finishPage(flow.sheet);
  await front.file.drain();
  tags.close(element);
}

import type { ReportModel, Section } from '../../model.ts';
import type { Render, RenderOptions } from '../render.ts';
import { startFrom, writeBlock } from './blocks.ts';
import { openFile } from './file.ts';
import { addMark, beginPage, contentWidth, left, makeRoom, styles, writeElement } from './flow.ts';
import type { Flow } from './flow.ts';
import { createFonts } from './fonts.ts';
import { reserveContents, writeContents, writeCover, writeOutline } from './front.ts';
import { artifact, endTotal, fillRect, margin } from './page.ts';
import { ink } from './palette.ts';
import type { PdfFile, Sheet } from './file.ts';
import { createTypesetter } from './text.ts';

/**
 * A tagged PDF: title page, contents, and the sections, one after the other. Pages are handed over as they are
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
    sections.push(await writeSection(front, section));
  }
  const { sheet } = front;
  if (sheet) front.file.finishPage(sheet);
  writeContents(front, contents, toc);
  file.tags.close(toc);
  writeOutline(front);
  endTotal(file, front.type, front.pages);
  await file.close();
  return { pages: { total: front.pages, sections } };
};

/** Before the first section there is no page to go on with. */
type FrontFlow = Omit<Flow, 'sheet' | 'element'> & { sheet?: Sheet };

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

/**
 * A section goes on where the one before ended, if its start fits there.
 * @returns the pages that it is on, those among them that it shares with its neighbors
 */
async function writeSection(front: FrontFlow, section: Section): Promise<number> {
  const { tags } = front.file;
  const element = tags.open('Sect', tags.root, { title: section.title });
  front.section = section.title;
  const flow: Flow = Object.assign(front, { element, sheet: front.sheet ?? beginPage(front) });
  await makeRoom(flow, sectionHead + (await startFrom(flow, section, 0)));
  if (flow.y > margin.top) drawSectionRule(flow);
  const start = flow.pages;
  addMark(flow, 1, section.title);
  await writeElement(flow, 'H1', section.title, styles.section);
  flow.y += 10;
  for (const at of section.blocks.keys()) await writeBlock(flow, section, at);
  await front.file.drain();
  tags.close(element);
  return flow.pages - start + 1;
}

/** Points: of a section's title and the rule above it. */
const sectionHead = 62;

function drawSectionRule(flow: Flow): void {
  const { sheet } = flow;
  flow.y += 8;
  artifact(sheet, 'Layout', () => {
    fillRect(sheet, ink.rule, { x: left, y: flow.y, width: contentWidth(flow), height: 0.6 });
  });
  flow.y += 14;
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { drawLine, drawRunning, drawWatermark, margin, mark } from './page.ts';
import type { Running } from './page.ts';
import type { PdfFile, Sheet } from './file.ts';
import type { Face } from './fonts.ts';
import { ink } from './palette.ts';
import type { Ref } from './pdfkit-inside.ts';
import type { Element, ElementType } from './tags.ts';
import type { Line, Typesetter } from './text.ts';

/** Where the next block goes: down the page, and on to the next one. */
export interface Flow {
  readonly file: PdfFile;
  readonly type: Typesetter;
  readonly signal: AbortSignal;
  readonly running: Omit<Running, 'section'>;
  readonly watermarkState: Ref | undefined;
  section: string;
  /** Of the section. */
  element: Element;
  sheet: Sheet;
  /** The top of what comes next. */
  y: number;
  /** Pages begun so far. */
  pages: number;
  /** What the outline names. */
  readonly marks: OutlineMark[];
}

/** A place that the outline and the contents lead to. */
export interface OutlineMark {
  readonly level: 1 | 2;
  readonly title: string;
  readonly sheet: Sheet;
  readonly top: number;
  readonly page: number;
}

export const left = margin.side;
export const contentWidth = (flow: Flow): number => flow.sheet.width - 2 * margin.side;
export const bottom = (flow: Flow): number => flow.sheet.height - margin.bottom;

/** A page with what every page has, but for its running head. */
export function startSheet(flow: Omit<Flow, 'sheet' | 'element'>): Sheet {
  const sheet = flow.file.addPage();
  flow.pages++;
  const { watermark } = flow.running;
  if (watermark !== undefined && flow.watermarkState) {
    drawWatermark(flow.file, sheet, {
      type: flow.type,
      text: watermark,
      state: flow.watermarkState,
    });
  }
  return sheet;
}

/** Goes on at the top of a new page; the one before is written, and other work has its turn. */
export async function turnPage(flow: Flow): Promise<void> {
  flow.file.finishPage(flow.sheet);
  await flow.file.drain();
  await nextTurn();
  flow.signal.throwIfAborted();
  flow.sheet = beginPage(flow);
}

/** A page with its running head, which names the section that it starts in, and its foot. */
export function beginPage(flow: Omit<Flow, 'sheet' | 'element'>): Sheet {
  const sheet = startSheet(flow);
  flow.y = margin.top;
  drawRunning(flow.file, sheet, {
    type: flow.type,
    text: { ...flow.running, section: flow.section },
    pageNumber: flow.pages,
  });
  return sheet;
}

/** Makes room for `height` points; what is higher than a page starts on a new one unless this one is still empty. */
export async function makeRoom(flow: Flow, height: number): Promise<void> {
  if (flow.y + height > bottom(flow) && flow.y > margin.top) {
    await turnPage(flow);
  }
}

export interface TextStyle {
  readonly face: Face;
  readonly size: number;
  readonly leading: number;
  readonly colour: string;
}

export const styles = {
  section: { face: 'bold', size: 18, leading: 23, colour: ink.accent },
  heading: { face: 'bold', size: 11.5, leading: 15, colour: ink.accent },
  title: { face: 'bold', size: 9.4, leading: 12.5, colour: ink.text },
  body: { face: 'sans', size: 9.2, leading: 13.2, colour: ink.text },
  small: { face: 'sans', size: 7.8, leading: 10.6, colour: ink.muted },
} as const satisfies Readonly<Record<string, TextStyle>>;

/** The baseline of a line within its leading. */
export const baseline = ({ size, leading }: Pick<TextStyle, 'size' | 'leading'>): number =>
  (leading - size) / 2 + size * 0.86;

/** Writes lines down the page, over as many pages as they take. */
export async function writeText(
  flow: Flow,
  text: string,
  style: TextStyle,
  element: Element,
  { indent = 0, width = contentWidth(flow) - indent }: { indent?: number; width?: number } = {},
): Promise<void> {
  for (const line of flow.type.lines(text, style.face, style.size, width)) {
    await makeRoom(flow, style.leading);
    drawMarked(flow, line, style, element, left + indent);
    flow.y += style.leading;
  }
}

function drawMarked(flow: Flow, line: Line, style: TextStyle, element: Element, x: number): void {
  mark(flow.sheet, element, () => {
    drawLine(flow.sheet, line, {
      x,
      y: flow.y + baseline(style),
      size: style.size,
      colour: style.colour,
    });
  });
}

/** A text that is an element of its own. */
export async function writeElement(
  flow: Flow,
  type: ElementType,
  text: string,
  style: TextStyle,
): Promise<void> {
  const element = flow.file.tags.open(type, flow.element);
  await writeText(flow, text, style, element);
  flow.file.tags.close(element);
}

export function addMark(flow: Flow, level: 1 | 2, title: string): void {
  flow.marks.push({ level, title, sheet: flow.sheet, top: flow.y - 6, page: flow.pages });
}

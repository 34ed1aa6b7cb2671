import type { Face } from './fonts.ts';
import type { PdfFile, Sheet } from './file.ts';
import { ink, rgb } from './palette.ts';
import { number, pdfText, textString } from './pdf-string.ts';
import { addContent } from './tags.ts';
import type { Element } from './tags.ts';
import type { Line, Segment, Typesetter } from './text.ts';

/** Draws a line of text whose baseline is at `y`. */
export function drawLine(
  sheet: Sheet,
  line: Line,
  place: { readonly x: number; readonly y: number; readonly size: number; readonly colour: string },
): void {
  if (line.segments.length === 0) return;
  const { operators, page } = sheet;
  operators.push(`BT ${rgb(place.colour)} rg 1 0 0 -1 ${number(place.x)} ${number(place.y)} Tm`);
  let font: Segment['font'] | undefined;
  for (const segment of line.segments) {
    if (segment.font !== font) {
      font = segment.font;
      page.fonts[font.id] ??= font.ref();
      operators.push(`/${font.id} ${number(place.size)} Tf`);
    }
    operators.push(
      segment.actual === undefined
        ? `<${segment.hex}> Tj`
        : `/Span <</ActualText ${textString(segment.actual)}>> BDC <${segment.hex}> Tj EMC`,
    );
  }
  operators.push('ET');
}

export function fillRect(
  sheet: Sheet,
  colour: string,
  rect: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): void {
  sheet.operators.push(
    `${rgb(colour)} rg ${number(rect.x)} ${number(rect.y)} ${number(rect.width)} ${number(rect.height)} re f`,
  );
}

/** Marks what `draw` draws as content of an element. */
export function mark(sheet: Sheet, element: Element, draw: () => void): void {
  const mcid = sheet.owners.push(element.id) - 1;
  addContent(element, sheet.page.dictionary.id, mcid);
  sheet.operators.push(`/${element.type} <</MCID ${mcid}>> BDC`);
  draw();
  sheet.operators.push('EMC');
}

/** Marks what `draw` draws as no part of what the document says. */
export function artifact(
  sheet: Sheet,
  type: 'Pagination' | 'Layout' | 'Background',
  draw: () => void,
): void {
  sheet.operators.push(`/Artifact <</Type /${type}>> BDC`);
  draw();
  sheet.operators.push('EMC');
}

export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export type LinkTarget = { readonly url: string } | { readonly page: Sheet; readonly top: number };

/** Makes an area of a page lead somewhere. */
export function addLink(
  file: PdfFile,
  sheet: Sheet,
  area: Area,
  target: LinkTarget,
  element: Element,
): void {
  const { doc, tags } = file;
  const bottom = sheet.height - area.y - area.height;
  const action =
    'url' in target
      ? { A: { S: 'URI', URI: pdfText(target.url) } }
      : { Dest: destination(target.page, target.top) };
  const link = doc.ref({
    Type: 'Annot',
    Subtype: 'Link',
    Rect: [area.x, bottom, area.x + area.width, bottom + area.height],
    Border: [0, 0, 0],
    F: 4,
    ...action,
  });
  link.data['StructParent'] = tags.annotation(element, link.id, sheet.page.dictionary.id);
  sheet.page.annotations.push(link);
  link.end();
}

export const destination = (sheet: Sheet, top: number): readonly unknown[] => [
  sheet.page.dictionary,
  'XYZ',
  0,
  sheet.height - top,
  null,
];

export const margin = { side: 46, top: 66, bottom: 56 } as const;
const headBaseline = 40;
const footBaseline = 28;
const running = 7.2;

export interface Running {
  readonly name: string;
  readonly section: string;
  readonly foot: string;
  readonly watermark?: string;
}

/** What stands on every page but the first: the report's name, the section, the number of the page. */
export function drawRunning(
  file: PdfFile,
  sheet: Sheet,
  {
    type,
    text,
    pageNumber,
  }: { readonly type: Typesetter; readonly text: Running; readonly pageNumber: number },
): void {
  const right = sheet.width - margin.side;
  const half = (right - margin.side) / 2 - 8;
  artifact(sheet, 'Pagination', () => {
    const foot = sheet.height - footBaseline;
    const put = (line: Line, x: number, y: number): void => {
      drawLine(sheet, line, { x, y, size: running, colour: ink.muted });
    };
    const ended = (content: string): Line => type.cut(content, 'sans', running, half);
    put(ended(text.name), margin.side, headBaseline);
    const section = ended(text.section);
    put(section, right - points(section, running), headBaseline);
    fillRect(sheet, ink.rule, {
      x: margin.side,
      y: headBaseline + 6,
      width: right - margin.side,
      height: 0.6,
    });
    fillRect(sheet, ink.rule, {
      x: margin.side,
      y: foot - 11,
      width: right - margin.side,
      height: 0.6,
    });
    const label = type.line(`Page ${pageNumber} of`, 'sans');
    put(label, margin.side, foot);
    drawTotal(file, sheet, margin.side + points(label, running) + 2.4, foot);
    const id = ended(text.foot);
    put(id, right - points(id, running), foot);
  });
}

const points = (line: Line, size: number): number => (line.width * size) / 1000;

function drawTotal(file: PdfFile, sheet: Sheet, x: number, y: number): void {
  sheet.page.xobjects['Total'] = file.total;
  sheet.operators.push(`q 1 0 0 -1 ${number(x)} ${number(y)} cm /Total Do Q`);
}

/** How many pages there are is known at the end: one small drawing that all of them show. */
export function endTotal(file: PdfFile, type: Typesetter, pages: number): void {
  const line = type.line(String(pages), 'sans');
  const [segment] = line.segments;
  if (!segment) return;
  Object.assign(file.total.data, {
    BBox: [0, -4, points(line, running) + 2, running + 2],
    Resources: { Font: { [segment.font.id]: segment.font.ref() } },
  });
  file.total.end(
    Buffer.from(
      `BT ${rgb(ink.muted)} rg /${segment.font.id} ${running} Tf <${segment.hex}> Tj ET`,
      'latin1',
    ),
  );
}

/** Large, pale and across the page, under everything else. */
export function drawWatermark(
  file: PdfFile,
  sheet: Sheet,
  {
    type,
    text,
    state,
  }: { readonly type: Typesetter; readonly text: string; readonly state: unknown },
): void {
  const face: Face = 'bold';
  const line = type.line(text, face);
  const { width, height } = sheet;
  const diagonal = Math.hypot(width, height) * 0.72;
  const size = Math.min(110, (diagonal * 1000) / Math.max(1, line.width));
  const angle = -Math.atan2(height, width);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  artifact(sheet, 'Background', () => {
    // The state is a reference of the document's, shared by its pages.
    Object.assign(sheet.page.ext_gstates, { Watermark: state });
    sheet.operators.push(
      `q /Watermark gs ${number(cos)} ${number(sin)} ${number(-sin)} ${number(cos)} ${number(width / 2)} ${number(height / 2)} cm`,
    );
    drawLine(sheet, line, {
      x: -points(line, size) / 2,
      y: size * 0.36,
      size,
      colour: ink.watermark,
    });
    sheet.operators.push('Q');
  });
}

import { drawChart } from '../../charts/draw-chart.ts';
import type { Drawing, PathShape, TextShape } from '../../charts/drawing.ts';
import { paintsOnWhite } from '../../charts/paints.ts';
import type { Block, Chart, Figures, Notice, Section } from '../../model.ts';
import { toneWords } from '../tones.ts';
import { turnTo } from './file.ts';
import {
  addMark,
  baseline,
  bottom,
  contentWidth,
  left,
  makeRoom,
  styles,
  writeElement,
  writeText,
} from './flow.ts';
import type { Flow } from './flow.ts';
import { artifact, drawLine, fillRect, mark } from './page.ts';
import { ink, rgb, tones } from './palette.ts';
import { number } from './pdf-string.ts';
import { tableStart, writeTable } from './table.ts';
import { titlePlaceOf } from './titles.ts';
import type { Line } from './text.ts';

export async function writeBlock(flow: Flow, section: Section, at: number): Promise<void> {
  const block = section.blocks[at];
  if (!block) return;
  await makeRoom(flow, await startFrom(flow, section, at));
  switch (block.kind) {
    case 'heading':
      flow.y += 8;
      addMark(flow, 2, block.text);
      await writeElement(flow, 'H2', block.text, styles.heading);
      flow.y += 4;
      return;
    case 'paragraph':
      await writeElement(flow, 'P', block.text, styles.body);
      flow.y += 8;
      return;
    case 'notice':
      return writeNotice(flow, block);
    case 'figures':
      return writeFigures(flow, block);
    case 'chart':
      return writeChart(flow, block);
    case 'table':
      return writeTable(flow, block, titlePlaceOf(section, at));
  }
}

/** Texts are not kept with what they lead to where both take more than half a page. */
const mostKept = 360;

/**
 * Points that a block and what belongs to it take: texts lead to the next chart or table, and are on the page where it
 * starts.
 */
export async function startFrom(flow: Flow, section: Section, at: number): Promise<number> {
  const { blocks } = section;
  const [block] = blocks.slice(at);
  if (!block) return 0;
  const to = blocks.findIndex(
    (one, n) => n >= at && (one.kind === 'chart' || one.kind === 'table'),
  );
  if (to < 0) return startOf(flow, section, at);
  let height = await startOf(flow, section, to);
  for (const text of blocks.slice(at, to)) height += heightOfText(flow, text);
  return to === at || height <= mostKept ? height : startOf(flow, section, at);
}

async function startOf(flow: Flow, section: Section, at: number): Promise<number> {
  const block = section.blocks[at];
  if (block?.kind === 'chart') return placeChart(flow, block).height + chartTitle;
  if (block?.kind === 'table') return tableStart(flow, block, titlePlaceOf(section, at));
  return block ? Math.min(heightOfText(flow, block), mostKept) : 0;
}

/** Of all that is neither a chart nor a table. */
function heightOfText(flow: Flow, block: Block): number {
  const { face, size, leading } = styles.body;
  const textHeight = (text: string, width: number): number =>
    flow.type.lines(text, face, size, width).length * leading;
  switch (block.kind) {
    case 'heading':
      return 8 + styles.heading.leading + 4;
    case 'paragraph':
      return textHeight(block.text, contentWidth(flow)) + 8;
    case 'notice':
      return textHeight(block.text, contentWidth(flow) - 3 * noticePadding) + 2 * noticePadding + 6;
    case 'figures':
      return Math.ceil(block.items.length / figuresPerRow(flow)) * 68 + 6;
    default:
      return 0;
  }
}

const noticePadding = 8;

async function writeNotice(flow: Flow, { tone, text }: Notice): Promise<void> {
  const { ink: colour, ground } = tones[tone];
  const style = { ...styles.body, colour };
  const indent = noticePadding + 6;
  const width = contentWidth(flow) - indent - noticePadding;
  const whole = `${toneWords[tone]}: ${text}`;
  const lines = flow.type.lines(whole, style.face, style.size, width);
  const height = lines.length * style.leading + 2 * noticePadding - 2;
  await makeRoom(flow, height);
  const fits = flow.y + height <= bottom(flow);
  if (fits) {
    const { sheet, y } = flow;
    artifact(sheet, 'Layout', () => {
      fillRect(sheet, ground, { x: left, y, width: contentWidth(flow), height });
      fillRect(sheet, colour, { x: left, y, width: 3, height });
    });
  }
  flow.y += noticePadding - 1;
  const element = flow.file.tags.open('Note', flow.element);
  await writeText(flow, whole, style, element, { indent, width });
  flow.file.tags.close(element);
  flow.y += noticePadding + 7;
}

const figure = { gap: 8, least: 88, padding: 9, value: 16, label: 7.8 } as const;

/** Cards side by side, in as many rows as they take. */
async function writeFigures(flow: Flow, { items }: Figures): Promise<void> {
  if (items.length === 0) return;
  const most = figuresPerRow(flow);
  const rows = Math.ceil(items.length / most);
  const perRow = Math.ceil(items.length / rows);
  const list = flow.file.tags.open('L', flow.element);
  for (let row = 0; row < rows; row++) {
    await writeFigureRow(flow, items.slice(row * perRow, (row + 1) * perRow), perRow, list);
  }
  flow.file.tags.close(list);
  flow.y += 6;
}

const figuresPerRow = (flow: Flow): number =>
  Math.max(1, Math.floor((contentWidth(flow) + figure.gap) / (figure.least + figure.gap)));

async function writeFigureRow(
  flow: Flow,
  items: Figures['items'],
  perRow: number,
  list: Flow['element'],
): Promise<void> {
  const width = (contentWidth(flow) - (perRow - 1) * figure.gap) / perRow;
  const inner = width - 2 * figure.padding;
  const cards = items.map(({ label, value, note, tone }) => ({
    label: flow.type.lines(label, 'sans', figure.label, inner).slice(0, 3),
    value: flow.type.lines(value, 'bold', fitting(flow, value, inner), inner).slice(0, 3),
    size: fitting(flow, value, inner),
    note: note === undefined ? [] : flow.type.lines(note, 'sans', figure.label, inner).slice(0, 5),
    tone: tones[tone ?? 'neutral'],
  }));
  const height = Math.max(
    ...cards.map(
      ({ label, value, note }) =>
        2 * figure.padding + (label.length + note.length) * 10.5 + value.length * 21,
    ),
  );
  await makeRoom(flow, height);
  const { sheet, y } = flow;
  const { tags } = flow.file;
  for (const [n, { label, value, size, note, tone }] of cards.entries()) {
    const x = left + n * (width + figure.gap);
    artifact(sheet, 'Layout', () => {
      fillRect(sheet, tone.ground, { x, y, width, height });
      fillRect(sheet, tone.ink, { x, y, width, height: 2 });
    });
    const item = tags.open('LI', list);
    const body = tags.open('LBody', item);
    let at = y + figure.padding;
    mark(sheet, body, () => {
      const put = (lines: readonly Line[], size: number, leading: number, colour: string): void => {
        for (const line of lines) {
          drawLine(sheet, line, {
            x: x + figure.padding,
            y: at + baseline({ size, leading }),
            size,
            colour,
          });
          at += leading;
        }
      };
      put(label, figure.label, 10.5, ink.muted);
      put(value, size, 21, tone.ink);
      put(note, figure.label, 10.5, ink.muted);
    });
    tags.close(body);
    tags.close(item);
  }
  flow.y += height + figure.gap;
}

/** A value is set smaller before it takes two lines. */
function fitting(flow: Flow, value: string, width: number): number {
  const wanted = (figure.value * width) / Math.max(1, flow.type.width(value, 'bold', figure.value));
  return Math.max(figure.value * 0.7, Math.min(figure.value, Math.floor(wanted * 10) / 10));
}

interface PlacedChart {
  readonly drawing: Drawing;
  readonly scale: number;
  readonly height: number;
}

function placeChart(flow: Flow, chart: Chart): PlacedChart {
  const width = contentWidth(flow);
  const drawing = drawChart(chart, {
    width,
    measure: (text, size, bold) => flow.type.width(text, bold ? 'bold' : 'sans', size),
  });
  const room = flow.sheet.height - 180;
  const scale = Math.min(1, width / drawing.width, room / drawing.height);
  return { drawing, scale, height: drawing.height * scale };
}

/** Points: of a chart's title, and the space around it. */
const chartTitle = 30;

async function writeChart(flow: Flow, chart: Chart): Promise<void> {
  const { drawing, scale, height } = placeChart(flow, chart);
  await makeRoom(flow, height + chartTitle);
  await writeElement(flow, 'P', chart.title, styles.title);
  flow.y += 3;
  const { tags } = flow.file;
  const element = tags.open('Figure', flow.element, { alt: chart.description });
  const { sheet, y } = flow;
  mark(sheet, element, () => {
    sheet.operators.push(`q ${number(scale)} 0 0 ${number(scale)} ${left} ${number(y)} cm`);
    drawShapes(flow, drawing);
    sheet.operators.push('Q');
  });
  tags.close(element);
  flow.y += height + 14;
}

function drawShapes(flow: Flow, drawing: Drawing): void {
  turnTo(flow.file.doc, flow.sheet);
  for (const shape of drawing.shapes) {
    if (shape.kind === 'path') drawPath(flow, shape);
    else drawText(flow, shape);
  }
}

function drawPath(flow: Flow, { d, fill, stroke, strokeWidth = 1, dash }: PathShape): void {
  if (fill === undefined && stroke === undefined) return;
  const { operators } = flow.sheet;
  operators.push('q');
  if (fill) operators.push(`${rgb(paintsOnWhite[fill])} rg`);
  if (stroke) {
    operators.push(`${rgb(paintsOnWhite[stroke])} RG ${number(strokeWidth)} w 1 j`);
    if (dash) operators.push(`[${dash.map(number).join(' ')}] 0 d`);
  }
  flow.file.doc.path(d);
  operators.push(fill && stroke ? 'B' : fill ? 'f' : 'S', 'Q');
}

function drawText(flow: Flow, { x, y, text, size, anchor, bold, fill }: TextShape): void {
  const line = flow.type.line(text, bold ? 'bold' : 'sans');
  const width = (line.width * size) / 1000;
  const start = { start: x, middle: x - width / 2, end: x - width }[anchor];
  drawLine(flow.sheet, line, { x: start, y, size, colour: paintsOnWhite[fill] });
}

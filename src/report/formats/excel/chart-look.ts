import { paintsOnWhite } from '../../charts/paints.ts';
import type { Paint } from '../../charts/drawing.ts';
import { xmlText } from './cells.ts';

// How parts of charts look, in DrawingML.

/** Points. */
export const chartWidth = 620;
/** Points that names have beside bars. */
export const labelRoom = 370;
export const chartLetters = { points: 9 } as const;

const color = (paint: Paint): string =>
  `<a:solidFill><a:srgbClr val="${paintsOnWhite[paint].slice(1).toUpperCase()}"/></a:solidFill>`;

/** In EMU: 12,700 are a point. */
export const emu = (points: number): number => Math.round(points * 12_700);

export const filled = (paint: Paint): string => `<c:spPr>${color(paint)}</c:spPr>`;

/** A slice: white lines keep neighbors apart. */
export const slice = (paint: Paint): string =>
  `<c:spPr>${color(paint)}<a:ln w="${emu(1.25)}">${color('background')}</a:ln></c:spPr>`;

export const unseen = '<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>';

export interface Stroke {
  readonly paint: Paint;
  readonly points: number;
  readonly dash?: string | undefined;
}

export const stroked = ({ paint, points, dash }: Stroke): string =>
  `<c:spPr><a:ln w="${emu(points)}" cap="rnd">${color(paint)}${dash === undefined ? '' : `<a:prstDash val="${dash}"/>`}<a:round/></a:ln></c:spPr>`;

/** The ground of a chart, with a hairline around it. */
export const ground = `<c:spPr>${color('background')}<a:ln w="${emu(0.75)}">${color('grid')}</a:ln></c:spPr>`;

export interface Letters {
  readonly points: number;
  readonly paint?: Paint;
  readonly bold?: boolean;
}

const letterAttributes = ({ points, bold = false }: Letters): string =>
  `sz="${points * 100}" b="${bold ? 1 : 0}"`;

const letterLook = ({ paint = 'text' }: Letters): string =>
  `${color(paint)}<a:latin typeface="Calibri"/>`;

/** The letters of what a spreadsheet writes by itself. */
export const lettered = (letters: Letters): string =>
  `<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr ${letterAttributes(letters)}>${letterLook(letters)}</a:defRPr></a:pPr><a:endParaRPr lang="en-US"/></a:p></c:txPr>`;

/** The title of a chart or of an axis; turned, it is read from the bottom up. */
export const titled = (text: string, letters: Letters, isTurned = false): string =>
  `<c:title><c:tx><c:rich><a:bodyPr${isTurned ? ' rot="-5400000" vert="horz"' : ''}/><a:lstStyle/><a:p><a:r><a:rPr lang="en-US" ${letterAttributes(letters)}>${letterLook(letters)}</a:rPr><a:t>${xmlText(text)}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val="0"/></c:title>`;

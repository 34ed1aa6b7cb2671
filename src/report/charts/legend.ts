import type { Paint, PathShape, Shape } from './drawing.ts';
import { columnOf, dashes, markOf } from './marks.ts';
import { cutText, rectangle, smallSize, widthOf } from './text.ts';
import type { TextStyle } from './text.ts';

export interface LegendEntry {
  readonly name: string;
  readonly paint: Paint;
}

/** How an entry looks beside its name: a filled square, the square of a column, or the line with its mark. */
export type LegendForm = 'squares' | 'columns' | 'lines';

const lineHeight = 14;
const between = 14;

/** Entries in their order, from left to right in as many lines as it takes. */
export function drawLegend(
  entries: readonly LegendEntry[],
  form: LegendForm,
  width: number,
  { measure }: TextStyle,
): { readonly shapes: readonly Shape[]; readonly height: number } {
  const style = { measure, size: smallSize };
  const signWidth = form === 'lines' ? 26 : 12;
  const shapes: Shape[] = [];
  let x = 0;
  let y = 0;
  entries.forEach(({ name, paint }, at) => {
    const text = cutText(name, width - signWidth, style);
    const end = signWidth + widthOf(text, style);
    if (x > 0 && x + end > width) {
      x = 0;
      y += lineHeight;
    }
    shapes.push(...signOf(form, x, y, paint, at));
    const place = { x: x + signWidth, y: y + 9, size: smallSize } as const;
    shapes.push({ kind: 'text', ...place, text, anchor: 'start', fill: 'text' });
    x += end + between;
  });
  return { shapes, height: entries.length === 0 ? 0 : y + lineHeight + 4 };
}

function signOf(form: LegendForm, x: number, y: number, paint: Paint, at: number): PathShape[] {
  if (form === 'lines') return lineSign(x, y, paint, at);
  return form === 'columns'
    ? [{ kind: 'path', ...columnOf(at, paint, { x, y: y + 2, width: 8, height: 8 }) }]
    : [squareSign(x, y + 2, paint)];
}

export const squareSign = (x: number, y: number, paint: Paint): PathShape => ({
  kind: 'path',
  d: rectangle(x, y, 8, 8),
  fill: paint,
});

function lineSign(x: number, y: number, paint: Paint, at: number): PathShape[] {
  const dash = dashes[at % dashes.length];
  const line = { kind: 'path', stroke: paint, strokeWidth: 1.5 } as const;
  return [
    { ...line, d: `M${x + 1},${y + 6}H${x + 21}`, ...(dash && { dash }) },
    { kind: 'path', d: markOf(at, x + 11, y + 6), fill: paint },
  ];
}

import type { MeasureText, PathShape, TextShape } from './drawing.ts';

/** Points: of labels and values. */
export const textSize = 9;
/** Of axes and legends. */
export const smallSize = 8;

export interface TextStyle {
  readonly measure: MeasureText;
  readonly size?: number;
  readonly bold?: boolean;
}

/** No label is longer than this, whatever its width: what is beyond is never seen. */
const longest = 400;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The text in one line, cut with `…` where it is wider than `most` points; empty where not even that fits. */
export function cutText(text: string, most: number, style: TextStyle): string {
  const line = oneLine(text);
  if (widthOf(line, style) <= most) return line;
  const parts = [...graphemes.segment(line)].map(({ segment }) => segment);
  const cut = (count: number): string => `${parts.slice(0, count).join('').trimEnd()}…`;
  let fits = 0;
  let tooMany = parts.length;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (widthOf(cut(middle), style) <= most) fits = middle;
    else tooMany = middle;
  }
  return fits > 0 || widthOf('…', style) <= most ? cut(fits) : '';
}

/**
 * The text in one line, `…` in its middle where it is wider than `most` points: names that begin alike, as those of cloud
 * resources do, are told apart by their ends.
 */
export function cutMiddle(text: string, most: number, style: TextStyle): string {
  const line = oneLine(text);
  if (widthOf(line, style) <= most) return line;
  const parts = [...graphemes.segment(line)].map(({ segment }) => segment);
  const cut = (count: number): string => {
    const start = Math.floor(count / 3);
    return `${parts.slice(0, start).join('').trimEnd()}…${parts
      .slice(start - count)
      .join('')
      .trimStart()}`;
  };
  let fits = 0;
  let tooMany = parts.length;
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >> 1;
    if (widthOf(cut(middle), style) <= most) fits = middle;
    else tooMany = middle;
  }
  return fits > 2 ? cut(fits) : cutText(line, most, style);
}

export function oneLine(text: string): string {
  const start = text.slice(0, longest * 4);
  const line = start.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  // Not half of a pair of surrogates.
  const cut = line.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '');
  return line.length <= longest ? line : `${cut.trimEnd()}…`;
}

export function widthOf(
  text: string,
  { measure, size = textSize, bold = false }: TextStyle,
): number {
  return measure(text, size, bold);
}

/** The widest of some texts, in points; 0 of none. */
export const widest = (texts: readonly string[], style: TextStyle): number =>
  texts.reduce((most, text) => Math.max(most, widthOf(text, style)), 0);

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The texts that keep clear of those before them. */
export function withoutOverlap(texts: readonly TextShape[], measure: MeasureText): TextShape[] {
  const kept: { readonly text: TextShape; readonly box: Box }[] = [];
  for (const text of texts) {
    const box = boxOf(text, measure);
    if (!kept.some((other) => overlap(other.box, box))) kept.push({ text, box });
  }
  return kept.map(({ text }) => text);
}

/** Points between two texts. */
const gap = 4;

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right + gap && b.left < a.right + gap && a.top < b.bottom && b.top < a.bottom;

function boxOf({ text, x, y, size, anchor, bold = false }: TextShape, measure: MeasureText): Box {
  const width = measure(text, size, bold);
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - size * 0.8, bottom: y + size * 0.25 };
}

/** Up to two decimals of a coordinate. */
export const round = (value: number): number => Math.round(value * 100) / 100;

/** The path data of a rectangle. */
export function rectangle(x: number, y: number, width: number, height: number): string {
  return `M${round(x)},${round(y)}H${round(x + width)}V${round(y + height)}H${round(x)}Z`;
}

export const gridLine = (d: string): PathShape => ({
  kind: 'path',
  d,
  stroke: 'grid',
  strokeWidth: 0.5,
});

import { arc, pie } from 'd3-shape';
import type { ChartData } from './chart-data.ts';
import { nameOf, paintOfCategory, sumOthers } from './chart-data.ts';
import type { DrawOptions, Drawing, Paint, PathShape, Shape, TextShape } from './drawing.ts';
import { squareSign } from './legend.ts';
import { formatShare, formatValue } from './numbers.ts';
import { cutText, round, smallSize, textSize, widest, widthOf, withoutOverlap } from './text.ts';

const mostSlices = 8;
const outer = 50;
const inner = 35;
/** From the middle to the left and right edge of what the labels around it take, and to the upper and lower one. */
const reach = outer + 28;
const rise = outer + 16;
const lineHeight = 16;

interface Slice {
  readonly name: string;
  readonly value: number;
  readonly paint: Paint;
  /** What is written: the value, and its share of all. */
  readonly text: string;
  readonly share: string;
}

/** Shares clockwise from the top, in the order of the legend, which has their values. */
export function drawRing(all: ChartData, { width, measure }: DrawOptions): Drawing {
  const slices = slicesOf(all);
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  const beside = width >= 400;
  const legendHeight = slices.length * lineHeight;
  const height = beside ? Math.max(2 * rise, legendHeight + 8) : 2 * rise + legendHeight + 8;
  const middle = beside ? { x: reach + 4, y: height / 2 } : { x: width / 2, y: rise };
  const legendTop = beside ? (height - legendHeight) / 2 : 2 * rise + 4;
  const legendLeft = beside ? 2 * reach + 24 : 0;
  const legendWidth = Math.min(width - legendLeft, beside ? 320 : width);
  return {
    width,
    height: round(height),
    shapes: [
      ...around(slices, total, middle, all, measure),
      ...inMiddle(total, middle, all, measure),
      ...legend(slices, { x: legendLeft, y: legendTop, width: legendWidth }, measure),
    ],
  };
}

function slicesOf(all: ChartData): Slice[] {
  const data = sumOthers(all, mostSlices);
  const kept = data.categories.length < all.categories.length ? mostSlices - 1 : mostSlices;
  const sizes = data.categories.map((_, at) => Math.max(0, data.series[0]?.values[at] ?? 0));
  const total = sizes.reduce((sum, value) => sum + value, 0);
  return data.categories.map((name, at) => {
    const value = sizes[at] ?? 0;
    const known = data.series[0]?.values[at] ?? null;
    return {
      name,
      value,
      paint: at < kept ? paintOfCategory(all, at) : 'muted',
      text: formatValue(known, data.percent),
      share: total > 0 ? formatShare(value, total) : '–',
    };
  });
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function around(
  slices: readonly Slice[],
  total: number,
  { x, y }: Place,
  { unit }: ChartData,
  measure: DrawOptions['measure'],
): Shape[] {
  if (total === 0) return [emptyRing({ x, y })];
  const angles = pie<Slice>()
    .sort(null)
    .value(({ value }) => value / total)([...slices]);
  const path = arc<{ startAngle: number; endAngle: number }>()
    .innerRadius(inner)
    .outerRadius(outer)
    .digits(2);
  const shown = angles.filter(({ data }) => data.value > 0);
  const rings = shown.map(({ data, startAngle, endAngle }): PathShape => {
    const d = path({ startAngle, endAngle }) ?? '';
    return {
      kind: 'path',
      d: moved(d, x, y),
      fill: data.paint,
      ...(shown.length > 1 && { stroke: 'background', strokeWidth: 1.2 }),
      label: nameOf([data.name], `${data.text} (${data.share})`, unit),
    };
  });
  const labels = shown.map(({ data, startAngle, endAngle }) => {
    const angle = (startAngle + endAngle) / 2;
    const side = Math.sin(angle);
    const label: TextShape = {
      kind: 'text',
      x: round(x + (outer + 6) * side),
      y: round(y - (outer + 6) * Math.cos(angle) + smallSize * (0.35 - 0.35 * Math.cos(angle))),
      text: data.share,
      size: smallSize,
      anchor: Math.abs(side) < 0.3 ? 'middle' : side > 0 ? 'start' : 'end',
      fill: 'text',
    };
    return { label, value: data.value };
  });
  // Where two labels do not fit, that of the larger slice stays.
  const byValue = [...labels].sort((a, b) => b.value - a.value).map(({ label }) => label);
  const kept = new Set(withoutOverlap(byValue, measure));
  return [...rings, ...labels.flatMap(({ label }) => (kept.has(label) ? [label] : []))];
}

const emptyRing = ({ x, y }: Place): PathShape => ({
  kind: 'path',
  d: `M${x - outer},${y}A${outer},${outer},0,1,1,${x + outer},${y}A${outer},${outer},0,1,1,${x - outer},${y}Z`,
  stroke: 'grid',
  dash: [3, 3],
});

/** Path data of d3's arc (M, L, A, Z in absolute coordinates), moved. */
function moved(d: string, x: number, y: number): string {
  return d.replace(/([MLA])([^MLAZ]+)/g, (_, command: string, text: string) => {
    const numbers = text.split(',').map(Number);
    const at = numbers.length - 2;
    const [endX = 0, endY = 0] = numbers.slice(at);
    return `${command}${[...numbers.slice(0, at), round(endX + x), round(endY + y)].join(',')}`;
  });
}

function inMiddle(
  total: number,
  { x, y }: Place,
  { unit, percent }: ChartData,
  measure: DrawOptions['measure'],
): TextShape[] {
  if (percent) return [];
  const number = formatValue(total, false);
  const most = inner * 2 - 10;
  const big = { measure, size: 16, bold: true };
  const size = widthOf(number, big) <= most ? 16 : textSize;
  const text = cutText(number, most, { measure, size, bold: true });
  const below = cutText(unit ?? '', most, { measure, size: smallSize });
  const place = { kind: 'text', x, anchor: 'middle' } as const;
  const up = below === '' ? size * 0.35 : 2;
  return [
    { ...place, y: round(y + up), text, size, bold: true, fill: 'text' },
    ...(below === ''
      ? []
      : [{ ...place, y: y + 13, text: below, size: smallSize, fill: 'muted' } as const]),
  ];
}

function legend(
  slices: readonly Slice[],
  { x, y, width }: Place & { readonly width: number },
  measure: DrawOptions['measure'],
): Shape[] {
  const style = { measure };
  const shareWidth = widest(
    slices.map(({ share }) => share),
    style,
  );
  const textWidth = widest(
    slices.map(({ text }) => text),
    style,
  );
  const nameWidth = width - shareWidth - textWidth - 14 - 24;
  return slices.flatMap(({ name, paint, text, share }, at): Shape[] => {
    const top = round(y + at * lineHeight);
    const write = (text: string, x: number, anchor: TextShape['anchor']): TextShape => {
      const place = { x: round(x), y: round(top + 10.5), size: textSize, anchor };
      return { kind: 'text', text, ...place, fill: 'text' };
    };
    const end = x + width;
    return [
      squareSign(x, round(top + 3), paint),
      write(cutText(name, nameWidth, style), x + 14, 'start'),
      write(text, end - shareWidth - 12, 'end'),
      write(share, end, 'end'),
    ];
  });
}

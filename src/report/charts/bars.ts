import type { ChartData } from './chart-data.ts';
import { nameOf, paintOfCategory, sumOthers } from './chart-data.ts';
import type { DrawOptions, Drawing, Paint, PathShape, Shape, TextShape } from './drawing.ts';
import { drawLegend, squareSign } from './legend.ts';
import { formatValue } from './numbers.ts';
import { valueScale } from './scale.ts';
import type { ValueScale } from './scale.ts';
import {
  cutMiddle,
  cutText,
  gridLine,
  rectangle,
  round,
  smallSize,
  textSize,
  widest,
  widthOf,
  withoutOverlap,
} from './text.ts';

/** What is beyond is summed up. */
export const mostBars = 20;
const between = 8;

/** One row for each category. Its values are written out beside it, in the order of the series. */
export function drawBars(all: ChartData, room: DrawOptions): Drawing {
  const data = sumOthers(all, mostBars);
  const plan = planColumns(data, room) ?? planStacked(data, room);
  const scale = valueScale(extentOf(data), plan.barWidth, plan.barWidth > 200 ? 6 : 4, data);
  const rows = data.categories.map((_, at) => plan.top + at * plan.rowHeight);
  const bottom = plan.top + data.categories.length * plan.rowHeight;
  return {
    width: room.width,
    height: bottom + 20 + (plan.unitBelow && data.unit !== undefined ? 12 : 0),
    shapes: [
      ...plan.header,
      ...axis(data, room, plan, scale, bottom),
      ...rows.flatMap((y, at) => barsOf(data, { at, y: y + plan.barAt }, plan, scale)),
      ...rows.flatMap((y, at) => plan.texts(at, y, scale)),
    ],
  };
}

/** Where bars and texts go. */
interface Plan {
  readonly header: readonly Shape[];
  /** Of the first row. */
  readonly top: number;
  readonly rowHeight: number;
  /** Of a bar's top, from its row's. */
  readonly barAt: number;
  readonly barHeight: number;
  readonly barLeft: number;
  readonly barWidth: number;
  /** Labels and values are above their bars. */
  readonly stacked: boolean;
  /** The unit has no room beside the axis. */
  readonly unitBelow: boolean;
  readonly texts: (at: number, y: number, scale: ValueScale) => readonly TextShape[];
}

/** Labels to the left, values in columns to the right, their heads the legend; undefined: it is too narrow. */
function planColumns(data: ChartData, { width, measure }: DrawOptions): Plan | undefined {
  const { categories, series, percent } = data;
  const style = { measure, size: textSize };
  const single = series.length === 1;
  const heads = series.map(({ name }) => cutText(name, 72, { measure, size: smallSize }));
  const columns = series.map(({ values }, at) => {
    const texts = values.map((value) => formatValue(value, percent));
    const head = 11 + widthOf(heads[at] ?? '', { measure, size: smallSize });
    return Math.max(widest(texts, style), single ? 0 : head);
  });
  const labelWidth = Math.min(widest(categories, style), width * (single ? 0.46 : 0.36));
  const right = columns.reduce((sum, column) => sum + column + (single ? 6 : 10), 0);
  const barLeft = Math.ceil(labelWidth) + between;
  const barWidth = Math.floor(width - barLeft - right - 2);
  if (barWidth < width * 0.32 || width < 420) return undefined;

  const ends: number[] = [];
  columns.reduceRight((end, column, at) => ((ends[at] = end), end - column - 10), width - 1);
  const header = single
    ? []
    : series.flatMap(({ colour }, at): Shape[] => {
        const end = ends[at] ?? width;
        const text = heads[at] ?? '';
        const start = end - widthOf(text, { measure, size: smallSize });
        const place = { x: end, y: 9, size: smallSize, anchor: 'end' } as const;
        return [squareSign(start - 11, 2, colour), { kind: 'text', ...place, text, fill: 'text' }];
      });
  const texts: Plan['texts'] = (at, y, scale) => [
    label(cutMiddle(categories[at] ?? '', labelWidth, style), Math.ceil(labelWidth), y + 12, 'end'),
    ...series.map(({ values }, which): TextShape => {
      const value = values[at] ?? null;
      const text = formatValue(value, percent);
      if (!single) return label(text, ends[which] ?? width, y + 12, 'end');
      return label(
        text,
        barLeft + scale.at(isOthers(data, at) ? 0 : Math.max(0, value ?? 0)) + 5,
        y + 12,
        'start',
      );
    }),
  ];
  const top = single ? 2 : 18;
  const place = { top, rowHeight: 18, barAt: 3, barHeight: 12, barLeft, barWidth };
  const unitBelow = widthOf(data.unit ?? '', { measure, size: smallSize }) > barLeft - between;
  return { header, ...place, stacked: false, unitBelow, texts };
}

/** Labels and values above their bars, the legend above all. */
function planStacked(data: ChartData, { width, measure }: DrawOptions): Plan {
  const { categories, series, percent } = data;
  const style = { measure, size: textSize };
  const entries = series.map(({ name, colour }) => ({ name, paint: colour }));
  const legend = drawLegend(series.length > 1 ? entries : [], 'squares', width, { measure });
  const texts: Plan['texts'] = (at, y) => {
    const values = series.map(({ values }) => formatValue(values[at] ?? null, percent)).join(' · ');
    const right = cutText(values, width * 0.6, style);
    const left = cutMiddle(categories[at] ?? '', width - widthOf(right, style) - between, style);
    return [label(left, 0, y + 10, 'start'), label(right, width, y + 10, 'end')];
  };
  const place = { top: legend.height + 2, rowHeight: 30, barAt: 14, barHeight: 9 };
  const bar = { barLeft: 1, barWidth: width - 2, stacked: true, unitBelow: true };
  return { header: legend.shapes, ...place, ...bar, texts };
}

const label = (text: string, x: number, y: number, anchor: TextShape['anchor']): TextShape => ({
  kind: 'text',
  x: round(x),
  y,
  text,
  size: textSize,
  anchor,
  fill: 'text',
});

function axis(
  { unit, categories }: ChartData,
  { width, measure }: DrawOptions,
  { barLeft, barAt, barHeight, rowHeight, stacked, unitBelow, top }: Plan,
  { ticks }: ValueScale,
  bottom: number,
): Shape[] {
  const style = { measure, size: smallSize };
  const lines = ticks.map(({ at }) => {
    const x = round(barLeft + at);
    // Not through the labels and values above each bar.
    const parts = categories.map((_, row) => {
      const y = top + row * rowHeight + barAt;
      return `M${x},${y - 2}V${y + barHeight + 2}`;
    });
    return gridLine(stacked ? parts.join('') : `M${x},${top}V${bottom + 3}`);
  });
  const tickTexts = ticks.map(({ at, label: text }): TextShape => {
    const half = widthOf(text, style) / 2;
    const x = round(Math.max(half, Math.min(width - half, barLeft + at)));
    const place = { x, y: bottom + 13, size: smallSize, anchor: 'middle' } as const;
    return { kind: 'text', ...place, text, fill: 'muted' };
  });
  if (unit === undefined) return [...lines, ...withoutOverlap(tickTexts, measure)];
  const caption: TextShape = {
    kind: 'text',
    x: unitBelow ? barLeft : barLeft - between,
    y: bottom + (unitBelow ? 25 : 13),
    text: cutText(unit, unitBelow ? width - barLeft : barLeft - between, style),
    size: smallSize,
    anchor: unitBelow ? 'start' : 'end',
    fill: 'muted',
  };
  return [...lines, ...withoutOverlap([caption, ...tickTexts], measure)];
}

/** A category's bars, one after the other: what is under 0 goes to the left. */
function barsOf(
  data: ChartData,
  { at, y }: { readonly at: number; readonly y: number },
  plan: Plan,
  scale: ValueScale,
): PathShape[] {
  const { series, categories, percent, unit } = data;
  if (isOthers(data, at)) return [];
  if (data.drawn === 'waterfall') return stepOf(data, at, y, plan, scale);
  let above = 0;
  let below = 0;
  return series.flatMap(({ name, colour, values }) => {
    const value = values[at] ?? null;
    if (value === null || value === 0) return [];
    const from = value > 0 ? above : below;
    const to = from + value;
    if (value > 0) above = to;
    else below = to;
    const [start, end] = [scale.at(Math.min(from, to)), scale.at(Math.max(from, to))];
    // Neighbours are told apart by a gap, and a bar alone is seen however short it is.
    const space = series.length > 1 && end - start > 2 ? 0.75 : 0;
    const left = Math.min(start, plan.barWidth - 0.75);
    const length = Math.max(end - start - space, series.length > 1 ? 0 : 0.75);
    const paint: Paint = series.length === 1 && data.colours ? paintOfCategory(data, at) : colour;
    const names = [categories[at] ?? '', series.length > 1 ? name : ''];
    return {
      kind: 'path',
      d: rectangle(plan.barLeft + left, y, length, plan.barHeight),
      fill: paint,
      label: nameOf(names, formatValue(value, percent), unit),
    } as const;
  });
}

/** From the value before to its own; the first stands on the axis. */
function stepOf(
  data: ChartData,
  at: number,
  y: number,
  plan: Plan,
  scale: ValueScale,
): PathShape[] {
  const { series, categories, percent, unit } = data;
  const values = series[0]?.values ?? [];
  const value = values[at] ?? null;
  if (value === null) return [];
  const before = at === 0 ? null : (values[at - 1] ?? null);
  const ends = [before === null ? 0 : scale.at(before), scale.at(value)];
  const start = Math.min(...ends, plan.barWidth - 0.75);
  const length = Math.max(Math.max(...ends) - start, 0.75);
  return [
    {
      kind: 'path',
      d: rectangle(plan.barLeft + start, y, length, plan.barHeight),
      fill: before === null ? (series[0]?.colour ?? 'first') : value >= before ? 'pass' : 'fail',
      label: nameOf([categories[at] ?? ''], formatValue(value, percent), unit),
    },
  ];
}

/** Many in one row are no bar beside single ones: it would dwarf them. Their values say enough. */
const isOthers = ({ hasOthers = false, categories }: ChartData, at: number): boolean =>
  hasOthers && at === categories.length - 1;

/** Where the scale of a waterfall begins: the first bar is seen, and the steps have most of the room. */
export function waterfallStart(values: readonly (number | null)[]): number {
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return Math.max(0, low - Math.max(0.5, (high - low) / 4));
}

/** The lowest and the highest end of a row. */
function extentOf(data: ChartData): [number, number] {
  const { categories, series } = data;
  if (data.drawn === 'waterfall') {
    const values = series[0]?.values ?? [];
    return [waterfallStart(values), Math.max(...values.map((value) => value ?? 0))];
  }
  const ends = categories.map((_, at) => {
    if (isOthers(data, at)) return [0, 0] as const;
    const values = series.map(({ values }) => values[at] ?? 0);
    const sum = (wanted: (value: number) => boolean): number =>
      values.filter(wanted).reduce((all, value) => all + value, 0);
    return [sum((value) => value < 0), sum((value) => value > 0)] as const;
  });
  return [Math.min(0, ...ends.map(([low]) => low)), Math.max(0, ...ends.map(([, high]) => high))];
}

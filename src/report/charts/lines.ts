import { line } from 'd3-shape';
import type { ChartData } from './chart-data.ts';
import { nameOf } from './chart-data.ts';
import type { DrawOptions, Drawing, PathShape, Shape, TextShape } from './drawing.ts';
import { drawLegend } from './legend.ts';
import { columnOf, dashes, markOf, markReach } from './marks.ts';
import { formatValue } from './numbers.ts';
import { valueScale } from './scale.ts';
import type { ValueScale } from './scale.ts';
import { cutText, gridLine, round, smallSize, widest, widthOf, withoutOverlap } from './text.ts';
import { inTime, timeScale } from './time-scale.ts';
import type { TimeScale } from './time-scale.ts';

/** With more points than this, only those that no line goes to are marked. */
export const mostMarks = 40;

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly value: number;
  readonly category: string;
}

/** Lines over time, each with its dash and its mark; a gap where there is no value. */
export function drawLines(given: ChartData, room: DrawOptions): Drawing {
  const data = inTime(given);
  const { width, measure } = room;
  const { series, unit, percent } = data;
  const style = { measure, size: smallSize };
  const entries = series.map(({ name, colour }) => ({ name, paint: colour }));
  const areColumns = data.drawn === 'columns';
  const legend = drawLegend(series.length > 1 ? entries : [], areColumns ? 'columns' : 'lines', width, { measure }); // prettier-ignore
  // Many lines need room to be told apart.
  const height = Math.round(
    Math.max(100, Math.min(190, width * (series.length > 3 ? 0.36 : 0.24))),
  );
  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  const range = areColumns ? ([0, Math.max(1, ...values)] as const) : rangeOf(values, data.most);
  const yScale = valueScale(range, height, 5, data);
  const left =
    Math.ceil(
      widest(
        yScale.ticks.map(({ label }) => label),
        style,
      ),
    ) + 6;
  const lastTexts = series.map((one) => formatValue(lastOf(one.values), percent));
  const right = Math.ceil(widest(lastTexts, style)) + markReach + 6;
  const top = legend.height + (unit === undefined ? 6 : 16);
  const frame: Frame = { left, top, width: width - left - (areColumns ? 6 : right), height };
  // Columns stand in the middle of their days, so half of one is left at each side.
  const inset = areColumns ? frame.width / Math.max(1, data.categories.length) / 2 : 0;
  const inner = { ...frame, left: left + inset, width: frame.width - 2 * inset };
  const xScale = timeScale(data.categories, inner.width, measure);
  const caption = cutText(unit ?? '', width, style);
  const drawn = areColumns
    ? columnsOf(data, inner, inset, { xScale, yScale })
    : [
        ...series.flatMap((_, at) => drawSeries(data, at, inner, { xScale, yScale })),
        ...withoutOverlap(lastValues(data, inner, xScale, yScale), measure),
      ];
  return {
    width,
    height: top + height + 18,
    shapes: [
      ...legend.shapes,
      ...(caption === '' ? [] : [small(caption, 0, legend.height + 8, 'start')]),
      ...grid(frame, yScale),
      ...timeAxis(inner, xScale, room),
      ...drawn,
    ],
  };
}

/** What the axis covers: down to 0, but for values that differ little and are far above it. */
function rangeOf(values: readonly number[], most = Infinity): readonly [number, number] {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = (high - low) / 2;
  if (low <= 0 || high === low || high - low > low / 2)
    return [Math.min(0, low), Math.max(0, high)];
  return [Math.max(0, low - room), high > most ? high : Math.min(most, high + room)];
}

const lastOf = (values: readonly (number | null)[]): number | null =>
  values.findLast((value) => value !== null) ?? null;

const small = (text: string, x: number, y: number, anchor: TextShape['anchor']): TextShape => ({
  kind: 'text',
  x: round(x),
  y: round(y),
  text,
  size: smallSize,
  anchor,
  fill: 'muted',
});

function grid({ left, top, width, height }: Frame, { ticks }: ValueScale): Shape[] {
  return ticks.flatMap(({ at, label }) => {
    const y = round(top + height - at);
    return [gridLine(`M${left},${y}H${round(left + width)}`), small(label, left - 5, y + 3, 'end')];
  });
}

function timeAxis(frame: Frame, { ticks }: TimeScale, { width, measure }: DrawOptions): Shape[] {
  const bottom = frame.top + frame.height;
  const style = { measure, size: smallSize };
  const labels = ticks.map(({ at, label }) => {
    const text = cutText(label, width, style);
    const half = widthOf(text, style) / 2;
    return small(
      text,
      Math.max(half, Math.min(width - half, frame.left + at)),
      bottom + 14,
      'middle',
    );
  });
  const kept = withoutOverlap(labels, measure);
  const marks = ticks
    .filter((_, at) => kept.includes(labels[at] as TextShape))
    .map(({ at }) => gridLine(`M${round(frame.left + at)},${bottom}V${bottom + 4}`));
  return [...marks, ...kept];
}

function pointsOf(
  { categories, series }: ChartData,
  which: number,
  frame: Frame,
  { xScale, yScale }: { readonly xScale: TimeScale; readonly yScale: ValueScale },
): (Point | null)[] {
  return categories.map((category, at) => {
    const value = series[which]?.values[at] ?? null;
    if (value === null) return null;
    const x = frame.left + (xScale.at[at] ?? 0);
    const y = frame.top + frame.height - yScale.at(value);
    return { x, y, value, category };
  });
}

function drawSeries(
  data: ChartData,
  which: number,
  frame: Frame,
  { xScale, yScale }: { readonly xScale: TimeScale; readonly yScale: ValueScale },
): PathShape[] {
  const series = data.series[which];
  if (!series) return [];
  const points = pointsOf(data, which, frame, { xScale, yScale });
  const path = line<Point | null>()
    .defined((point) => point !== null)
    .x((point) => point?.x ?? 0)
    .y((point) => point?.y ?? 0)
    .digits(2)(points);
  const dash = dashes[which % dashes.length];
  const stroke = { kind: 'path', stroke: series.colour, strokeWidth: 1.5 } as const;
  const isAlone = (at: number): boolean => !points[at - 1] && !points[at + 1];
  const marks = points.flatMap((point, at): PathShape[] => {
    if (!point || (points.length > mostMarks && !isAlone(at))) return [];
    const value = formatValue(point.value, data.percent);
    const label = nameOf(
      [point.category, data.series.length > 1 ? series.name : ''],
      value,
      data.unit,
    );
    return [{ kind: 'path', d: markOf(which, point.x, point.y), fill: series.colour, label }];
  });
  return [...(path === null ? [] : [{ ...stroke, d: path, ...(dash && { dash }) }]), ...marks];
}

/** Upright from the axis, those of one time side by side. */
function columnsOf(
  data: ChartData,
  frame: Frame,
  inset: number,
  scales: { readonly xScale: TimeScale; readonly yScale: ValueScale },
): PathShape[] {
  const { series, percent, unit } = data;
  const each = (inset * 2 * 0.76) / series.length;
  return series.flatMap(({ name, colour }, which) =>
    pointsOf(data, which, frame, scales).flatMap((point): PathShape[] => {
      if (!point || point.value <= 0) return [];
      const x = point.x + (which - series.length / 2) * each;
      const y = Math.min(point.y, frame.top + frame.height - 0.75);
      return [
        {
          kind: 'path',
          ...columnOf(which, colour, { x, y, width: Math.max(0.5, each - 0.4), height: frame.top + frame.height - y }), // prettier-ignore
          label: nameOf([point.category, name], formatValue(point.value, percent), unit),
        },
      ];
    }),
  );
}

/** Each line's last value, beside its last point; those that would touch are moved apart. */
function lastValues(
  data: ChartData,
  frame: Frame,
  xScale: TimeScale,
  yScale: ValueScale,
): TextShape[] {
  const texts = data.series.flatMap((_, which) => {
    const last = pointsOf(data, which, frame, { xScale, yScale }).findLast(
      (point) => point !== null,
    );
    if (!last) return [];
    const text = formatValue(last.value, data.percent);
    const place = small(text, last.x + markReach + 3, last.y + 3, 'start');
    return [{ ...place, fill: 'text' as const }];
  });
  const lowest = frame.top + frame.height + 3;
  let above = -Infinity;
  return texts
    .sort((a, b) => a.y - b.y)
    .map((text) => {
      const y = round(
        Math.min(
          lowest,
          text.x >= frame.left + frame.width ? Math.max(text.y, above + smallSize * 1.15) : text.y,
        ),
      );
      above = y;
      return { ...text, y };
    });
}

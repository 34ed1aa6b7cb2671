import { scaleUtc } from 'd3-scale';
import type { ChartData } from './chart-data.ts';
import type { MeasureText } from './drawing.ts';
import { smallSize } from './text.ts';

const day = 86_400_000;

export interface TimeScale {
  /** Of each category, in points from the start of the axis. */
  readonly at: readonly number[];
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
}

/** The same, its categories from the earliest on; as they are where one is no time. */
export function inTime(data: ChartData): ChartData {
  const instants = data.categories.map((time) => Date.parse(time));
  if (instants.some(Number.isNaN)) return data;
  const order = instants.map((_, at) => at).sort((a, b) => (instants[a] ?? 0) - (instants[b] ?? 0));
  return {
    ...data,
    categories: order.map((at) => data.categories[at] ?? ''),
    series: data.series.map((one) => ({
      ...one,
      values: order.map((at) => one.values[at] ?? null),
    })),
  };
}

/** ISO times, the earliest first, over `width` points, in UTC. Where one is no time, all stand side by side in their order. */
export function timeScale(
  times: readonly string[],
  width: number,
  measure: MeasureText,
): TimeScale {
  const instants = times.map((time) => Date.parse(time));
  if (instants.some(Number.isNaN)) return ordinalScale(times, width);
  const [first = 0, last = 0] = [instants[0], instants.at(-1)];
  const span = last - first;
  const scale = scaleUtc()
    .domain(span > 0 ? [first, last] : [first - day, first + day])
    .range([0, width]);
  const write = (instant: number): string => writeTime(instant, span);
  const most = Math.max(2, Math.floor(width / (measure(write(first), smallSize, false) + 14)));
  const distinct = [...new Set(instants)];
  // Few enough to name each; else round times between them.
  const shown =
    distinct.length <= most ? distinct : scale.ticks(most).map((tick) => tick.getTime());
  return {
    at: instants.map((instant) => scale(instant)),
    ticks: shown.map((instant) => ({ at: scale(instant), label: write(instant) })),
  };
}

function ordinalScale(names: readonly string[], width: number): TimeScale {
  const step = names.length > 1 ? width / (names.length - 1) : 0;
  const at = names.map((_, which) => (names.length > 1 ? which * step : width / 2));
  return {
    at,
    ticks: names.map((label, which) => ({ at: at[which] ?? 0, label })),
  };
}

/** As exact as the span makes it useful. */
function writeTime(instant: number, span: number): string {
  const [date = '', time = ''] = new Date(instant).toISOString().split('T');
  const [month, year] = [date.slice(0, -3), date.slice(0, -6)];
  if (span > 12 * 365 * day) return year;
  if (span > 2 * 365 * day) return month;
  if (span > 2 * day || span === 0) return date;
  return `${date.slice(-5)} ${time.slice(0, 5)}`;
}

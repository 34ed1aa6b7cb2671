import { scaleLinear } from 'd3-scale';
import type { ChartData } from './chart-data.ts';
import { formatValue } from './numbers.ts';

export interface ValueScale {
  /** Points from the start of the axis, within its length. */
  readonly at: (value: number) => number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
}

/** From the lowest to the highest, and 0, over `length` points with about `count` ticks. */
export function valueScale(
  extent: readonly [low: number, high: number],
  length: number,
  count: number,
  { percent, most, series }: ChartData,
): ValueScale {
  const low = Math.min(0, extent[0]);
  const high = Math.max(0, extent[1]);
  const known = most !== undefined && most >= high;
  const end = known ? most : high;
  const scale = scaleLinear()
    .domain([low, end > low ? end : low + 1])
    .range([0, length])
    .clamp(true);
  if (!known) scale.nice(count);
  const whole = series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)));
  return {
    at: (value) => scale(value),
    ticks: scale
      .ticks(count)
      .filter((tick) => !whole || Number.isInteger(tick))
      .map((tick) => ({ at: scale(tick), label: formatValue(tick, percent) })),
  };
}

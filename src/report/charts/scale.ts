import { scaleLinear } from 'd3-scale';
import type { ChartData } from './chart-data.ts';
import { formatValue } from './numbers.ts';

export interface ValueScale {
  /** Points from the start of the axis, within its length. */
  readonly at: (value: number) => number;
  readonly ticks: readonly { readonly at: number; readonly label: string }[];
}

/** From `low` to `high`, or to what is known to be the most, over `length` points with about `count` ticks. */
export function valueScale(
  [low, high]: readonly [low: number, high: number],
  length: number,
  count: number,
  { percent, most, series }: ChartData,
): ValueScale {
  const known = low <= 0 && most !== undefined && most >= high;
  const end = known ? most : high;
  const scale = scaleLinear()
    .domain([low, end > low ? end : low + 1])
    .range([0, length])
    .clamp(true);
  if (!known) scale.nice(count);
  const [first = 0, last = 0] = scale.domain();
  if (!known && most !== undefined && high <= most && last > most) scale.domain([first, most]);
  const whole = series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)));
  return {
    at: (value) => scale(value),
    ticks: scale
      .ticks(count)
      .filter((tick) => !whole || Number.isInteger(tick))
      .map((tick) => ({ at: scale(tick), label: formatValue(tick, percent) })),
  };
}

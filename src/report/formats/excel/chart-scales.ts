import { waterfallStart } from '../../charts/bars.ts';
import type { ChartData } from '../../charts/chart-data.ts';
import { serialOf } from './cells.ts';

/** Where a scale begins and ends, and what is from one tick to the next; absent: as the spreadsheet finds it. */
export interface Scale {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly step?: number | undefined;
}

export interface Ruler {
  readonly scale: Scale;
  /** Of the numbers at its ticks. */
  readonly format: string;
}

interface Extent {
  readonly low: number;
  readonly high: number;
  readonly isWhole: boolean;
}

function extentOf({ series }: ChartData): Extent {
  const values = series.flatMap((one) => one.values).filter((value) => value !== null);
  return {
    low: values.reduce((least, value) => Math.min(least, value), Infinity),
    high: values.reduce((most, value) => Math.max(most, value), -Infinity),
    isWhole: values.every(Number.isInteger),
  };
}

/** Percent are parts of 1 in cells, so on scales, too. */
const asInCells = (value: number | undefined, { percent }: ChartData): number | undefined =>
  value === undefined || !percent ? value : value / 100;

/** From 0, up to what is known to be the most. */
export const rulerFromZero = (data: ChartData): Ruler => ({
  scale: { max: asInCells(data.most, data), step: wholeStep(data) },
  format: data.percent ? '0%' : numberFormat(data),
});

/** Around the values: small changes are seen. */
export function rulerAround(data: ChartData): Ruler {
  const { low, high } = extentOf(data);
  const { most } = data;
  // A spreadsheet ends its scale a little above the highest, even if there is nothing above it.
  const end = most !== undefined && high + (high - low) / 5 >= most ? most : undefined;
  return {
    scale: { max: asInCells(end, data), step: wholeStep(data) },
    format: numberFormat(data),
  };
}

/** From a little under the lowest value of a waterfall, so that its steps are seen. */
export function rulerOfSteps(data: ChartData): Ruler {
  const start = waterfallStart(data.series[0]?.values ?? []);
  return { scale: { min: asInCells(Math.floor(start / 5) * 5, data) }, format: numberFormat(data) };
}

const wholeStep = (data: ChartData): number | undefined => {
  const { high, isWhole } = extentOf(data);
  return isWhole && !data.percent && high <= 8 ? 1 : undefined;
};

function numberFormat(data: ChartData): string {
  const { low, high, isWhole } = extentOf(data);
  if (data.percent) return high - low < 6 ? '0.0%' : '0%';
  return isWhole || high >= 10 ? '#,##0' : '0.0#';
}

const hour = 1 / 24;
/** Days between two ticks. */
const steps = [hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 1, 2, 7, 14, 30, 60, 90, 180, 365];
const mostTicks = 8;

/** Of the times that are a chart's categories. */
export function rulerOfTime({ categories }: ChartData): Ruler {
  const serials = categories.map((time) => serialOf(time, 'timestamp'));
  const [first, last] = [serials[0], serials.at(-1)];
  // What is no time stands side by side.
  if (first === undefined || last === undefined || serials.includes(undefined)) return { scale: {}, format: 'General' }; // prettier-ignore
  const span = last - first;
  const format = span > 0 && span <= 2 ? 'mm\\-dd\\ hh:mm' : 'yyyy\\-mm\\-dd';
  if (span === 0) return { scale: { min: Math.floor(first) - 1, max: Math.floor(first) + 2, step: 1 }, format }; // prettier-ignore
  const step = steps.find((one) => span / one <= mostTicks) ?? Math.ceil(span / mostTicks / 365) * 365; // prettier-ignore
  const unit = Math.min(1, step);
  return { scale: { min: Math.floor(first / unit) * unit, max: last, step }, format };
}

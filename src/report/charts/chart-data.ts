import type { Chart, Series, SeriesColour } from '../model.ts';
import type { Paint } from './drawing.ts';
import { formatNumber } from './numbers.ts';
import { oneLine } from './text.ts';

/** A chart's numbers, all of them finite, one for each category and series. */
export interface ChartData {
  readonly categories: readonly string[];
  readonly series: readonly Series[];
  /** Of the categories. */
  readonly colours?: readonly SeriesColour[];
  /** Absent: none, or percent. */
  readonly unit?: string;
  readonly percent: boolean;
  readonly most?: number;
  readonly drawn?: NonNullable<Chart['drawn']>;
  /** The last category stands for many. */
  readonly hasOthers?: boolean;
}

/** Beyond these, sums and scales of numbers are none any more. */
const hugest = 1e300;
const tiniest = 1e-9;

export function readChart(chart: Chart): ChartData {
  const { categories, series, colours, unit, most, drawn } = chart;
  const percent = unit === '%';
  const end = most === undefined ? null : readNumber(most);
  return {
    categories: categories.map(oneLine),
    series: series.map(({ name, colour, values }) => ({
      name: oneLine(name),
      colour,
      values: categories.map((_, at) => readNumber(values[at] ?? null)),
    })),
    ...(colours && { colours }),
    ...(unit !== undefined && !percent && { unit: oneLine(unit) }),
    percent,
    ...(end !== null && end > 0 && { most: end }),
    ...(drawn && { drawn }),
  };
}

function readNumber(value: number | null): number | null {
  if (value === null || Number.isNaN(value)) return null;
  if (Math.abs(value) < tiniest) return 0;
  return Math.max(-hugest, Math.min(hugest, value));
}

export const isEmpty = ({ series }: ChartData): boolean =>
  series.every(({ values }) => values.every((value) => value === null));

/** Nothing to draw, as opposed to scores of 0%. */
export const isZero = ({ series, percent }: ChartData): boolean =>
  !percent && series.every(({ values }) => values.every((value) => (value ?? 0) === 0));

/**
 * The first categories, and one for the others where there are more than `most`: their sum, or the mean of percentages.
 * Whoever makes a chart puts first what matters.
 */
export function sumOthers(data: ChartData, most: number): ChartData {
  const { categories, series, percent } = data;
  if (categories.length <= most) return data;
  const kept = most - 1;
  const others = `others (${formatNumber(categories.length - kept)})${percent ? ', mean' : ''}`;
  return {
    ...data,
    hasOthers: true,
    categories: [...categories.slice(0, kept), others],
    series: series.map((one) => {
      const rest = one.values.slice(kept).filter((value) => value !== null);
      const sum = rest.length === 0 ? null : rest.reduce((all, value) => all + value, 0);
      const last = sum !== null && percent ? sum / rest.length : sum;
      return { ...one, values: [...one.values.slice(0, kept), readNumber(last)] };
    }),
  };
}

/** What a value is called where it is pointed at. */
export const nameOf = (parts: readonly string[], value: string, unit = ''): string =>
  `${parts.filter((part) => part !== '').join(', ')}: ${value}${unit === '' ? '' : ` ${unit}`}`;

const numbered = ['first', 'second', 'third'] as const;

/** The paint of a category that may have a colour of its own. */
export function paintOfCategory({ categories, colours }: ChartData, at: number): Paint {
  return colours?.[at] ?? numbered[(at % categories.length) % numbered.length] ?? 'first';
}

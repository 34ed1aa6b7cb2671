import { isEmpty, isZero, readChart } from '../../charts/chart-data.ts';
import type { ChartData } from '../../charts/chart-data.ts';
import { cutMiddle } from '../../charts/text.ts';
import { inTime } from '../../charts/time-scale.ts';
import type { CellType, Chart, Series } from '../../model.ts';
import { measureText } from '../html/measure-text.ts';
import { chartLetters, labelRoom } from './chart-look.ts';
import { allColumns } from './summary-cells.ts';
import type { Line, SummaryCell } from './summary-cells.ts';

/** How a chart is drawn, in the kinds that spreadsheets know. */
type ChartLook = 'bars' | 'waterfall' | 'columns' | 'lines' | 'ring';

/** A chart on a sheet: each category is a row, each series a column. */
export interface SheetChart {
  readonly title: string;
  readonly description: string;
  readonly look: ChartLook;
  /** All columns of numbers, also those that are not drawn. */
  readonly data: ChartData;
  /** Shorter names of the categories, in the column after the numbers, where the names are too long to be drawn. */
  readonly labels?: readonly string[];
}

/** A chart and its numbers; the drawing above them refers to these. */
export interface ChartLines {
  /** Undefined if there is nothing to draw. */
  readonly chart: SheetChart | undefined;
  readonly heading: Line;
  readonly head: Line;
  /** One line per category. */
  readonly numbers: readonly Line[];
}

export function linesOfChart(chart: Chart): ChartLines {
  const sheetChart = readSheetChart(chart);
  const { data, labels } = sheetChart;
  const isTime = chart.form === 'lines';
  const rows = data.series.length === 0 ? [] : data.categories;
  return {
    chart: isEmpty(data) || isZero(data) ? undefined : sheetChart,
    heading: [{ text: headingOf(chart.title, data), style: 'subheading', span: allColumns }],
    head: [
      text(isTime ? 'Time (UTC)' : '', 'head'),
      ...data.series.map(({ name }) => text(name, 'headOfNumbers')),
      ...(labels ? [text('Label in the chart', 'head', labelSpan)] : []),
    ],
    numbers: rows.map((category, at) => [
      isTime ? { value: category, type: 'timestamp' } : text(category),
      ...data.series.map(({ values }) => number(values[at] ?? null, data)),
      ...(labels ? [text(labels[at] ?? '', 'text', labelSpan)] : []),
    ]),
  };
}

function readSheetChart(chart: Chart): SheetChart {
  const { title, description, form, drawn } = chart;
  const read = form === 'lines' ? inTime(readChart(chart)) : readChart(chart);
  const look = form === 'ring' ? 'ring' : (drawn ?? form);
  const data = look === 'waterfall' ? withSteps(read) : read;
  const style = { measure: measureText, size: chartLetters.points };
  const labels = data.categories.map((name) => cutMiddle(name, labelRoom, style));
  const areCut = form === 'bars' && labels.some((label, at) => label !== data.categories[at]);
  return { title, description, look, data, ...(areCut && { labels }) };
}

/** Upright columns; they have less room for labels than bars. */
const labelSpan = 3;

const headingOf = (title: string, { unit }: ChartData): string =>
  unit === undefined ? title : `${title} (${unit})`;

const text = (
  words: string,
  style: 'text' | 'head' | 'headOfNumbers' = 'text',
  span = 1,
): SummaryCell => ({ text: words, style, span });

const number = (value: number | null, { percent }: ChartData): SummaryCell => ({
  value,
  type: percent ? 'percent' : numberType(value),
});

const numberType = (value: number | null): CellType =>
  value === null || Number.isInteger(value) ? 'integer' : 'decimal';

/**
 * A waterfall as a stack, as not every spreadsheet has waterfalls: an invisible part up to where each bar starts, and how
 * far it rises or falls from the value before. The first bar starts at the axis.
 */
function withSteps(data: ChartData): ChartData {
  const values = data.series[0]?.values ?? [];
  const steps = values.map((value, at) => {
    const before = at === 0 ? null : (values[at - 1] ?? null);
    if (value === null || before === null) return { from: value, rise: null, fall: null };
    const step = Number((value - before).toPrecision(12));
    return { from: Math.min(value, before), rise: step >= 0 ? step : null, fall: step < 0 ? -step : null }; // prettier-ignore
  });
  const series: readonly Series[] = [
    { name: 'From', colour: 'first', values: steps.map(({ from }) => from) },
    { name: 'Rise', colour: 'pass', values: steps.map(({ rise }) => rise) },
    { name: 'Fall', colour: 'fail', values: steps.map(({ fall }) => fall) },
  ];
  const seen = series.filter(({ values }) => values.some((value) => value !== null));
  return { ...data, series: [...data.series.slice(0, 1), ...seen] };
}

import { mostBars } from '../../charts/bars.ts';
import { mostMarks } from '../../charts/lines.ts';
import { widest } from '../../charts/text.ts';
import { measureText } from '../html/measure-text.ts';
import { axisIds, categoryAxis, timeAxis, valueAxis } from './chart-axes.ts';
import type { SheetChart } from './chart-lines.ts';
import { chartLetters, chartWidth, ground, lettered, titled } from './chart-look.ts';
import { rulerAround, rulerFromZero, rulerOfSteps, rulerOfTime } from './chart-scales.ts';
import { barSeries, columnSeries, lineSeries, sliceSeries, stepSeries } from './chart-series.ts';
import type { NumbersPlace } from './chart-series.ts';
import { drawingml, xmlHead } from './namespaces.ts';

const namespaces = `xmlns:c="${drawingml}/chart" xmlns:a="${drawingml}/main"`;

/** Points. */
const plainHeight = 230;
const titleHeight = 30;
const legendHeight = 20;
const axisHeight = 36;
const barHeight = 19;
/** Of the values beside bars. */
const valueWidth = 50;
const besideNames = 14;

const areBars = ({ look }: SheetChart): boolean => look === 'bars' || look === 'waterfall';

/** How many of its rows are drawn: more bars would be too thin. */
const drawnRows = (chart: SheetChart): number =>
  areBars(chart) ? Math.min(mostBars, chart.data.categories.length) : chart.data.categories.length;

const hasLegend = ({ look, data }: SheetChart): boolean =>
  look === 'ring' || (look !== 'waterfall' && data.series.length > 1);

const topOfBars = (chart: SheetChart): number =>
  titleHeight + (hasLegend(chart) ? legendHeight : 0);

/** Points that it takes. */
export const heightOfChart = (chart: SheetChart): number =>
  areBars(chart) ? topOfBars(chart) + drawnRows(chart) * barHeight + axisHeight : plainHeight;

/** The file of a chart: it refers to its numbers, so whoever changes these changes it. */
export function chartPart(chart: SheetChart, place: Omit<NumbersPlace, 'rows'>): string {
  const rows = drawnRows(chart);
  const all = chart.data.categories.length;
  const title = rows < all ? `${chart.title} (first ${rows} of ${all})` : chart.title;
  const legend = hasLegend(chart)
    ? `<c:legend><c:legendPos val="${chart.look === 'ring' ? 'r' : 't'}"/><c:overlay val="0"/>${lettered(chartLetters)}</c:legend>`
    : '';
  return `${xmlHead}<c:chartSpace ${namespaces}><c:date1904 val="0"/><c:roundedCorners val="0"/><c:chart>${titled(title, { points: 11, bold: true })}<c:autoTitleDeleted val="0"/><c:plotArea>${plots[chart.look](chart, { ...place, rows })}</c:plotArea>${legend}<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart>${ground}${lettered(chartLetters)}</c:chartSpace>`;
}

type Plot = (chart: SheetChart, place: NumbersPlace) => string;

const plots: Readonly<Record<SheetChart['look'], Plot>> = {
  bars(chart, place) {
    const { data } = chart;
    const isStacked = data.series.length > 1;
    const values = valueAxis({ side: 'bottom', ruler: rulerFromZero(data), title: data.unit, isBetween: true }); // prettier-ignore
    return `${roomOfBars(chart)}${lyingBars(barSeries(chart, place), isStacked)}${categoryAxis('left')}${values}`;
  },
  waterfall(chart, place) {
    const { data } = chart;
    const values = valueAxis({ side: 'bottom', ruler: rulerOfSteps(data), title: data.unit, isBetween: true }); // prettier-ignore
    return `${roomOfBars(chart)}${lyingBars(stepSeries(chart, place), true)}${categoryAxis('left')}${values}`;
  },
  columns(chart, place) {
    const { data } = chart;
    const times = categoryAxis('bottom', rulerOfTime(data).format, data.categories.length);
    const values = valueAxis({ side: 'left', ruler: rulerFromZero(data), title: data.unit, isBetween: true }); // prettier-ignore
    return `<c:layout/><c:barChart><c:barDir val="col"/><c:grouping val="clustered"/><c:varyColors val="0"/>${columnSeries(chart, place).join('')}<c:gapWidth val="40"/>${axisIds}</c:barChart>${times}${values}`;
  },
  lines(chart, place) {
    const { data } = chart;
    const series = lineSeries(chart, place, data.categories.length <= mostMarks);
    const values = valueAxis({ side: 'left', ruler: rulerAround(data), title: data.unit, isBetween: false }); // prettier-ignore
    return `<c:layout/><c:scatterChart><c:scatterStyle val="lineMarker"/><c:varyColors val="0"/>${series.join('')}${axisIds}</c:scatterChart>${timeAxis(rulerOfTime(data))}${values}`;
  },
  ring: (chart, place) =>
    `<c:layout/><c:doughnutChart><c:varyColors val="1"/>${sliceSeries(chart, place)}<c:firstSliceAng val="0"/><c:holeSize val="60"/></c:doughnutChart>`,
};

const lyingBars = (series: readonly string[], isStacked: boolean): string =>
  `<c:barChart><c:barDir val="bar"/><c:grouping val="${isStacked ? 'stacked' : 'clustered'}"/><c:varyColors val="0"/>${series.join('')}<c:gapWidth val="45"/>${isStacked ? '<c:overlap val="100"/>' : ''}${axisIds}</c:barChart>`;

/** Where bars are in a chart: at the left their names have room, of which a spreadsheet gives them little by itself. */
function roomOfBars(chart: SheetChart): string {
  const style = { measure: measureText, size: chartLetters.points };
  const left = widest(chart.labels ?? chart.data.categories, style) + besideNames;
  const height = heightOfChart(chart);
  const parts = {
    x: left / chartWidth,
    y: topOfBars(chart) / height,
    w: (chartWidth - left - valueWidth) / chartWidth,
    h: (drawnRows(chart) * barHeight) / height,
  };
  const shares = Object.entries(parts).map(([name, share]) => `<c:${name} val="${share.toFixed(4)}"/>`); // prettier-ignore
  return `<c:layout><c:manualLayout><c:layoutTarget val="inner"/><c:xMode val="edge"/><c:yMode val="edge"/>${shares.join('')}</c:manualLayout></c:layout>`;
}

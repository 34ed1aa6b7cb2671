import { paintOfCategory } from '../../charts/chart-data.ts';
import { columnLetters } from './cells.ts';
import { chartLetters, filled, lettered, slice, stroked, unseen } from './chart-look.ts';
import type { SheetChart } from './chart-lines.ts';

/** Where the numbers of a chart are: rows below a head, with the categories in the first column. */
export interface NumbersPlace {
  /** The name of the sheet, quoted for references. */
  readonly sheet: string;
  readonly head: number;
  readonly rows: number;
}

const column = ({ sheet, head, rows }: NumbersPlace, at: number): string => {
  const letters = columnLetters(at);
  return `${sheet}!$${letters}$${head + 1}:$${letters}$${head + rows}`;
};

/** The start of each series: its place among those drawn, and the cell with its name. */
const start = (place: NumbersPlace, series: number, at: number): string =>
  `<c:idx val="${at}"/><c:order val="${at}"/><c:tx><c:strRef><c:f>${place.sheet}!$${columnLetters(series + 1)}$${place.head}</c:f></c:strRef></c:tx>`;

const names = ({ data, labels }: SheetChart, place: NumbersPlace): string =>
  `<c:cat><c:strRef><c:f>${column(place, labels ? data.series.length + 1 : 0)}</c:f></c:strRef></c:cat>`;
const times = (place: NumbersPlace, tag: 'cat' | 'xVal'): string =>
  `<c:${tag}><c:numRef><c:f>${column(place, 0)}</c:f></c:numRef></c:${tag}>`;
const values = (place: NumbersPlace, series: number, tag: 'val' | 'yVal' = 'val'): string =>
  `<c:${tag}><c:numRef><c:f>${column(place, series + 1)}</c:f></c:numRef></c:${tag}>`;

const labels = (what: 'showVal' | 'showPercent', inner: string): string =>
  `<c:dLbls>${inner}${(['showLegendKey', 'showVal', 'showCatName', 'showSerName', 'showPercent', 'showBubbleSize'] as const).map((one) => `<c:${one} val="${one === what ? 1 : 0}"/>`).join('')}</c:dLbls>`; // prettier-ignore

const point = (at: number, look: string): string =>
  `<c:dPt><c:idx val="${at}"/><c:invertIfNegative val="0"/><c:bubble3D val="0"/>${look}</c:dPt>`;

const rowsOf = <T>({ rows }: NumbersPlace, of: (at: number) => T): T[] =>
  Array.from({ length: rows }, (_, at) => of(at));

/** Bars side by side; a single series has its values beside its bars. */
export function barSeries(chart: SheetChart, place: NumbersPlace): string[] {
  const { data } = chart;
  const { series, colours } = data;
  const isAlone = series.length === 1;
  return series.map(({ colour }, at) => {
    const points =
      isAlone && colours
        ? rowsOf(place, (row) => point(row, filled(paintOfCategory(data, row))))
        : [];
    const beside = isAlone
      ? labels('showVal', `${lettered(chartLetters)}<c:dLblPos val="outEnd"/>`)
      : '';
    return `<c:ser>${start(place, at, at)}${filled(colour)}<c:invertIfNegative val="0"/>${points.join('')}${beside}${names(chart, place)}${values(place, at)}</c:ser>`;
  });
}

/** The parts of a waterfall: its first value and the steps after it, stacked on bars without a color. */
export function stepSeries(chart: SheetChart, place: NumbersPlace): string[] {
  return chart.data.series.slice(1).map(({ colour }, at) => {
    const look = at === 0 ? unseen : filled(colour);
    const first = at === 0 ? point(0, filled(colour)) : '';
    return `<c:ser>${start(place, at + 1, at)}${look}<c:invertIfNegative val="0"/>${first}${names(chart, place)}${values(place, at + 1)}</c:ser>`;
  });
}

export const columnSeries = ({ data }: SheetChart, place: NumbersPlace): string[] =>
  data.series.map(
    ({ colour }, at) =>
      `<c:ser>${start(place, at, at)}${filled(colour)}<c:invertIfNegative val="0"/>${times(place, 'cat')}${values(place, at)}</c:ser>`,
  );

/** Colors and dashes by the order of the series, as in the other formats. */
const dashes = [undefined, 'dash', 'sysDot', 'dashDot'] as const;
const marks = ['circle', 'square', 'triangle', 'diamond'] as const;

/** @param isMarked whether each point has a mark */
export const lineSeries = (
  { data }: SheetChart,
  place: NumbersPlace,
  isMarked: boolean,
): string[] =>
  data.series.map(({ colour, values: numbers }, at) => {
    // A point without a line to it is visible only by its mark.
    const isAlone = numbers.filter((value) => value !== null).length === 1;
    const mark =
      isMarked || isAlone
        ? `<c:symbol val="${marks[at % marks.length] ?? 'circle'}"/><c:size val="6"/>${filled(colour)}`
        : '<c:symbol val="none"/>';
    const look = stroked({ paint: colour, points: 1.75, dash: dashes[at % dashes.length] });
    return `<c:ser>${start(place, at, at)}${look}<c:marker>${mark}</c:marker>${times(place, 'xVal')}${values(place, at, 'yVal')}<c:smooth val="0"/></c:ser>`;
  });

/** Shares in percent, on white so that they can be read on any color; a share of 0 has no label. */
export function sliceSeries(chart: SheetChart, place: NumbersPlace): string {
  const { data } = chart;
  const shares = `<c:numFmt formatCode="[&lt;0.005]&quot;&quot;;0%" sourceLinked="0"/>${filled('background')}${lettered(chartLetters)}`;
  const slices = rowsOf(place, (row) => point(row, slice(paintOfCategory(data, row)))).join('');
  return `<c:ser>${start(place, 0, 0)}${slices}${labels('showPercent', shares)}${names(chart, place)}${values(place, 0)}</c:ser>`;
}

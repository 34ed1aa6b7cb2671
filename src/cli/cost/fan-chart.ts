import { showMoney } from '../../contract/money.ts';
import { widthOf } from '../terminal/printable.ts';
import type { Glyphs } from '../terminal/sparkline.ts';

/** What is expected of a day. */
interface FanPoint {
  readonly mean: number;
  readonly inner: readonly [number, number];
  readonly outer: readonly [number, number];
}

export interface Fan {
  readonly history: readonly number[];
  readonly points: readonly FanPoint[];
}

const height = 8;
/** A range far above everything else would flatten the rest: it is cut. */
const mostAbove = 1.6;

/** Days of history that are drawn, at least. */
const leastHistory = 28;

/**
 * Daily values as columns, then what is expected with its ranges, on one scale. Ends without a newline.
 * @returns also how many of the last days of the history are drawn
 */
export function fanChart(
  { history: given, points }: Fan,
  { columns, glyphs }: { readonly columns: number; readonly glyphs: Glyphs },
): { readonly text: string; readonly days: number } {
  const largest = Math.max(0, ...given, ...points.map(({ mean }) => mean));
  const widest = Math.max(largest, ...points.map(({ outer }) => outer[1]));
  const top = Math.min(widest, largest * mostAbove);
  if (!(top > 0)) return { text: '', days: 0 };
  const labels = [top, top / 2, 0].map((value) => showMoney(value.toFixed(2)));
  const margin = Math.max(...labels.map(widthOf));
  const room = Math.max(10, columns - margin - 3);
  // Days of a column: the same before and after, so that both have one scale of time.
  const least = Math.min(given.length, leastHistory);
  const perColumn = Math.ceil((least + points.length) / room);
  const history = given.slice(-Math.max(least, room * perColumn - points.length - perColumn));
  const past = chunked(history, perColumn, 'end').map(meanOf);
  const coming = chunked(points, perColumn, 'start').map((some): FanPoint => ({
    mean: meanOf(some.map(({ mean }) => mean)),
    inner: rangeOf(some.map(({ inner }) => inner)),
    outer: rangeOf(some.map(({ outer }) => outer)),
  }));
  const step = top / height;
  const [side, corner, line, now] = glyphs.axis;
  const rows = Array.from({ length: height }, (_, at) => {
    const low = (height - 1 - at) * step;
    const cells = [
      ...past.map((value) => columnCell((value - low) / step, glyphs)),
      ...coming.map((point) => fanCell(point, low, low + step, glyphs)),
    ];
    const label = at === 0 ? labels[0] : at === height / 2 ? labels[1] : '';
    return `${(label ?? '').padStart(margin)} ${side}${cells.join('')}`.trimEnd();
  });
  const under = line.repeat(past.length) + now + line.repeat(Math.max(0, coming.length - 1));
  return {
    text: [...rows, `${(labels[2] ?? '').padStart(margin)} ${corner}${under}`].join('\n'),
    days: history.length,
  };
}

/** The part of a column that is in a cell, of which it fills a share. */
function columnCell(share: number, { full, heights }: Glyphs): string {
  if (share >= 1) return full;
  const eighth = Math.round(share * heights.length);
  return eighth <= 0 ? ' ' : (heights[eighth - 1] ?? full);
}

function fanCell(
  { mean, inner, outer }: FanPoint,
  low: number,
  high: number,
  { fan }: Glyphs,
): string {
  if (mean >= low && mean < high) return fan.mean;
  const touches = ([from, to]: readonly [number, number]): boolean => from < high && to > low;
  if (touches(inner)) return fan.inner;
  return touches(outer) ? fan.outer : ' ';
}

/** Neighbors together; what is left over is where a series begins or ends. */
function chunked<T>(values: readonly T[], size: number, aligned: 'start' | 'end'): readonly T[][] {
  const first = aligned === 'end' ? values.length % size : 0;
  const starts = [
    ...(first > 0 ? [0] : []),
    ...Array.from({ length: Math.ceil((values.length - first) / size) }, (_, at) => first + at * size), // prettier-ignore
  ];
  return starts.map((start, at) => values.slice(start, starts[at + 1]));
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const rangeOf = (ranges: readonly (readonly [number, number])[]): [number, number] => [
  meanOf(ranges.map(([low]) => low)),
  meanOf(ranges.map(([, high]) => high)),
];

import { week } from './exponential-smoothing.ts';
import { halfWidths } from './intervals.ts';
import type { Origin } from './intervals.ts';
import { nextDays, seasonalNaive } from './points.ts';

/** Days from which on there is a forecast at all, and one by models. */
const fewestDays = 7;
const modelDays = 28;
/** Days that earlier forecasts are compared over, and how many of them, one a week. */
const backtestDays = 14;
const mostOrigins = 26;

/** Of a day, or of the sum of several. */
export interface ForecastPoint {
  readonly mean: number;
  /** The intervals that should contain 80 and 95 % of what comes. */
  readonly interval80: readonly [low: number, high: number];
  readonly interval95: readonly [low: number, high: number];
}

export type Forecast =
  | { readonly method: 'none'; readonly reason: string }
  | {
      readonly method: 'mean' | 'median_of_three';
      /** The day after the last value first. */
      readonly points: readonly ForecastPoint[];
      /**
       * What the intervals of the sum of `backtestDays` are of the sum of theirs: errors of days balance in part. Of 80 and
       * of 95 %.
       */
      readonly together: readonly [number, number];
      /** Of forecasts that could have been made before, strictly from what was known then. */
      readonly backtest?: Backtest;
      readonly note?: string;
    };

export interface Backtest {
  /** Forecasts of 14 days that were compared. */
  readonly origins: number;
  /** Mean absolute errors, in the unit of the values; of the method, and of the last week again. */
  readonly mae: number;
  readonly seasonalNaiveMae: number;
  /** The shares of days that the intervals of 80 and 95 % contained; absent: too few days to have had any. */
  readonly coverage?: readonly [number, number];
}

/**
 * What the next days will be, from the days so far.
 * @param series one value a day, the oldest first; days before the first that isn't 0 don't count
 * @param pause is awaited between pieces of work of some milliseconds; it may throw to end the work
 */
export async function forecastDaily(
  series: readonly number[],
  horizon: number,
  pause: () => Promise<void> = async () => {},
): Promise<Forecast> {
  const values = series.slice(
    Math.max(
      0,
      series.findIndex((value) => value !== 0),
    ),
  );
  const days = values.length;
  if (days < fewestDays) {
    return { method: 'none', reason: `${days} days of data; a forecast requires ${fewestDays}` };
  }
  if (days < modelDays) return byMean(values, horizon);
  const origins = await replay(values, pause);
  const means = nextDays(values, horizon);
  const [in80, in95] = halfWidths(values, origins, horizon);
  const around = aroundOf(values);
  return {
    method: 'median_of_three',
    points: means.map((mean, at) => ({
      mean,
      interval80: around(mean, in80?.days[at]),
      interval95: around(mean, Math.max(in95?.days[at] ?? 0, in80?.days[at] ?? 0)),
    })),
    together: [in80?.together ?? 1, in95?.together ?? 1],
    ...compared(values, origins, [in80?.coverage, in95?.coverage]),
  };
}

/** No interval contains costs below 0 where none ever was. */
function aroundOf(values: readonly number[]) {
  const floor = values.every((value) => value >= 0) ? 0 : -Infinity;
  return (mean: number, width = 0): readonly [number, number] => [
    Math.max(floor, mean - width),
    mean + width,
  ];
}

/** What some of the days of a forecast are together, from one up to, and without, another. */
export function sumOfDays(
  { points, together }: Extract<Forecast, { readonly points: unknown }>,
  from: number,
  to: number,
): ForecastPoint {
  const days = points.slice(from, to);
  const sum = (of: (point: ForecastPoint) => number): number =>
    days.reduce((all, point) => all + of(point), 0);
  const mean = sum((point) => point.mean);
  // A single day's interval is its own; that of two weeks was measured, and is taken for longer times, too.
  const reach = Math.log(Math.min(Math.max(days.length, 1), backtestDays)) / Math.log(backtestDays);
  const width80 = sum((point) => point.interval80[1] - point.mean) * together[0] ** reach;
  const width95 = sum((point) => point.interval95[1] - point.mean) * together[1] ** reach;
  const isNeverNegative = days.every(({ interval95 }) => interval95[0] >= 0);
  const around = aroundOf(isNeverNegative ? [] : [-1]);
  return {
    mean,
    interval80: around(mean, width80),
    interval95: around(mean, Math.max(width80, width95)),
  };
}

/** The forecasts that could have been made so far, one a week. */
async function replay(
  values: readonly number[],
  pause: () => Promise<void>,
): Promise<readonly Origin[]> {
  const origins: Origin[] = [];
  // The last whole week ends where the values end.
  const latest = values.length - week;
  const earliest = Math.max(2 * week, latest - (mostOrigins - 1) * week);
  for (let at = latest - Math.floor((latest - earliest) / week) * week; at <= latest; at += week) {
    origins.push({ at, forecast: nextDays(values.slice(0, at), backtestDays) });
    await pause();
  }
  return origins;
}

function compared(
  values: readonly number[],
  origins: readonly Origin[],
  [in80, in95]: readonly [number | undefined, number | undefined],
): { readonly backtest?: Backtest } {
  const whole = origins.filter(({ at }) => at + backtestDays <= values.length);
  if (whole.length === 0) return {};
  const maeOf = (forecastOf: (origin: Origin) => readonly number[]): number => {
    const errors = whole.flatMap((origin) =>
      forecastOf(origin).map((mean, ahead) => Math.abs((values[origin.at + ahead] ?? 0) - mean)),
    );
    return errors.reduce((all, error) => all + error, 0) / errors.length;
  };
  return {
    backtest: {
      origins: whole.length,
      mae: maeOf(({ forecast }) => forecast),
      seasonalNaiveMae: maeOf(({ at }) => seasonalNaive(values.slice(0, at), backtestDays)),
      ...(in80 === undefined || in95 === undefined ? {} : { coverage: [in80, in95] }),
    },
  };
}

/** The mean with intervals of a normal distribution: few days say little more. */
function byMean(values: readonly number[], horizon: number): Forecast {
  const mean = values.reduce((all, value) => all + value, 0) / values.length;
  const squares = values.reduce((all, value) => all + (value - mean) ** 2, 0);
  // One more day varies by this much, the uncertain mean included.
  const spread = Math.sqrt((squares / (values.length - 1)) * (1 + 1 / values.length));
  const around = aroundOf(values);
  const point: ForecastPoint = {
    mean,
    interval80: around(mean, 1.645 * spread),
    interval95: around(mean, 2.576 * spread),
  };
  return {
    method: 'mean',
    points: new Array<ForecastPoint>(horizon).fill(point),
    // The mean may be off as a whole.
    together: [1, 1],
    note: `Only ${values.length} days of data: the forecast is the mean, with wide intervals`,
  };
}

import { smoothedForecast, week } from './exponential-smoothing.ts';
import { median } from './median.ts';

/** Weeks of which the same weekday is averaged. */
const weeksBack = 4;

/** The last week again. */
export const seasonalNaive = (values: readonly number[], horizon: number): readonly number[] =>
  Array.from({ length: horizon }, (_, at) => values[values.length - week + (at % week)] ?? 0);

/** The mean of the last four same weekdays. */
const sameWeekdays = (values: readonly number[], horizon: number): readonly number[] =>
  Array.from({ length: horizon }, (_, at) => {
    const last = values.length - week + (at % week);
    const found = Array.from({ length: weeksBack }, (_none, back) => values[last - back * week]);
    const known = found.filter((value) => value !== undefined);
    return known.reduce((all, value) => all + value, 0) / known.length;
  });

/**
 * The next days: for each the median of three forecasts (exponential smoothing, the last week again, the last four same
 * weekdays). None of them holds up alone on real cost; one that goes astray is outvoted.
 * @param values one a day, the oldest first, at least 14
 * @returns never below 0 where no value is
 */
export function nextDays(values: readonly number[], horizon: number): readonly number[] {
  const smoothed = smoothedForecast(values, horizon);
  const naive = seasonalNaive(values, horizon);
  const means = sameWeekdays(values, horizon);
  const floor = values.every((value) => value >= 0) ? 0 : -Infinity;
  return smoothed.map((value, at) =>
    Math.max(floor, median([value, naive[at] ?? value, means[at] ?? value])),
  );
}

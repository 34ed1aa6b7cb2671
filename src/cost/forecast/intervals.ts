import { week } from './exponential-smoothing.ts';

/** A forecast that was made, or could have been, on a day of the history. */
export interface Origin {
  /** Values that it knew. */
  readonly at: number;
  readonly forecast: readonly number[];
}

const levels = [0.8, 0.95];

/** How fast the level follows misses (Gibbs and Candès, Adaptive Conformal Inference, 2021). */
const adaption = 0.05;
/** Residuals below which a pool says nothing. */
const fewest = 14;
/** Earlier forecasts below which their sums say nothing. */
const fewestSums = 8;
/** The share of misses that the adapted level stays within. */
const leastMisses = 0.005;
const mostMisses = 0.5;
/** Days of which the change from week to week is the scale of a residual. */
const scaleDays = 56;

interface Residual {
  /** The day that it is of. */
  readonly day: number;
  /** In scales of its origin. */
  readonly score: number;
}

/** The intervals of one level. */
interface Widths {
  /** Half the width for each day. */
  readonly days: readonly number[];
  /** The share of the sum of these that half the width of the interval of the days' sum is, for as many days as origins forecast. */
  readonly together: number;
  /** The share of the days of earlier forecasts that their intervals contained; undefined: none had any. */
  readonly coverage: number | undefined;
}

/**
 * Half the width of the intervals of the next days, by the residuals of earlier forecasts: for each day ahead of the
 * first week, and of all later ones, the quantile of the residuals of that pool. Where intervals missed too often, or
 * too rarely, the next are wider, or narrower. Beyond the days that the origins forecast, widths grow with the square
 * root of time. Errors of one forecast balance in part: their sums say how far.
 * @param origins the oldest first
 * @returns for the intervals of 80 and of 95 %
 */
export function halfWidths(
  values: readonly number[],
  origins: readonly Origin[],
  horizon: number,
): readonly Widths[] {
  const floor = floorOf(values, origins);
  const scaleAt = (day: number): number => Math.max(floor, weeklyChange(values, day));
  const scored = origins.map(({ at, forecast }) => {
    const scale = scaleAt(at);
    const residuals = forecast.slice(0, values.length - at).map((mean, ahead) => ({
      day: at + ahead,
      score: Math.abs((values[at + ahead] ?? 0) - mean) / scale,
    }));
    const isWhole = residuals.length === forecast.length;
    const off = sum(forecast.map((mean, ahead) => (values[at + ahead] ?? 0) - mean));
    return { at, residuals, isWhole, sum: Math.abs(off) / scale };
  });
  const sums = scored.filter(({ isWhole }) => isWhole).map(({ sum }) => sum);
  const poolBefore = (day: number, pool: number): readonly Residual[] =>
    scored.flatMap(({ residuals }) =>
      residuals.filter((one, ahead) => poolOf(ahead) === pool && one.day < day),
    );
  const now = scaleAt(values.length);
  const known = Math.max(1, ...origins.map(({ forecast }) => forecast.length));
  return levels.map((level) => {
    let misses = 1 - level;
    let [missedDays, days] = [0, 0];
    for (const { at, residuals, isWhole } of scored) {
      const widths = pools.map((pool) => quantile(poolBefore(at, pool), misses));
      if (!isWhole || widths.includes(undefined)) continue;
      const missed = residuals.filter(({ score }, ahead) => score > (widths[poolOf(ahead)] ?? 0));
      missedDays += missed.length;
      days += residuals.length;
      misses = bounded(misses + adaption * (1 - level - missed.length / residuals.length));
    }
    const widths = pools.map((pool) => quantile(poolBefore(values.length, pool), misses));
    const widthOf = (ahead: number): number => widths[poolOf(ahead)] ?? widths[0] ?? 0;
    const inAll = Array.from({ length: known }, (_, ahead) => widthOf(ahead));
    const ofSum = sums.length < fewestSums ? Infinity : (ranked(sums, misses) ?? Infinity);
    return {
      days: Array.from(
        { length: horizon },
        (_, ahead) => widthOf(ahead) * now * Math.sqrt(Math.max(1, (ahead + 1) / known)),
      ),
      // Never narrower than where errors have nothing to do with each other.
      together: Math.min(1, Math.max(1 / Math.sqrt(known), ofSum / (sum(inAll) || 1))),
      coverage: days > 0 ? 1 - missedDays / days : undefined,
    };
  });
}

const pools = [0, 1];
const poolOf = (ahead: number): number => (ahead < week ? 0 : 1);

const bounded = (misses: number): number => Math.min(mostMisses, Math.max(leastMisses, misses));

/** The score that a share of the residuals exceeds, with the correction for few of them. */
function quantile(residuals: readonly Residual[], misses: number): number | undefined {
  if (residuals.length < fewest) return undefined;
  return ranked(
    residuals.map(({ score }) => score),
    misses,
  );
}

function ranked(scores: readonly number[], misses: number): number | undefined {
  const sorted = scores.toSorted((a, b) => a - b);
  const rank = Math.ceil((sorted.length + 1) * (1 - misses));
  return sorted[Math.min(Math.max(rank, 1), sorted.length) - 1];
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** The mean change to the same weekday of the week before. */
function weeklyChange(values: readonly number[], end: number): number {
  let total = 0;
  let days = 0;
  for (let day = Math.max(week, end - scaleDays); day < end; day++) {
    total += Math.abs((values[day] ?? 0) - (values[day - week] ?? 0));
    days += 1;
  }
  return days > 0 ? total / days : 0;
}

/** A scale that no series is below, though it stood still for weeks: a twentieth of the mean residual. */
function floorOf(values: readonly number[], origins: readonly Origin[]): number {
  const residuals = origins.flatMap(({ at, forecast }) =>
    forecast
      .slice(0, values.length - at)
      .map((mean, ahead) => Math.abs((values[at + ahead] ?? 0) - mean)),
  );
  const mean = residuals.reduce((all, one) => all + one, 0) / Math.max(1, residuals.length);
  return Math.max(1e-9, mean / 20);
}

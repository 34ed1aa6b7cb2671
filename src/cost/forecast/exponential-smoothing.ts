import { median } from './median.ts';
import { minimise } from './nelder-mead.ts';

/** Days of a season. */
export const week = 7;

/** The models of Hyndman et al., Forecasting with Exponential Smoothing (2008), with additive errors: ANN, AAdN, ANA, AAdA. */
interface Model {
  /** A trend that fades. */
  readonly trend: boolean;
  readonly season: boolean;
}
const models: readonly Model[] = [
  { trend: false, season: false },
  { trend: true, season: false },
  { trend: false, season: true },
  { trend: true, season: true },
];

interface Rates {
  /** How fast level, trend and season follow what comes. */
  readonly level: number;
  readonly trend: number;
  readonly season: number;
  /** What is left of the trend from one day to the next. */
  readonly damping: number;
}

interface State {
  level: number;
  slope: number;
  readonly season: number[];
}

/** Weeks that the first state is estimated from. */
const mostFirstWeeks = 8;

/**
 * The next days by the model that fits best, by AICc over the four.
 * @param values one a day, the oldest first, at least 14
 */
export function smoothedForecast(values: readonly number[], horizon: number): readonly number[] {
  const n = values.length;
  let best: { readonly aicc: number; readonly next: readonly number[] } | undefined;
  for (const model of models) {
    const first = firstState(values, model);
    // Start from slow rates: those of a series that hardly changes.
    const start = [-1, ...(model.trend ? [-2, 1] : []), ...(model.season ? [-2] : [])];
    const errorOf = (x: readonly number[]): number =>
      Math.log(run(values, first, ratesOf(x, model), 0).squares + tiny);
    const fitted = run(values, first, ratesOf(minimise(errorOf, start), model), horizon);
    const parameters = 3 + (model.trend ? 3 : 0) + (model.season ? week : 0);
    const spare = n - parameters - 1;
    if (spare <= 0) continue;
    const aicc =
      n * Math.log(fitted.squares / n + tiny) +
      2 * parameters +
      (2 * parameters * (parameters + 1)) / spare;
    if (!best || aicc < best.aicc) best = { aicc, next: fitted.next };
  }
  return best?.next ?? [];
}

const tiny = 1e-12;

const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

/** Any numbers as rates within their bounds: the trend follows no faster than the level, level and season together not at once. */
function ratesOf(x: readonly number[], { trend, season }: Model): Rates {
  const [forLevel = 0, ...more] = x;
  const level = 0.001 + 0.998 * logistic(forLevel);
  const [forTrend = 0, forDamping = 0] = more;
  const forSeason = more.at(-1) ?? 0;
  return {
    level,
    trend: trend ? level * logistic(forTrend) : 0,
    damping: trend ? 0.8 + 0.18 * logistic(forDamping) : 1,
    season: season ? (1 - level) * logistic(forSeason) : 0,
  };
}

/** The state before the first day, by medians over the first weeks: one day out of the ordinary doesn't count. */
function firstState(values: readonly number[], { trend, season: hasSeason }: Model): State {
  const weeks = Math.min(Math.floor(values.length / week), mostFirstWeeks);
  const season = new Array<number>(week).fill(0);
  const middles = Array.from({ length: weeks }, (_, at) =>
    median(values.slice(at * week, (at + 1) * week)),
  );
  const slope = trend ? slopeOf(middles) / week : 0;
  if (hasSeason) {
    for (let day = 0; day < week; day++) {
      season[day] = median(middles.map((mid, at) => (values[at * week + day] ?? 0) - mid));
    }
    const mean = season.reduce((all, one) => all + one, 0) / week;
    for (let day = 0; day < week; day++) season[day] = (season[day] ?? 0) - mean;
  }
  const level = trend
    ? median(middles.map((mid, at) => mid - slope * (at * week + (week + 1) / 2)))
    : (middles[0] ?? 0);
  return { level, slope, season };
}

/** The median of the slopes between all pairs (Theil and Sen). */
function slopeOf(values: readonly number[]): number {
  const slopes: number[] = [];
  for (const [a, before] of values.entries()) {
    for (const [further, after] of values.slice(a + 1).entries()) {
      slopes.push((after - before) / (further + 1));
    }
  }
  return slopes.length > 0 ? median(slopes) : 0;
}

/** Follows a series, and goes on from its end. */
function run(
  values: readonly number[],
  { level: firstLevel, slope: firstSlope, season: firstSeason }: State,
  rates: Rates,
  horizon: number,
): { readonly squares: number; readonly next: readonly number[] } {
  const season = [...firstSeason];
  let level = firstLevel;
  let slope = firstSlope;
  let squares = 0;
  let at = 0;
  for (const value of values) {
    const day = at++ % week;
    const faded = rates.damping * slope;
    const base = level + faded;
    const usual = season[day] ?? 0;
    const error = value - (base + usual);
    squares += error * error;
    level = base + rates.level * error;
    slope = faded + rates.trend * error;
    season[day] = usual + rates.season * error;
  }
  const next: number[] = [];
  for (let day = 0; day < horizon; day++) {
    slope *= rates.damping;
    level += slope;
    next.push(level + (season[(values.length + day) % week] ?? 0));
  }
  return { squares, next };
}

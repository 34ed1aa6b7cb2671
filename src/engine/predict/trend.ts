/** An attribute's value from a moment on, in milliseconds since the epoch. */
export type Point = readonly [at: number, value: number];

export interface Trend {
  /** When the target is reached, in milliseconds since the epoch. */
  readonly at: number;
  /** 8 of 10 lie within. The end is Infinity where more than 1 of 10 never reaches the target. */
  readonly interval: readonly [from: number, to: number];
  /** The chance that the target is reached by a moment, from 0 to 1. */
  chanceBy(moment: number): number;
}

const day = 86_400_000;

/** Fewer points, or a shorter time, are too few for a trend. */
const fewestPoints = 5;
const shortestTime = 3 * day;
const draws = 200;

/**
 * When an attribute reaches a target, if it goes on as before: from its last value, at the median of the slopes between
 * all pairs of values, taken at as many evenly spaced moments as there are points, so that a time without a change counts
 * as long as it was (Theil–Sen; P. K. Sen, Journal of the American Statistical Association 63, 1968, 1379–1389), which up
 * to 29% of outliers do not move much. The interval is that of 200 draws, in which blocks of neighboring residuals are
 * put together in a random order (moving block bootstrap; H. R. Künsch, Annals of Statistics 17, 1989, 1217–1241), as the
 * errors of neighbors are alike. The order is random but follows from the points: the same points, the same answer.
 * Undefined: too few points, or they do not lead to the target.
 * @param points in the order of time; the last one is the value now
 */
export function findTrend(points: readonly Point[], target: number): Trend | undefined {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < fewestPoints) return undefined;
  const [now, value] = last;
  if (now - first[0] < shortestTime) return undefined;
  const times = points.map((_, i) => ((now - first[0]) / day) * (i / (points.length - 1)));
  const values = valuesAt(points, times);
  const slope = theilSen(times, values);
  const reached = (given: number): number => {
    const days = (target - value) / given;
    return Number.isFinite(days) && days >= 0 ? now + days * day : Infinity;
  };
  const at = reached(slope);
  if (at === Infinity) return undefined;
  const moments = Float64Array.from(drawSlopes(times, values, slope), reached).sort();
  const quantile = (share: number): number => moments[Math.floor(share * (draws - 1))] ?? Infinity;
  return {
    at,
    interval: [Math.min(at, quantile(0.1)), Math.max(at, quantile(0.9))],
    chanceBy: (moment) => moments.filter((one) => one <= moment).length / draws,
  };
}

/** The values at moments in the order of time, in days since the first point; between two points on the line from one to the other. */
function valuesAt(points: readonly Point[], times: readonly number[]): number[] {
  const start = points[0]?.[0] ?? 0;
  let next = 1;
  return times.map((time) => {
    const at = start + time * day;
    while (next < points.length - 1 && (points[next]?.[0] ?? 0) < at) next += 1;
    const [[from, low] = [0, 0], [to, high] = [0, 0]] = [points[next - 1], points[next]];
    return low + (high - low) * Math.min(1, (at - from) / (to - from));
  });
}

/** The median of the slopes between all pairs of points at different times. */
export function theilSen(times: readonly number[], values: ArrayLike<number>): number {
  const slopes = new Float64Array((times.length * (times.length - 1)) / 2);
  let count = 0;
  for (let i = 1; i < times.length; i++) {
    for (let j = 0; j < i; j++) {
      const between = (times[i] ?? 0) - (times[j] ?? 0);
      if (between > 0) slopes[count++] = ((values[i] ?? 0) - (values[j] ?? 0)) / between;
    }
  }
  return median(slopes.subarray(0, count));
}

/** Sorts what it is given. */
function median(given: Float64Array): number {
  given.sort();
  const half = given.length >> 1;
  const upper = given[half] ?? 0;
  return given.length % 2 === 1 ? upper : ((given[half - 1] ?? 0) + upper) / 2;
}

function* drawSlopes(
  times: readonly number[],
  values: readonly number[],
  slope: number,
): Generator<number> {
  const fitted = times.map((time) => slope * time);
  const residuals = values.map((value, i) => value - (fitted[i] ?? 0));
  const length = Math.ceil(Math.cbrt(values.length));
  const random = createRandom([...times, ...values]);
  const drawn = new Float64Array(values.length);
  for (let draw = 0; draw < draws; draw++) {
    let from = 0;
    for (let i = 0; i < drawn.length; i++) {
      if (i % length === 0) from = Math.floor(random() * (values.length - length + 1));
      drawn[i] = (fitted[i] ?? 0) + (residuals[from + (i % length)] ?? 0);
    }
    yield theilSen(times, drawn);
  }
}

/** Numbers from 0 to 1 that follow from a seed (mulberry32; the seed is FNV-1a over the bytes). */
function createRandom(seed: readonly number[]): () => number {
  let state = 0x811c9dc5;
  for (const byte of new Uint8Array(Float64Array.from(seed).buffer)) {
    state = Math.imul(state ^ byte, 0x01000193);
  }
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

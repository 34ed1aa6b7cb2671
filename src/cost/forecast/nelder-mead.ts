interface Corner {
  readonly x: readonly number[];
  readonly value: number;
}

const mostSteps = 200;
/** The search ends once all corners are this close, relative to the best. */
const tolerance = 1e-7;

/**
 * Where a function of few parameters is least, near a start: the simplex method of Nelder and Mead (1965). It needs no
 * derivative, and finds a minimum near the start, which need not be the least of all.
 */
export function minimise(
  f: (x: readonly number[]) => number,
  start: readonly number[],
  step = 1,
): readonly number[] {
  const corner = (x: readonly number[]): Corner => ({ x, value: f(x) });
  let corners = [
    corner(start),
    ...start.map((_, at) => corner(start.map((value, j) => (j === at ? value + step : value)))),
  ];
  for (let left = mostSteps; ; left--) {
    corners.sort((a, b) => a.value - b.value);
    const best = first(corners);
    const worst = first(corners.slice(-1));
    const spread = worst.value - best.value;
    if (left === 0 || !(spread > tolerance * (Math.abs(best.value) + 1e-12))) return best.x;
    const kept = corners.slice(0, -1);
    const centre = start.map((_, j) => sum(kept.map(({ x }) => x[j] ?? 0)) / kept.length);
    const along = (k: number): Corner =>
      corner(centre.map((value, j) => value + k * ((worst.x[j] ?? 0) - value)));
    const next = replacement(along, { best, second: first(kept.slice(-1)), worst });
    corners = next
      ? [...kept, next]
      : [best, ...corners.slice(1).map(({ x }) => corner(between(x, best.x)))];
  }
}

/** What takes the place of the worst corner: its reflection, an expansion or a contraction; none: all move to the best. */
function replacement(
  along: (k: number) => Corner,
  {
    best,
    second,
    worst,
  }: { readonly best: Corner; readonly second: Corner; readonly worst: Corner },
): Corner | undefined {
  const reflected = along(-1);
  if (reflected.value < best.value) {
    const expanded = along(-2);
    return expanded.value < reflected.value ? expanded : reflected;
  }
  if (reflected.value < second.value) return reflected;
  const contracted = along(reflected.value < worst.value ? -0.5 : 0.5);
  return contracted.value < Math.min(reflected.value, worst.value) ? contracted : undefined;
}

const between = (a: readonly number[], b: readonly number[]): readonly number[] =>
  a.map((value, j) => (value + (b[j] ?? 0)) / 2);

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

function first<T>([value]: readonly T[]): T {
  if (value === undefined) throw new Error('a simplex must have vertices');
  return value;
}

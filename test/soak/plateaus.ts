/** What was measured at one moment, by what it is, such as `memory`. */
export type Sample = Readonly<Record<string, number>>;

/** What something was in three windows of time, one after another. */
export interface Plateau {
  readonly name: string;
  readonly windows: readonly number[];
  /** The most that a window is above the one before, in percent. */
  readonly growth: number;
}

/** Percent that a window may be above the one before. */
export const mostGrowth = 5;

const count = 3;

/** Of the samples, so many come before the windows: what fills up at first is full by then. */
const warmUp = 0.4;

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[half] ?? 0)
    : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}

/** @param lowest of these the lowest of a window counts, as the rest is what was not collected yet; else the median */
export function plateausOf(samples: readonly Sample[], lowest: ReadonlySet<string>): Plateau[] {
  const rest = samples.slice(Math.floor(samples.length * warmUp));
  const length = Math.floor(rest.length / count);
  return Object.keys(rest[0] ?? {}).map((name) => {
    const windows = Array.from({ length: count }, (_, at) => {
      const numbers = rest.slice(at * length, (at + 1) * length).map((one) => one[name] ?? 0);
      return lowest.has(name) ? Math.min(...numbers) : median(numbers);
    });
    const growths = windows.slice(1).map((now, at) => {
      const before = windows[at] ?? 0;
      return now <= before ? 0 : before === 0 ? Infinity : (now / before - 1) * 100;
    });
    return { name, windows, growth: Math.max(...growths) };
  });
}

export const grown = (plateaus: readonly Plateau[]): Plateau[] =>
  plateaus.filter(({ growth }) => growth > mostGrowth);

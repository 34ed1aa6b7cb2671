import type { Clock } from '../deps.ts';

/** How whoever fails is held back. Milliseconds. */
interface Pacing {
  /** Failures until the first pause. */
  readonly free: number;
  /** Twice as long after each further failure. */
  readonly firstPause: number;
  readonly longestPause: number;
}

/**
 * Whom a try is counted under. A browser that somebody signed in with before counts by itself, so that nobody else's
 * failures hold it back.
 */
const pacings = {
  account: { free: 5, firstPause: 1_000, longestPause: 5 * 60_000 },
  network: { free: 20, firstPause: 1_000, longestPause: 60_000 },
  device: { free: 10, firstPause: 1_000, longestPause: 60_000 },
} as const satisfies Record<string, Pacing>;

export interface Counted {
  readonly as: keyof typeof pacings;
  readonly name: string;
}

/** A try under way, which counts as failed until it turns out well. */
interface Try {
  /** It turned out well: what was counted is forgotten, of a network this one only, as others are behind it, too. */
  succeeded(): void;
  /** Nothing was tried after all. */
  withdraw(): void;
}

export interface Tries {
  /** @returns seconds to wait, where some were tried too often */
  begin(under: readonly Counted[]): Try | number;
}

/** Milliseconds after the last failure until all are forgotten. */
const forgottenAfter = 60 * 60_000;
const mostKept = 10_000;

interface Failures {
  count: number;
  until: number;
  last: number;
}

/** Counts in memory: a restart forgives. */
export function createTries(clock: Clock): Tries {
  const known = new Map<string, Failures>();
  const keyOf = ({ as, name }: Counted): string => `${as} ${name}`;

  const failuresOf = (key: string): Failures => {
    const found = known.get(key);
    const fresh = { count: 0, until: 0, last: 0 };
    return found && clock.now() - found.last < forgottenAfter ? found : fresh;
  };
  const keep = (key: string, failures: Failures): void => {
    known.delete(key);
    // With very many the one that failed longest ago is forgotten: memory stays bounded.
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= mostKept) known.delete(oldest);
    known.set(key, failures);
  };
  const fail = (counted: Counted, now: number): void => {
    const { free, firstPause, longestPause } = pacings[counted.as];
    const count = failuresOf(keyOf(counted)).count + 1;
    const late = count - free;
    const pause = late < 0 ? 0 : Math.min(firstPause * 2 ** late, longestPause);
    keep(keyOf(counted), { count, until: now + pause, last: now });
  };
  const undo = (counted: Counted): void => {
    const { count, last } = failuresOf(keyOf(counted));
    if (count > 1) keep(keyOf(counted), { count: count - 1, until: 0, last });
    else known.delete(keyOf(counted));
  };

  return {
    begin(under) {
      const now = clock.now();
      const wait = Math.max(...under.map((one) => failuresOf(keyOf(one)).until - now));
      if (wait > 0) return Math.ceil(wait / 1_000);
      // At once, as others may try while this one is under way.
      for (const one of under) fail(one, now);
      return {
        succeeded() {
          for (const one of under) {
            if (one.as === 'network') undo(one);
            else known.delete(keyOf(one));
          }
        },
        withdraw() {
          for (const one of under) undo(one);
        },
      };
    },
  };
}

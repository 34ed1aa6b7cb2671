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
/** Of each kind: who makes up many of one does not have those of another forgotten. */
const mostKept = 10_000;

interface Failures {
  count: number;
  until: number;
  last: number;
}

/** Counts in memory: a restart forgives. */
export function createTries(clock: Clock): Tries {
  const kinds = {
    account: new Map<string, Failures>(),
    network: new Map<string, Failures>(),
    device: new Map<string, Failures>(),
  };
  // Not the time of day: a clock that is set back must hold nobody back.
  const clockNow = (): number => clock.monotonic();

  const failuresOf = ({ as, name }: Counted): Failures => {
    const found = kinds[as].get(name);
    const fresh = { count: 0, until: 0, last: 0 };
    return found && clockNow() - found.last < forgottenAfter ? found : fresh;
  };
  const keep = ({ as, name }: Counted, failures: Failures): void => {
    const known = kinds[as];
    known.delete(name);
    // With very many the one that failed longest ago is forgotten: memory stays bounded.
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= mostKept) known.delete(oldest);
    known.set(name, failures);
  };
  const fail = (counted: Counted, now: number): void => {
    const { free, firstPause, longestPause } = pacings[counted.as];
    const count = failuresOf(counted).count + 1;
    const late = count - free;
    const pause = late < 0 ? 0 : Math.min(firstPause * 2 ** late, longestPause);
    keep(counted, { count, until: now + pause, last: now });
  };
  const forget = ({ as, name }: Counted): void => void kinds[as].delete(name);
  const undo = (counted: Counted): void => {
    const { count, last } = failuresOf(counted);
    if (count > 1) keep(counted, { count: count - 1, until: 0, last });
    else forget(counted);
  };

  return {
    begin(under) {
      const now = clockNow();
      const wait = Math.max(...under.map((one) => failuresOf(one).until - now));
      if (wait > 0) return Math.ceil(wait / 1_000);
      // At once, as others may try while this one is under way.
      for (const one of under) fail(one, now);
      return {
        succeeded() {
          for (const one of under) {
            if (one.as === 'network') undo(one);
            else forget(one);
          }
        },
        withdraw() {
          for (const one of under) undo(one);
        },
      };
    },
  };
}

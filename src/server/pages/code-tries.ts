/** Wrong codes of one person in a window, and the window in milliseconds: RFC 8628 section 5.1 asks for a limit. */
const most = 5;
const within = 10 * 60_000;

/** Counts wrong device codes by person, in memory: whoever guesses has to sign in first. */
export interface CodeTries {
  /** Milliseconds until another may be tried; 0: at once. */
  wait(userId: string): number;
  failed(userId: string): void;
}

export function createCodeTries(now: () => number): CodeTries {
  /** Times of the last wrong codes, by user. */
  const tries = new Map<string, readonly number[]>();
  const recent = (userId: string): readonly number[] =>
    (tries.get(userId) ?? []).filter((at) => now() - at < within);
  return {
    wait(userId) {
      const [oldest = 0, ...others] = recent(userId).slice(-most);
      return others.length === most - 1 ? oldest + within - now() : 0;
    },
    failed(userId) {
      tries.set(userId, [...recent(userId), now()].slice(-most));
    },
  };
}

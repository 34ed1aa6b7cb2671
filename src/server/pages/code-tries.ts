/** Wrong codes of one person in a window, and the window in milliseconds: RFC 8628 section 5.1 asks for a limit. */
const most = 5;
const within = 10 * 60_000;

/** Counts wrong device codes by person, in memory: whoever guesses has to sign in first. */
export interface CodeTries {
  /**
   * Counts a try as wrong until it turns out right: others may try while this one is looked at.
   * @returns milliseconds to wait where too many were wrong; else what takes it back
   */
  begin(userId: string): number | (() => void);
}

export function createCodeTries(now: () => number): CodeTries {
  /** Times of the last wrong codes, by user. */
  const tries = new Map<string, readonly number[]>();
  const recent = (userId: string): readonly number[] =>
    (tries.get(userId) ?? []).filter((at) => now() - at < within);
  return {
    begin(userId) {
      const before = recent(userId);
      const [oldest = 0] = before;
      if (before.length >= most) return oldest + within - now();
      const at = now();
      tries.set(userId, [...before, at]);
      return () => {
        const after = recent(userId);
        const index = after.indexOf(at);
        if (index >= 0) tries.set(userId, after.toSpliced(index, 1));
      };
    },
  };
}

import type { Clock } from '../deps.ts';

/** A clock that runs beside another, so many milliseconds ahead of it. Durations stay as they are. */
export interface AdjustableClock extends Clock {
  /** Milliseconds ahead; negative: behind. */
  offset(): number;
  setOffset(ms: number): void;
  /** What the clock below says. */
  below(): number;
  /** Calls back when it has jumped. @returns ends it */
  onChange(listener: () => void): () => void;
}

export function createAdjustableClock(below: Clock): AdjustableClock {
  let offset = 0;
  const listeners = new Set<() => void>();
  return {
    now: () => below.now() + offset,
    monotonic: () => below.monotonic(),
    below: () => below.now(),
    offset: () => offset,
    setOffset(ms) {
      if (ms === offset) return;
      offset = ms;
      for (const listener of listeners) listener();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

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

const steps = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `+1d1h`, `-90s`, `+0.5s`: how far a clock is moved, in two units at most. */
export function describeOffset(ms: number): string {
  const sign = ms < 0 ? '-' : '+';
  let left = Math.abs(ms);
  if (left < 1_000) return `${sign}${left / 1_000}s`;
  const parts: string[] = [];
  for (const [unit, length] of steps) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0 && parts.length < 2) parts.push(`${count}${unit}`);
    else if (parts.length > 0) break;
  }
  return sign + parts.join('');
}

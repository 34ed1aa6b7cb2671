import type { Point } from './trend.ts';

/** Points of one attribute, and how old they may be. */
const mostPoints = 30;
const longestKept = 400 * 86_400_000;

/**
 * The history of an attribute after a change; the first change keeps the value before it, too.
 * @param before when the value before was written, and the value
 */
export function withPoint(
  history: readonly Point[] | undefined,
  before: Point,
  after: Point,
): readonly Point[] {
  const [now] = after;
  // Of several changes at one moment, the last counts.
  const known = (history ?? [before]).filter(([at]) => at < now && now - at <= longestKept);
  return [...known, after].slice(-mostPoints);
}

/** The history up to now: the last value holds until now. */
export function untilNow(history: readonly Point[], now: number, value: number): readonly Point[] {
  const known = history.filter(([at]) => at < now && now - at <= longestKept);
  return [...known.slice(1 - mostPoints), [now, value]];
}

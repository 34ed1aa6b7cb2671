import type { Facts } from './facts.ts';

/** A part of the scope's time. Milliseconds since the epoch, half-open. */
export interface Period {
  readonly start: number;
  readonly end: number;
  readonly opened: number;
  readonly resolved: number;
  readonly exempted: number;
  /** Open at its end. */
  readonly open: number;
}

const mostPeriods = 31;

/**
 * What changed, in periods of equal length, 31 at most; without a range, from the first change that is known. Open ones
 * are counted back from the end, where they are known best.
 */
export function periodsOf({ scope, violations }: Facts): readonly Period[] {
  const { ticks, tick, total } = violations;
  const origin = scope.since ?? 0;
  const end = Math.ceil((scope.until - origin) / tick);
  const first = scope.since === undefined ? Math.min(end, ...ticks.keys()) : 0;
  const perPeriod = Math.max(1, Math.ceil((end - first) / mostPeriods));
  const periods: Period[] = [];
  let open = total.open;
  for (
    let from = first + perPeriod * Math.ceil((end - first) / perPeriod - 1);
    from >= first;
    from -= perPeriod
  ) {
    const sum = { opened: 0, resolved: 0, exempted: 0 };
    for (let at = from; at < from + perPeriod; at += 1) {
      const counted = ticks.get(at);
      if (!counted) continue;
      sum.opened += counted.opened;
      sum.resolved += counted.resolved;
      sum.exempted += counted.exempted;
    }
    periods.unshift({
      start: origin + from * tick,
      end: Math.min(scope.end, origin + (from + perPeriod) * tick),
      ...sum,
      open,
    });
    open -= sum.opened - sum.resolved - sum.exempted;
  }
  return periods;
}

import type { BudgetPeriod } from '../../contract/budgets.ts';

/** A calendar period, UTC. */
export interface Span {
  /** `2026-11`, `2026-Q4`, `2026`. */
  readonly label: string;
  /** ISO days: its first, and the one after its last. */
  readonly start: string;
  readonly end: string;
}

const months: Record<BudgetPeriod, number> = { month: 1, quarter: 3, year: 12 };

/** The period that contains a moment, or one that is so many `before` it. @param at milliseconds since the epoch */
export function spanAt(period: BudgetPeriod, at: number, before = 0): Span {
  const date = new Date(at);
  const length = months[period];
  const index = Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / length) - before;
  const start = dayOf(index * length);
  const year = start.slice(0, 4);
  const label = {
    month: start.slice(0, 7),
    quarter: `${year}-Q${(index % 4) + 1}`,
    year,
  }[period];
  return { label, start, end: dayOf((index + 1) * length) };
}

/** The first day of a month, by months since the year 0. */
const dayOf = (month: number): string =>
  new Date(Date.UTC(Math.floor(month / 12), month % 12)).toISOString().slice(0, 10);

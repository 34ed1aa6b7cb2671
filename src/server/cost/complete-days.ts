import { dayNumber, dayText } from '../../cost/table/days.ts';
import type { StoredPeriod } from './collection.ts';

const msPerDay = 86_400_000;
/** Accounts whose charges end this much earlier than those of others are gone, not late. */
const lateDays = 7;
/** Days before these say nothing about what comes. */
const mostDays = 1_100;

/** ISO days: the first, and the one after the last. */
export interface Days {
  readonly start: string;
  readonly end: string;
}

type Delivered = Pick<
  StoredPeriod,
  'provider' | 'billing_account' | 'period' | 'first_day' | 'last_day' | 'imported_at'
>;

/**
 * The days whose charges are all there, as far as can be known: exports deliver late. A day of a billing account counts once
 * it was imported at least 24 hours after it ended, and there are charges of a later day, or it ends its month. Of
 * several accounts, the one that is latest decides. Days begin after the last month without any charges.
 * @returns undefined: there is none
 */
export function completeDays(periods: readonly Delivered[]): Days | undefined {
  const newest = new Map<string, Delivered>();
  for (const one of periods) {
    const account = JSON.stringify([one.provider, one.billing_account]);
    const known = newest.get(account);
    if (!known || known.period < one.period) newest.set(account, one);
  }
  if (newest.size === 0) return undefined;
  const ends = [...newest.values()].map(endOf);
  const latest = Math.max(...ends);
  const end = Math.min(...ends.filter((one) => one > latest - lateDays));
  const start = Math.max(startOf(periods, end), end - mostDays);
  return start < end ? { start: dayText(start), end: dayText(end) } : undefined;
}

/** The day after the last that counts. */
function endOf({ last_day: last, imported_at: at }: Delivered): number {
  const next = dayNumber(last) + 1;
  const endsMonth = dayText(next).endsWith('-01');
  return Math.min(endsMonth ? next : next - 1, Math.floor(Date.parse(at) / msPerDay) - 1);
}

/** The first day with charges after the last month without. */
function startOf(periods: readonly Delivered[], end: number): number {
  const firsts = new Map<string, string>();
  for (const { period, first_day: first } of periods) {
    const known = firsts.get(period);
    if (known === undefined || first < known) firsts.set(period, first);
  }
  let month = dayText(end - 1).slice(0, 7);
  let start = Infinity;
  for (let first = firsts.get(month); first !== undefined; first = firsts.get(month)) {
    start = dayNumber(first);
    month = dayText(dayNumber(`${month}-01`) - 1).slice(0, 7);
  }
  return start;
}

import type { DateRangeType } from '../contract/schedules.ts';
import { instantOf, wallAt } from './zone.ts';

const hourMs = 3_600_000;

/** Half-open, ISO 8601 UTC. */
export interface DateRange {
  readonly start: string;
  readonly end: string;
}

/**
 * What a relative range means at an instant, in a zone. Days, weeks, months, quarters and years begin at the zone's
 * midnight, or when its clocks have passed over that; a week begins on Monday. `last_7_days` and `last_30_days` begin at
 * the same time of day, so that those of a weekly report meet where the clocks change; `last_24_hours` are 24 hours.
 * What reaches to date at the very start of a period is the period that has just ended: none is empty.
 */
export function dateRangeOf(type: DateRangeType, at: number, timezone: string): DateRange {
  const [start, end] = bounds(type, at, timezone);
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
}

function bounds(type: DateRangeType, at: number, zone: string): readonly [number, number] {
  const { year, month, day, timeOfDay, weekday } = calendarAt(zone, at);
  const quarter = month - (month % 3);
  const monday = day - ((weekday + 6) % 7);
  const midnight = (y: number, m: number, d: number): number => instantOf(zone, Date.UTC(y, m, d));
  const daysAgo = (days: number): number =>
    instantOf(zone, Date.UTC(year, month, day - days) + timeOfDay);
  switch (type) {
    case 'last_24_hours':
      return [at - 24 * hourMs, at];
    case 'last_7_days':
      return [daysAgo(7), at];
    case 'last_30_days':
      return [daysAgo(30), at];
    case 'last_week':
      return [midnight(year, month, monday - 7), midnight(year, month, monday)];
    case 'last_month':
      return [midnight(year, month - 1, 1), midnight(year, month, 1)];
    case 'last_quarter':
      return [midnight(year, quarter - 3, 1), midnight(year, quarter, 1)];
    case 'last_year':
      return [midnight(year - 1, 0, 1), midnight(year, 0, 1)];
    case 'month_to_date':
    case 'quarter_to_date':
    case 'year_to_date':
      return [startOfPeriod(type, at - 1, zone), at];
  }
}

function startOfPeriod(
  type: 'month_to_date' | 'quarter_to_date' | 'year_to_date',
  at: number,
  zone: string,
): number {
  const { year, month } = calendarAt(zone, at);
  const first = { month_to_date: month, quarter_to_date: month - (month % 3), year_to_date: 0 };
  return instantOf(zone, Date.UTC(year, first[type], 1));
}

function calendarAt(zone: string, at: number) {
  const wall = new Date(wallAt(zone, at));
  const [year, month, day] = [wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate()];
  const timeOfDay = wall.getTime() - Date.UTC(year, month, day);
  return { year, month, day, timeOfDay, weekday: wall.getUTCDay() };
}

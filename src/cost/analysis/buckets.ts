import { dayNumber, dayText } from '../table/days.ts';

/** Days since 1970-01-01: from, and up to without. */
export interface DaySpan {
  readonly from: number;
  readonly to: number;
}

/** 1970-01-01 was a Thursday; weeks begin on Monday. */
const mondayOf = (day: number): number => day - ((day + 3) % 7);

/** The days, weeks or months of a span; the first and the last may be cut off by it. */
export function bucketsOf(
  { from, to }: DaySpan,
  granularity: 'day' | 'week' | 'month',
): readonly DaySpan[] {
  const buckets: DaySpan[] = [];
  for (let day = from; day < to;) {
    const end = Math.min(to, nextStart(day, granularity));
    buckets.push({ from: day, to: end });
    day = end;
  }
  return buckets;
}

function nextStart(day: number, granularity: 'day' | 'week' | 'month'): number {
  if (granularity === 'day') return day + 1;
  if (granularity === 'week') return mondayOf(day) + 7;
  const [year = 0, month = 0] = dayText(day).split('-').map(Number);
  const next = month === 12 ? [year + 1, 1] : [year, month + 1];
  return dayNumber(`${next[0]}-${String(next[1]).padStart(2, '0')}-01`);
}

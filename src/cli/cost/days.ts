const msPerDay = 86_400_000;

/** The day of a moment, UTC: `2026-01-31`. @param at milliseconds since the epoch */
export const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Days since the epoch; NaN: it is no day. */
export const daysOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / msPerDay;

export const dayAfter = (day: string): string => dayText((daysOf(day) + 1) * msPerDay);

/** The last day of a period whose end is the day after. */
export const lastDay = (end: string): string => dayText((daysOf(end) - 1) * msPerDay);

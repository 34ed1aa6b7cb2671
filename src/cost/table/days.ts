const msPerDay = 86_400_000;

/** `2026-09-30` → days since 1970-01-01. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / msPerDay;

/** Days since 1970-01-01 → `2026-09-30`. */
export const dayText = (day: number): string => new Date(day * msPerDay).toISOString().slice(0, 10);

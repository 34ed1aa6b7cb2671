import { utcMinute } from '../../contract/utc-time.ts';

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** `2 h 5 min`: two units say enough. */
export function describeAge(seconds: number): string {
  const parts = units.map(([size, unit], at) => {
    const whole = Math.floor(seconds / size);
    const larger = units[at - 1]?.[0];
    return [larger === undefined ? whole : whole % (larger / size), unit] as const;
  });
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

/** Whether there is room for whole times beside ids of 30 characters. */
const isRoomy = (columns: number): boolean => columns >= 140;

/**
 * @param room columns
 * @param whole what heads whole times
 */
export const ageTitle = (room: number, whole = 'CREATED'): string =>
  isRoomy(room) ? whole : 'AGE';

/**
 * Times for a table: whole where there is room, else how far away, in one unit: `5min`, `in 16s`, `now`. One that is not there
 * is a dash.
 * @param now milliseconds since the epoch
 * @param room columns
 */
export const shortTime =
  (now: number, room: number) =>
  (time: string | undefined): string => {
    if (time === undefined || time === '') return '-';
    const seconds = (now - Date.parse(time)) / 1_000;
    if (isRoomy(room) || Number.isNaN(seconds)) return utcMinute(time);
    if (Math.abs(seconds) < 1) return 'now';
    const [size, unit] = units.find(([one]) => Math.abs(seconds) >= one) ?? [1, 's'];
    const amount = `${Math.floor(Math.abs(seconds) / size)}${unit}`;
    return seconds <= -1 ? `in ${amount}` : amount;
  };

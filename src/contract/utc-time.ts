/** A time for people: `2026-11-21 11:55 UTC`. What is no time stays as it is. */
export function utcMinute(time: string): string;
export function utcMinute(time: string | undefined): string | undefined;
export function utcMinute(time: string | undefined): string | undefined {
  return time === undefined ? undefined : utcUpTo('2026-11-21T11:55'.length, time);
}

/** The same with seconds, where one line follows another: `2026-11-21 11:55:03 UTC`. */
export const utcSecond = (time: string): string => utcUpTo('2026-11-21T11:55:03'.length, time);

function utcUpTo(length: number, time: string): string {
  const at = Date.parse(time);
  return Number.isNaN(at)
    ? time
    : `${new Date(at).toISOString().slice(0, length).replace('T', ' ')} UTC`;
}

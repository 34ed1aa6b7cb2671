import { durationForms, parseDuration } from '../../contract/duration.ts';
import { GovctlError } from '../../contract/errors.ts';

/**
 * A moment on the command line, as the API takes it: `2026-01-31`, `2026-01-31T09:30:00Z` (an offset, too), or so long
 * ago: `30m`, `2h`, `7d`.
 * @param now milliseconds since the epoch
 * @throws GovctlError usage_error
 */
export function parseMoment(flag: string, text: string, now: number): string {
  const ago = parseDuration(text);
  const at = ago === undefined ? momentOf(text) : now - ago;
  if (at !== undefined && Math.abs(at) <= latest) return new Date(at).toISOString();
  throw new GovctlError('usage_error', `${flag} ${text}: must be a date or a time`, {
    hint: `Use a date, a time such as 2026-01-31T09:30:00Z, or a relative time, ${durationForms}.`,
  });
}

/**
 * When something ends: a lifetime from now (`90d`), a date, a time; null: never.
 * @param now milliseconds since the epoch
 * @throws GovctlError usage_error
 */
export function parseExpiry(flag: string, text: string, now: number): string | null {
  if (text === 'never') return null;
  const lifetime = parseDuration(text);
  const at = lifetime === undefined ? momentOf(text) : now + lifetime;
  if (at !== undefined && Math.abs(at) <= latest) return new Date(at).toISOString();
  throw new GovctlError('usage_error', `${flag} ${text}: must be a lifetime, a date or a time`, {
    hint: 'Use a lifetime such as 90d, a date, a time such as 2026-01-31T09:30:00Z, or never.',
  });
}

/**
 * Milliseconds since the epoch of a date or a time; undefined where it is none. Without an offset, a time would be another
 * one on each machine; a date alone is UTC.
 */
export function momentOf(text: string): number | undefined {
  const [, date] = form.exec(text) ?? [];
  // February 30 would be read as March 2.
  const exists =
    date !== undefined && new Date(`${date}T00:00Z`).getUTCDate() === Number(date.slice(8));
  const at = exists ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

const form = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;
/** The end of year 9999. */
const latest = 253_402_300_799_999;

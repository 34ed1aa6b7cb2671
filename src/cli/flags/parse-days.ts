import { GovctlError } from '../../contract/errors.ts';

/** Days. */
const longest = 365;

/** @throws GovctlError usage_error */
export function parseDays(flag: string, text: string): number {
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= longest) return days;
  throw new GovctlError('usage_error', `${flag} ${text}: must be a number of days`, {
    hint: `Use a whole number from 1 to ${longest}.`,
  });
}

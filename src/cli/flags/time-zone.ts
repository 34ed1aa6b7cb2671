import { GovctlError } from '../../contract/errors.ts';
import { nearestWord } from '../../contract/nearest.ts';
import { TimeZone } from '../../contract/time-zone.ts';

/** The name of a time zone, with the nearest one where it is none. @throws GovctlError usage_error */
export function parseTimeZone(text: string): string {
  if (TimeZone.safeParse(text).success) return text;
  const nearest = nearestWord(text, Intl.supportedValuesOf('timeZone'));
  throw new GovctlError('usage_error', `--timezone ${text}: unknown time zone`, {
    hint: nearest ? `Did you mean ${nearest}?` : 'Use a name such as Europe/Berlin or UTC.',
  });
}

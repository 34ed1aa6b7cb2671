import { longestOverlap } from '../../contract/api-keys.ts';
import { durationForms, parseDuration } from '../../contract/duration.ts';
import { GovctlError } from '../../contract/errors.ts';

export const overlapHelp = 'how long the old secret stays valid, up to 30d; 0s revokes it now';

/** Seconds. @throws GovctlError usage_error */
export function parseOverlap(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) {
    const seconds = Math.ceil(ms / 1_000);
    if (seconds <= longestOverlap) return seconds;
    throw new GovctlError('usage_error', `--overlap ${text}: the maximum is 30d`);
  }
  throw new GovctlError('usage_error', `--overlap ${text}: must be a duration`, {
    hint: `Use a duration, ${durationForms}.`,
  });
}

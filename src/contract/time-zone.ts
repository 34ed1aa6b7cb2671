import * as z from 'zod';

export const TimeZone = z.string().max(64, { abort: true }).refine(isTimeZone, {
  message: 'must be a time zone name, such as Europe/Berlin or UTC',
});

/** Names that were found to be zones: asking takes 0.4 ms. */
const known = new Set<string>();

function isTimeZone(name: string): boolean {
  if (known.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return false;
  }
  // There are some hundreds, but each can be written in upper and lower case.
  if (known.size >= 1_000) known.clear();
  known.add(name);
  return true;
}

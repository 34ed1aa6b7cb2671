import * as z from 'zod';

export const TimeZone = z.string().max(64, { abort: true }).refine(isTimeZone, {
  message: 'must be the name of a time zone, such as Europe/Berlin or UTC',
});

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

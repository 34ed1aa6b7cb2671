import { wallAt } from './zone.ts';

/** The date that a zone's calendars show: `2026-11-23`. */
export const localDate = (at: number, timezone: string): string =>
  new Date(wallAt(timezone, at)).toISOString().slice(0, 10);

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** As people say it: `Mon 23 Nov 2026 09:00 Europe/Berlin`. */
export function sayTime(at: number, timezone: string): string {
  const wall = new Date(wallAt(timezone, at));
  const [day, month] = [days[wall.getUTCDay()], months[wall.getUTCMonth()]];
  const time = wall.toISOString().slice(11, 16);
  return `${day ?? ''} ${wall.getUTCDate()} ${month ?? ''} ${wall.getUTCFullYear()} ${time} ${timezone}`;
}

/** A valid cron in words: `At 09:00, Monday through Friday`. */
export async function describeCron(cron: string): Promise<string> {
  const { default: cronstrue } = await import('cronstrue');
  const say = (expression: string): string =>
    cronstrue.toString(expression, { use24HourTimeFormat: true });
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
  const restricted = (field: string): boolean => field !== '*' && field !== '*/1';
  if (!restricted(day) || !restricted(weekday)) return say(cron);
  const second = say(`${minute} ${hour} * ${month} ${weekday}`);
  return `${say(`${minute} ${hour} ${day} ${month} *`)}; and ${second.charAt(0).toLowerCase()}${second.slice(1)}`;
}

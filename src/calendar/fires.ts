import { Cron } from 'croner';
import { readCron } from '../contract/cron.ts';
import type { CronField, CronFields } from '../contract/cron.ts';
import { nextChange, offsetAt, wallAt } from './zone.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** No zone has turned its clocks back by more. */
const longestRepeat = dayMs;

/** The first instant after `after` (exclusive) at which a cron fires; undefined where it never does. Milliseconds. */
export const nextFire = (cron: string, timezone: string, after: number): number | undefined =>
  nextFires(cron, timezone, after, 1)[0];

/**
 * The next `count` instants after `after` (exclusive) at which a five-field cron fires in an IANA zone, ascending;
 * none where the cron is not valid or never fires. A time that the clocks pass over fires when they have; one that they
 * show twice fires once, the first time, unless minute or hour begin with a star: such a cron follows the clock.
 */
export function nextFires(
  cron: string,
  timezone: string,
  after: number,
  count: number,
): readonly number[] {
  const read = readCron(cron);
  if (!read.ok) return [];
  const found: number[] = [];
  for (const fire of firesOf(read.value, timezone, after)) {
    if (found.length >= count) break;
    found.push(fire);
  }
  return found;
}

/** The latest fire that is not after `upTo`, of those from `first` on, which is one itself. */
export function lastFire(cron: string, timezone: string, first: number, upTo: number): number {
  let [latest, end] = [first, upTo];
  while (end - latest >= minuteMs) {
    const middle = Math.floor((latest + end) / 2);
    const next = nextFire(cron, timezone, middle);
    if (next !== undefined && next <= upTo) latest = next;
    else end = middle;
  }
  return latest;
}

function* firesOf(fields: CronFields, zone: string, after: number): Generator<number> {
  const pattern = new Cron(plainPattern(fields), { timezone: 'UTC', mode: '5-part' });
  const follows = fields.minute.starred || fields.hour.starred;
  let at = after;
  let wall = follows ? wallAt(zone, at) : Math.max(wallAt(zone, at), latestWallBefore(zone, at));
  for (;;) {
    const match = pattern.nextRun(new Date(wall))?.getTime();
    if (match === undefined) return;
    const offset = offsetAt(zone, at);
    const change = nextChange(zone, at, match - offset);
    if (change === undefined) {
      at = match - offset;
      wall = match;
      yield at;
      continue;
    }
    // The match lies beyond a change of the clocks, which went from `left` to `entered`.
    const left = change + offset;
    const entered = wallAt(zone, change);
    at = change;
    if (left <= match && match < entered) {
      wall = entered;
      yield change;
    } else {
      wall = (follows ? entered : Math.max(entered, left)) - 1;
    }
  }
}

/** The latest that the zone's clocks have shown by `at`: more than they show where they were turned back just before. */
function latestWallBefore(zone: string, at: number): number {
  let latest = wallAt(zone, at);
  for (let from = at - longestRepeat; ;) {
    const change = nextChange(zone, from, at);
    if (change === undefined) return latest;
    latest = Math.max(latest, change + offsetAt(zone, from) - 1);
    from = change;
  }
}

/** In numbers only: names, `5/15` and ranges that end on Sunday are read in one place, by the contract. */
const plainPattern = (fields: CronFields): string =>
  [fields.minute, fields.hour, fields.dayOfMonth, fields.month, fields.dayOfWeek]
    .map((field: CronField) => (field.all ? '*' : field.values.join(',')))
    .join(' ');

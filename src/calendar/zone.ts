const dayMs = 86_400_000;

/** Making one costs more than a hundred uses. Zones can be written in upper and lower case, so there are many names. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formats.size >= 1_000) formats.clear();
  formats.set(zone, made);
  return made;
}

/**
 * What a clock on the wall of a zone shows at an instant, as milliseconds: those of the same date and time in UTC. Such
 * wall times are what calendars are calculated with here.
 */
export function wallAt(zone: string, at: number): number {
  if (zone === 'UTC') return at;
  const [month, day, year, hour, minute, second] = (
    formatOf(zone).format(at).match(/\d+/g) ?? []
  ).map(Number);
  const wall = new Date(0);
  wall.setUTCFullYear(year ?? 0, (month ?? 1) - 1, day);
  wall.setUTCHours(hour ?? 0, minute, second, ((at % 1_000) + 1_000) % 1_000);
  return wall.getTime();
}

/** Milliseconds that the zone's clocks are ahead of UTC. */
export const offsetAt = (zone: string, at: number): number => wallAt(zone, at) - at;

/** The first instant after `from`, up to and with `to`, at which the zone's clocks are changed. */
export function nextChange(zone: string, from: number, to: number): number | undefined {
  if (zone === 'UTC') return undefined;
  const offset = offsetAt(zone, from);
  // Two changes within a day that cancel out have never been.
  for (let low = from; low < to; low += dayMs) {
    const high = Math.min(low + dayMs, to);
    if (offsetAt(zone, high) !== offset) return firstWithout(zone, offset, low, high);
  }
  return undefined;
}

function firstWithout(zone: string, offset: number, low: number, high: number): number {
  let [before, after] = [low, high];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(zone, middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * The instant at which a wall time is shown: the first where it is shown twice, and that of the change where the clocks
 * pass over it.
 */
export function instantOf(zone: string, wall: number): number {
  const before = wall - offsetAt(zone, wall - dayMs);
  if (wallAt(zone, before) === wall) return before;
  const after = wall - offsetAt(zone, wall + dayMs);
  if (wallAt(zone, after) === wall) return after;
  return nextChange(zone, wall - dayMs, wall + dayMs) ?? after;
}

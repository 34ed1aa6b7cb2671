// Cron told slowly, from nothing but what a zone's clocks show at every minute.

const minuteMs = 60_000;

const words: Readonly<Record<string, number>> = Object.fromEntries([
  ...'sun mon tue wed thu fri sat'.split(' ').map((word, index) => [word, index] as const),
  ...'jan feb mar apr may jun jul aug sep oct nov dec'
    .split(' ')
    .map((word, index) => [word, index + 1] as const),
]);

const number = (text: string): number => words[text.toLowerCase()] ?? Number(text);

function matches(text: string, value: number, high: number): boolean {
  return text.split(',').some((item) => {
    const [range = '', step = '1'] = item.split('/');
    const [from = '', to] = range.split('-');
    const low = range === '*' ? (high === 31 || high === 12 ? 1 : 0) : number(from);
    let end = range === '*' ? high : low;
    if (to !== undefined) end = number(to);
    else if (item.includes('/')) end = high;
    return value >= low && value <= end && (value - low) % Number(step) === 0;
  });
}

/** `wall` in milliseconds, as if it were UTC. */
function isDue(cron: string, wall: number): boolean {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron
    .replaceAll(/\*\/1(?= |$)/g, '*')
    .split(' ');
  const at = new Date(wall);
  const byDay = matches(day, at.getUTCDate(), 31);
  const sunday = at.getUTCDay() === 0;
  const byWeekday =
    matches(weekday, at.getUTCDay(), 6) || (sunday && weekday !== '*' && matches(weekday, 7, 6));
  const either = day !== '*' && weekday !== '*' ? byDay || byWeekday : byDay && byWeekday;
  return (
    matches(minute, at.getUTCMinutes(), 59) &&
    matches(hour, at.getUTCHours(), 23) &&
    matches(month, at.getUTCMonth() + 1, 12) &&
    either
  );
}

function clockOf(zone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (at) => Date.parse(`${format.format(at).replace(' ', 'T')}Z`);
}

/** All fires in (from, to], both whole minutes. */
export function slowFires(cron: string, zone: string, from: number, to: number): number[] {
  const clock = clockOf(zone);
  const followsTheClock = /^\*|^\S+ \*/.test(cron);
  const fires: number[] = [];
  const before = from - 1_500 * minuteMs;
  let latest = clock(before);
  for (let at = before + minuteMs; at <= to; at += minuteMs) {
    const wall = clock(at);
    let due = isDue(cron, wall) && (followsTheClock || wall > latest);
    for (let skipped = latest + minuteMs; skipped < wall; skipped += minuteMs) {
      due ||= isDue(cron, skipped);
    }
    // The clock's own last step says whether it jumped, not the latest that it has ever shown.
    latest = Math.max(latest, wall);
    if (due && at > from) fires.push(at);
  }
  return fires;
}

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const short = /^(?:\d{1,12}(?:\.\d{1,3})?(?:ms|[smhdw]))+$/;
const iso =
  /^P(?=.)(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d{1,3})?)S)?)?$/;

/** What `parseDuration` takes, for messages. */
export const durationForms = 'such as 30s, 5m, 2h, 1d, 1w, 1h30m or PT2H';

/**
 * Milliseconds of `500ms`, `30s`, `5m`, `2h`, `1d`, `1w`, several of them in a row, or an ISO 8601 duration without
 * years and months, which have no fixed length. Undefined: it is none.
 */
export function parseDuration(text: string): number | undefined {
  if (text.length > 64) return undefined;
  const parts = short.test(text)
    ? [...text.matchAll(/([\d.]+)(ms|[smhdw])/g)].map(([, number, unit = '']) => [number, unit])
    : (iso.exec(text)?.slice(1) ?? []).map((number, at) => [number, 'wdhms'[at] ?? '']);
  if (parts.length === 0) return undefined;
  const ms = parts.reduce(
    (sum, [number, unit = '']) => sum + Number(number ?? 0) * (units[unit] ?? 0),
    0,
  );
  return Math.round(ms);
}

const shownUnits = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `+1d1h`, `-1m30s`, `+0.5s`: how far a clock is moved, in two units at most, rounded where it is over an hour. */
export function describeOffset(ms: number): string {
  const sign = ms < 0 ? '-' : '+';
  const far = Math.abs(ms);
  if (far < 1_000) return `${sign}${far / 1_000}s`;
  const unit = far < 3_600_000 ? 1_000 : 60_000;
  let left = Math.round(far / unit) * unit;
  const parts: string[] = [];
  for (const [name, length] of shownUnits) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count}${name}`);
    // What is smaller than the unit behind the first does not matter.
    if (parts.length === 2 || (parts.length === 1 && count === 0)) break;
  }
  return sign + parts.join('');
}

/** `1 policy`, `2 policies`. */
export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${number(amount)} ${amount === 1 ? one : many}`;

/** With commas, whatever the machine's language. */
export const number = (amount: number): string =>
  String(amount).replace(/^\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','));

/** As `count`, but that none is `no policies`. */
export const countOrNo = (amount: number, one: string, many = `${one}s`): string =>
  amount === 0 ? `no ${many}` : count(amount, one, many);

/** With a capital letter. */
export const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** A name of the API, such as `date_certain`, as a label. */
export const asLabel = (name: string): string => sentence(name.replaceAll('_', ' '));

/** `once`, `2 times`, `0 times`. */
export const times = (amount: number): string => (amount === 1 ? 'once' : count(amount, 'time'));

/** `was` or `were`, of a number of things. */
export const were = (amount: number): string => (amount === 1 ? 'was' : 'were');

/** `is` or `are`, of a number of things. */
export const are = (amount: number): string => (amount === 1 ? 'is' : 'are');

/** `a`, `a and b`, `a, b and c`. */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** The first of a list, and how many more there are. */
export const firstOf = (words: readonly string[], most: number): string =>
  words.length <= most
    ? words.join(', ')
    : `${words.slice(0, most).join(', ')} and ${number(words.length - most)} more`;

export const scoreText = (score: number | null): string =>
  score === null ? 'unknown' : `${score}%`;

/** Two decimals at most. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;

const units = [
  [24 * 3_600_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** A length of time in its largest unit, with one decimal: `1 day`, `2.5 hours`. @param ms milliseconds */
export function lasting(ms: number): string {
  const [size, unit] = units.find(([each]) => ms >= each) ?? units[3];
  return count(Math.round((ms / size) * 10) / 10, unit);
}

/** A moment to the minute, in a zone that is named: `2026-03-01 12:00 UTC`. @param ms since the epoch */
export function moment(ms: number, timezone = 'UTC'): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(ms);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((one) => one.type === type)?.value ?? '';
  const day = `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
  return `${day} ${part('hour')}:${part('minute')} ${timezone}`;
}

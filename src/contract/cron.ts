import { nearestWord } from './nearest.ts';

interface FieldSpec {
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** Words for values, from `low` upwards. */
  readonly words?: readonly string[];
}

/** One field as read. */
export interface CronField {
  /** `*`, which restricts nothing. */
  readonly all: boolean;
  /** Begins with a star, as in `*` and `*` with a step. */
  readonly starred: boolean;
  /** Ascending; Sunday is 0. */
  readonly values: readonly number[];
}

export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  readonly dayOfWeek: CronField;
}

type Read<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: string };

const monthWords = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const dayWords = 'sun mon tue wed thu fri sat'.split(' ');

const specs = {
  minute: { name: 'minute', low: 0, high: 59 },
  hour: { name: 'hour', low: 0, high: 23 },
  dayOfMonth: { name: 'day of month', low: 1, high: 31 },
  month: { name: 'month', low: 1, high: 12, words: monthWords },
  dayOfWeek: { name: 'day of week', low: 0, high: 7, words: dayWords },
} as const satisfies Record<keyof CronFields, FieldSpec>;

/** What other programs take for five fields. */
const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
  '@every_minute': '* * * * *',
};

/** Why a text is no five-field cron expression, or one that never fires; undefined where it is one that does. */
export function cronFault(expression: string): string | undefined {
  const read = readCron(expression);
  return read.ok ? undefined : read.fault;
}

/** The values of the five fields; a fault where the text is no cron expression or never fires. */
export function readCron(expression: string): Read<CronFields> {
  const parts = expression.trim().split(/\s+/);
  const shape = shapeFault(parts);
  if (shape !== undefined) return { ok: false, fault: shape };
  const [minute = '', hour = '', dayOfMonth = '', month = '', dayOfWeek = ''] = parts;
  const texts = { minute, hour, dayOfMonth, month, dayOfWeek };
  const fields: Partial<Record<keyof CronFields, CronField>> = {};
  for (const key of fieldKeys) {
    const read = readField(texts[key], specs[key]);
    if (!read.ok) return read;
    fields[key] = read.value;
  }
  // Each key of the table was read above.
  const cron = fields as CronFields;
  const never = neverFires(cron);
  return never === undefined ? { ok: true, value: cron } : { ok: false, fault: never };
}

// Object.keys is typed as strings; the table has these keys and no others.
const fieldKeys = Object.keys(specs) as (keyof CronFields)[];

function shapeFault(parts: readonly string[]): string | undefined {
  const [first = ''] = parts;
  if (first.startsWith('@')) {
    const fields = Object.hasOwn(macros, first.toLowerCase()) && macros[first.toLowerCase()];
    return `is "${first}"; schedule names are not supported; use ${fields ? fields : 'five fields'}`;
  }
  if (/^(CRON_)?TZ=/i.test(first)) return 'contains a time zone; set timezone instead';
  if (parts.length === 6)
    return 'has six fields; seconds are not supported, so use only the last five';
  if (parts.length !== 5) {
    const count = first === '' ? 0 : parts.length;
    return `must be a cron expression of five fields (minute hour day-of-month month day-of-week), but has ${count}`;
  }
  return undefined;
}

function readField(text: string, spec: FieldSpec): Read<CronField> {
  const values = new Set<number>();
  let all = false;
  for (const item of text.split(',')) {
    const read = readItem(item, spec);
    if (!read.ok) return { ok: false, fault: `has "${text}" as its ${spec.name}; ${read.fault}` };
    const { from, to, step } = read.value;
    for (let value = from; value <= to; value += step) values.add(isWeek(spec) ? value % 7 : value);
    all ||= item === '*' || item === '*/1';
  }
  return {
    ok: true,
    value: { all, starred: text.startsWith('*'), values: [...values].sort((a, b) => a - b) },
  };
}

interface Item {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** One item of a list: `5`, `1-5`, `*`, each with a step or without; `5/15` goes on to the field's end. */
function readItem(item: string, spec: FieldSpec): Read<Item> {
  const [range = '', stepText, ...more] = item.split('/');
  const isStep = stepText === undefined || (/^\d{1,3}$/.test(stepText) && isWithin(stepText, spec));
  if (more.length > 0 || !isStep) return { ok: false, fault: allowed(spec) };
  const step = Number(stepText ?? 1);
  if (range === '*') return { ok: true, value: { from: spec.low, to: lastOf(spec), step } };
  const [fromText = '', toText, ...rest] = range.split('-');
  const from = valueOf(fromText, spec);
  if (from === undefined || rest.length > 0) return itemFault(item, fromText, spec);
  if (toText === undefined) {
    const to = stepText === undefined ? from : Math.max(from, lastOf(spec));
    return { ok: true, value: { from, to, step } };
  }
  const to = valueOf(toText, spec);
  if (to === undefined) return itemFault(item, toText, spec);
  // As the end of a range, Sunday comes after Saturday.
  const end = isWeek(spec) && to === 0 && from > 0 ? 7 : to;
  if (end < from) return { ok: false, fault: backwards(fromText, toText, spec) };
  return { ok: true, value: { from, to: end, step } };
}

/** Sunday is both 0 and 7. */
const isWeek = ({ high }: FieldSpec): boolean => high === 7;
const lastOf = (spec: FieldSpec): number => (isWeek(spec) ? 6 : spec.high);

const isWithin = (step: string, { high }: FieldSpec): boolean =>
  Number(step) >= 1 && Number(step) <= high;

function itemFault(item: string, word: string, spec: FieldSpec): Read<Item> {
  if (item === '?') return { ok: false, fault: '? is not supported; use *' };
  if (/#|^(L|W|LW|L-\d+W?|\d+[LW]|[a-z]{3}L)$/i.test(item)) {
    return { ok: false, fault: 'L, W and # are not supported' };
  }
  const meant = /^[a-z]{2,10}$/i.test(word) ? nearestWord(word, spec.words ?? []) : undefined;
  return { ok: false, fault: meant === undefined ? allowed(spec) : `did you mean ${meant}?` };
}

const allowed = ({ low, high, words }: FieldSpec): string =>
  `use ${low}-${high}${words ? `, ${words[0] ?? ''}-${words.at(-1) ?? ''}` : ''}, lists, ranges and steps such as */5`;

function backwards(from: string, to: string, spec: FieldSpec): string {
  const part = (start: string, end: string): string => (start === end ? start : `${start}-${end}`);
  const parts = [part(String(spec.low), to)];
  if (from !== '7' || !isWeek(spec)) parts.unshift(part(from, String(lastOf(spec))));
  return `a range must not start after its end; use ${parts.join(',')}`;
}

function valueOf(text: string, { low, high, words }: FieldSpec): number | undefined {
  const word = words?.indexOf(text.toLowerCase()) ?? -1;
  if (word >= 0) return low + word;
  if (!/^\d{1,2}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= low && value <= high ? value : undefined;
}

const monthNames =
  'January February March April May June July August September October November December'.split(
    ' ',
  );
const longest = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** With a day of the week beside it, a day of the month that never comes does no harm: either will do. */
function neverFires({ dayOfMonth, month, dayOfWeek }: CronFields): string | undefined {
  const day = dayOfMonth.values[0] ?? 1;
  if (dayOfMonth.all || !dayOfWeek.all) return undefined;
  if (month.values.some((value) => day <= (longest[value - 1] ?? 31))) return undefined;
  const names = month.values.map((value) => monthNames[value - 1] ?? '');
  const list =
    names.length > 1
      ? `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
      : (names[0] ?? '');
  return `never runs: ${list} ${names.length > 1 ? 'have' : 'has'} no day ${day}`;
}

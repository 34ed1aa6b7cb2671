import { spend, spendOnEach } from './budget.ts';
import { prices } from './prices.ts';
import { Duration, mismatch, Timestamp, typeError } from './values.ts';
import type { Failure } from './values.ts';

const nanosPerSecond = 1_000_000_000;
const secondsPerDay = 86_400;

// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, as protobuf's timestamps have it.
const minTimestamp = -62_135_596_800;
const maxTimestamp = 253_402_300_799;
// Some 292 years: what 64 bits of nanoseconds hold, as CEL has it.
const maxDuration = 9_223_372_036;
const maxDurationNanos = 854_775_807;

export function makeDuration(seconds: number, nanos: number): Duration | Failure {
  const carry = Math.floor(nanos / nanosPerSecond);
  const whole = seconds + carry;
  const rest = nanos - carry * nanosPerSecond;
  const isOver = whole > maxDuration || (whole === maxDuration && rest > maxDurationNanos);
  if (isOver || whole < -maxDuration) return typeError('the duration exceeds 292 years');
  return new Duration(whole, rest);
}

export function makeTimestamp(seconds: number, nanos: number): Timestamp | Failure {
  const carry = Math.floor(nanos / nanosPerSecond);
  const whole = seconds + carry;
  if (!(whole >= minTimestamp && whole <= maxTimestamp)) {
    return typeError('the timestamp is not within the years 1 to 9999');
  }
  return new Timestamp(whole, nanos - carry * nanosPerSecond);
}

export const addTime = (from: Timestamp, seconds: number, nanos: number): Timestamp | Failure =>
  makeTimestamp(from.seconds + seconds, from.nanos + nanos);

export function timestampOfMillis(millis: number): Timestamp {
  const seconds = Math.floor(millis / 1_000);
  return new Timestamp(seconds, Math.round((millis - seconds * 1_000) * 1_000_000));
}

/** Two digits at a place of a text; NaN where they are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? isLeap(year)
      ? 29
      : 28
    : month === 4 || month === 6 || month === 9 || month === 11
      ? 30
      : 31;

/** Days since the epoch of a day in the proleptic Gregorian calendar. */
function dayNumber(year: number, month: number, day: number): number {
  const before = year - 1;
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const inYear = (daysBeforeMonth[month - 1] ?? 0) + (month > 2 && isLeap(year) ? 1 : 0) + day - 1;
  // 719,162 days from 0001-01-01 to 1970-01-01.
  return before * 365 + leaps + inYear - 719_162;
}

// What a text is may be a secret of the document: messages tell what it should be.
const notTimestamp = (): Failure =>
  typeError('the string is not a timestamp such as 2026-01-31T09:30:00Z (RFC 3339)');

/** Digits of a fraction are cut after nine; nobody writes many more. */
const longestTimestamp = 100;

/** Policies ask one resource for the same date, one after another. */
let last: { readonly text: string; readonly read: Timestamp } | undefined;

/** An RFC 3339 text. By hand, as ages are asked of every resource: `Date.parse` takes other forms too, and no nanoseconds. */
export function parseTimestamp(text: string): Timestamp | Failure {
  spend(prices.conversion);
  if (text.length > longestTimestamp) return notTimestamp();
  spendOnEach(text.length);
  if (last?.text === text) return last.read;
  const read = readTimestamp(text);
  if (read instanceof Timestamp) last = { text, read };
  return read;
}

function readTimestamp(text: string): Timestamp | Failure {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  const isInRange =
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58 &&
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysInMonth(year, month) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59;
  if (!isInRange) return notTimestamp();
  let at = 19;
  let nanos = 0;
  if (text.charCodeAt(at) === 46) {
    let digits = 0;
    let code = text.charCodeAt(++at) - 48;
    for (; code >= 0 && code <= 9; code = text.charCodeAt(++at) - 48) {
      // What is finer than a nanosecond is cut.
      if (digits++ < 9) nanos = nanos * 10 + code;
    }
    if (digits === 0) return notTimestamp();
    for (; digits < 9; digits++) nanos *= 10;
  }
  const offset = parseOffset(text, at);
  if (offset === undefined) return notTimestamp();
  const seconds =
    dayNumber(year, month, day) * secondsPerDay + hour * 3_600 + minute * 60 + second - offset;
  return makeTimestamp(seconds, nanos);
}

/** Seconds of `Z` or `±hh:mm` at the end of a text. */
function parseOffset(text: string, at: number): number | undefined {
  const sign = text.charCodeAt(at);
  if (sign === 90 && text.length === at + 1) return 0;
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  const isOffset =
    (sign === 43 || sign === 45) &&
    text.length === at + 6 &&
    text.charCodeAt(at + 3) === 58 &&
    hours <= 23 &&
    minutes <= 59;
  return isOffset ? (sign === 45 ? -1 : 1) * (hours * 3_600 + minutes * 60) : undefined;
}

const nanosPerUnit: ReadonlyMap<string, bigint> = new Map([
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
  ['s', 1_000_000_000n],
  ['ms', 1_000_000n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ns', 1n],
]);

/** Longer texts are no durations people write; big numbers are slow to read. */
const longestDuration = 100;

/** Go's form: signed, numbers with a unit each: `1h30m`, `-1.5s`. */
export function parseDuration(text: string): Duration | Failure {
  const failure = () => typeError('the string is not a duration such as 36h or 1h30m');
  if (text.length > longestDuration) return failure();
  spend(prices.duration + text.length);
  const sign = text.startsWith('-') ? -1n : 1n;
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  if (unsigned === '0') return new Duration(0, 0);
  let total = 0n;
  let read = 0;
  for (const [part, whole = '', fraction = '', unit = ''] of unsigned.matchAll(
    /(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|μs|ns)/gy,
  )) {
    const nanos = nanosPerUnit.get(unit);
    if (nanos === undefined || (whole === '' && fraction === '')) return failure();
    total += BigInt(whole || '0') * nanos;
    total += (BigInt(fraction || '0') * nanos) / 10n ** BigInt(fraction.length);
    read += part.length;
  }
  if (read === 0 || read !== unsigned.length) return failure();
  const signed = sign * total;
  const rest = ((signed % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  return makeDuration(Number((signed - rest) / 1_000_000_000n), Number(rest));
}

const fraction = (nanos: number): string =>
  nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;

export function formatDuration({ seconds, nanos }: Duration): string {
  if (seconds >= 0 || nanos === 0) return `${seconds}${fraction(nanos)}s`;
  const whole = -seconds - 1;
  return `-${whole}${fraction(nanosPerSecond - nanos)}s`;
}

/** RFC 3339 in UTC, with the fraction in groups of three digits as protobuf prints it. */
export function formatTimestamp({ seconds, nanos }: Timestamp): string {
  const digits = String(nanos).padStart(9, '0');
  const kept = nanos === 0 ? 0 : nanos % 1_000_000 === 0 ? 3 : nanos % 1_000 === 0 ? 6 : 9;
  const start = new Date(seconds * 1_000).toISOString().slice(0, 19);
  return `${start}${kept === 0 ? '' : `.${digits.slice(0, kept)}`}Z`;
}

/**
 * Formatters are dear to make, and made once for each zone: there are some 600 names, in whatever case they are written.
 * What one takes to make is no part of an evaluation's steps, as only the first in a process would pay it.
 */
const zones = new Map<string, Intl.DateTimeFormat>();
const longestZone = 100;

function zoneFormat(name: string): Intl.DateTimeFormat | undefined {
  const zone = name.toLowerCase();
  const known = zones.get(zone);
  if (known) return known;
  // Some versions of Intl know offsets in more forms than conditions do.
  if (!/^[a-z]/.test(zone)) return undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    zones.set(zone, format);
    return format;
  } catch {
    // Intl says by a RangeError that there is no such zone; the caller says it with the zone's name.
    return undefined;
  }
}

/** Seconds since the epoch as a clock in the zone would show them in UTC. */
function localSeconds(at: Timestamp, zone: string): number | Failure {
  if (zone === 'UTC' || zone === '') return at.seconds;
  const isShort = zone.length <= longestZone;
  // A long text is not even copied.
  const signed = isShort && /^\d/.test(zone) ? `+${zone}` : zone;
  const offset = /^[+-]/.test(signed) ? parseOffset(signed, 0) : undefined;
  if (offset !== undefined) return at.seconds + offset;
  spend(prices.namedZone);
  const format = isShort ? zoneFormat(zone) : undefined;
  if (!format) {
    spend(prices.unknownZone);
    return typeError('the string is not a time zone such as Europe/Berlin or +02:00');
  }
  const parts = new Map<string, string>();
  for (const { type, value } of format.formatToParts(at.seconds * 1_000)) parts.set(type, value);
  const field = (name: string) => Number(parts.get(name));
  const era = parts.get('era') ?? '';
  const year = era.startsWith('B') ? 1 - field('year') : field('year');
  return (
    dayNumber(year, field('month'), field('day')) * secondsPerDay +
    field('hour') * 3_600 +
    field('minute') * 60 +
    field('second')
  );
}

type Field = (local: Date, seconds: number) => number;

const startOfYear = (local: Date): number => dayNumber(local.getUTCFullYear(), 1, 1);

const fields: Readonly<Record<string, Field>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDate: (local) => local.getUTCDate(),
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDayOfWeek: (local) => local.getUTCDay(),
  getDayOfYear: (local, seconds) => Math.floor(seconds / secondsPerDay) - startOfYear(local),
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
};

const secondsPerUnit: Readonly<Record<string, number>> = {
  getHours: 3_600,
  getMinutes: 60,
  getSeconds: 1,
};

/** Of a duration the whole hours, minutes or seconds of all of it; milliseconds are those of its fraction. */
function durationField(name: string, { seconds, nanos }: Duration): bigint | undefined {
  const isNegative = seconds < 0 && nanos > 0;
  const whole = isNegative ? seconds + 1 : seconds;
  if (name === 'getMilliseconds') {
    return BigInt(Math.trunc((isNegative ? nanos - nanosPerSecond : nanos) / 1_000_000));
  }
  const unit = secondsPerUnit[name];
  return unit === undefined ? undefined : BigInt(Math.trunc(whole / unit));
}

/** `getFullYear(zone)` and its like. */
export function timeField(name: string): (at: unknown, zone?: unknown) => unknown {
  const field = fields[name];
  return (at, zone = 'UTC') => {
    if (typeof zone !== 'string') return mismatch(name, at, zone);
    spend(prices.timeField);
    if (at instanceof Duration) return durationField(name, at) ?? mismatch(name, at);
    if (!(at instanceof Timestamp)) return mismatch(name, at, zone);
    const local = localSeconds(at, zone);
    if (typeof local !== 'number') return local;
    if (!field) return BigInt(Math.floor(at.nanos / 1_000_000));
    return BigInt(field(new Date(local * 1_000), local));
  };
}

export const timeFields: readonly string[] = [...Object.keys(fields), 'getMilliseconds'];

import { UnknownValue } from '../../contract/resources.ts';
import { formatDouble, toText } from './convert.ts';
import { maxLength, tooLong } from './arithmetic.ts';
import { spend, spendOnEach } from './budget.ts';
import { entryOf, isMap, keysOf } from './compare.ts';
import { prices } from './prices.ts';
import {
  Duration,
  Failure,
  mismatch,
  Timestamp,
  typeError,
  typeName,
  TypeValue,
  Uint,
} from './values.ts';

/** `text.format(args)`: `%s %d %f %e %x %X %o %b %%`, with a precision such as `%.3f`. */
export function format(text: unknown, args: unknown): unknown {
  if (typeof text !== 'string' || !Array.isArray(args)) return mismatch('format', text, args);
  spend(prices.textFunction);
  spendOnEach(text.length);
  const parts: string[] = [];
  let length = 0;
  let next = 0;
  let at = 0;
  for (const clause of text.matchAll(/%(?:%|(?:\.(\d{1,3}))?([sdfexXob]))/g)) {
    const [whole, precision, verb] = clause;
    const before = text.slice(at, clause.index);
    if (before.includes('%')) break;
    at = clause.index + whole.length;
    spend(prices.formatClause + Math.ceil(Math.min(Number(precision ?? 0), mostDigits) / 3));
    let made: string | Failure = '%';
    if (verb !== undefined) {
      if (next >= args.length) return typeError(`format(): there is no argument ${next + 1}`);
      made = formatOne(verb, args[next++], precision === undefined ? 6 : Number(precision));
    }
    if (made instanceof Failure) return made;
    length += before.length + made.length;
    spendOnEach(made.length);
    if (length > maxLength) return tooLong();
    parts.push(before, made);
  }
  const rest = text.slice(at);
  if (rest.includes('%')) {
    return typeError('format(): a % without a format specifier; use %% for a literal %');
  }
  return parts.join('') + rest;
}

const notFormattable = (verb: string, value: unknown): Failure =>
  value instanceof UnknownValue
    ? mismatch('format', value)
    : typeError(`format(): %${verb} does not accept ${typeName(value)}`);

/** What a whole number is, whichever type has it. A JSON number that is whole is one. */
function whole(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.magnitude;
  return undefined;
}

function formatOne(verb: string, value: unknown, precision: number): string | Failure {
  switch (verb) {
    case 's':
      return shown(value, 0);
    case 'd':
      return decimal(value);
    case 'f':
    case 'e':
      return float(verb, value, precision);
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return inBase(verb, value, 2);
    case 'o':
      return inBase(verb, value, 8);
    default:
      return hexadecimal(verb, value);
  }
}

const special = (value: number): string =>
  Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';

function decimal(value: unknown): string | Failure {
  const number = whole(value);
  if (number !== undefined) return String(number);
  if (typeof value === 'number' && !Number.isFinite(value)) return special(value);
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value).toString();
  return notFormattable('d', value);
}

/** JavaScript takes no more. */
const mostDigits = 100;

function float(verb: 'f' | 'e', value: unknown, precision: number): string | Failure {
  const number = typeof value === 'number' ? value : Number(whole(value) ?? Number.NaN);
  if (Number.isNaN(number) && typeof value !== 'number') return notFormattable(verb, value);
  if (!Number.isFinite(number)) return special(number);
  const digits = Math.min(precision, mostDigits);
  if (verb === 'e') {
    return toEven(number, digits, 'toExponential').replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return fixed(number, digits);
}

/**
 * JavaScript rounds a number that is exactly between two texts away from zero; C, Go and CEL to the even digit. So each number is
 * written twice, which takes twice the time of `%s` (50 to 90 ns per step at this price). `toExponential` calculates with
 * big integers: 99 digits of a large number took 4 times as long as those of `toFixed`.
 */
function toEven(number: number, digits: number, as: 'toFixed' | 'toExponential'): string {
  spend(prices.formatClause + (as === 'toExponential' ? digits : 0));
  const rounded = number[as](digits);
  if (digits === mostDigits) return rounded;
  const [longer, exponent] = number[as](digits + 1).split('e');
  const [, even] = /^(.*[02468]\.?)5$/.exec(longer ?? '') ?? [];
  if (even === undefined || !hasNoMore(number, digits + 1 - Number(exponent ?? 0))) return rounded;
  return `${even.replace(/\.$/, '')}${exponent === undefined ? '' : `e${exponent}`}`;
}

/** Whether a double has no digit behind so many decimal places; below 0, whether it is a multiple of so many tens. */
const hasNoMore = (number: number, places: number): boolean =>
  places >= 0
    ? Number.isInteger(number * 2 ** places)
    : BigInt(number) % 10n ** BigInt(-places) === 0n;

/** `toFixed` turns to exponents from 1e21 on; those doubles are whole. */
function fixed(number: number, digits: number): string {
  if (Math.abs(number) < 1e21) return toEven(number, digits, 'toFixed');
  return `${BigInt(number)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
}

function inBase(verb: string, value: unknown, base: number): string | Failure {
  const number =
    typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : whole(value);
  return number === undefined ? notFormattable(verb, value) : number.toString(base);
}

const encoder = new TextEncoder();

function hexadecimal(verb: string, value: unknown): string | Failure {
  const bytes = typeof value === 'string' ? encoder.encode(value) : value;
  if (bytes instanceof Uint8Array) spend(bytes.length * prices.item);
  const made =
    bytes instanceof Uint8Array
      ? Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
      : inBase(verb, value, 16);
  return typeof made === 'string' && verb === 'X' ? made.toUpperCase() : made;
}

/** Documents nest; what is deeper is no text for people. */
const deepest = 100;

function shown(value: unknown, depth: number): string | Failure {
  if (value === null) return 'null';
  if (typeof value === 'number') {
    return Number.isFinite(value) ? formatDouble(value) : special(value);
  }
  if (value instanceof TypeValue) return value.typeName;
  if (depth > deepest) return typeError('format(): the value is nested too deeply');
  if (Array.isArray(value))
    return listed(value as unknown[], '[', ']', (item) => shown(item, depth + 1));
  if (isMap(value)) {
    const entries = keysOf(value).map((key): readonly [unknown, unknown] => [
      shown(key, depth + 1),
      entryOf(value, key)?.[1],
    ]);
    spend(entries.length * prices.sortedKey);
    spendOnEach(entries.reduce((sum, [key]) => sum + String(key).length, 0));
    entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    return listed(entries, '{', '}', ([key, held]) => {
      const text = shown(held, depth + 1);
      return typeof text === 'string' ? `${String(key)}: ${text}` : text;
    });
  }
  const text = isScalar(value) ? toText(value) : undefined;
  if (text instanceof Failure) return text;
  return typeof text === 'string' ? text : notFormattable('s', value);
}

const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value instanceof Uint ||
  value instanceof Uint8Array ||
  value instanceof Timestamp ||
  value instanceof Duration;

function listed<Item>(
  items: readonly Item[],
  open: string,
  close: string,
  show: (item: Item) => string | Failure,
): string | Failure {
  const texts: string[] = [];
  spend(items.length * prices.item);
  let length = 0;
  for (const item of items) {
    const text = show(item);
    if (text instanceof Failure) return text;
    length += text.length;
    texts.push(text);
  }
  // Each level of lists writes out anew what is in it.
  spendOnEach(length);
  return `${open}${texts.join(', ')}${close}`;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** `strings.quote(text)`: as a CEL literal. Half a surrogate pair is no text and becomes U+FFFD. */
export function quote(text: unknown): unknown {
  if (typeof text !== 'string') return mismatch('strings.quote', text);
  // Each of its characters may be one to escape.
  spend(prices.textFunction + Math.ceil(text.length / prices.changedCharacters));
  const whole = text.replace(/\p{Surrogate}/gu, '\ufffd');
  return `"${whole.replace(/[\x07\b\f\n\r\t\v\\"]/g, (one) => escapes.get(one) ?? one)}"`;
}

import { spend, spendOnEach } from './budget.ts';
import { prices } from './prices.ts';
import {
  formatDuration,
  formatTimestamp,
  makeTimestamp,
  parseDuration,
  parseTimestamp,
} from './time.ts';
import {
  Duration,
  maxInt,
  maxUint,
  minInt,
  mismatch,
  Timestamp,
  typeError,
  typeName,
  TypeValue,
  Uint,
} from './values.ts';
import { UnknownValue } from '../../contract/resources.ts';

/** What the text is may be a secret of the document. */
const noNumber = (name: string) => typeError(`${name}() cannot parse this string`);

const outOfRange = (name: string) => typeError(`${name}(): the value is out of range`);

const toIntRange = (value: bigint) =>
  value >= minInt && value <= maxInt ? value : outOfRange('int');
const toUintRange = (value: bigint) =>
  value >= 0n && value <= maxUint ? new Uint(value) : outOfRange('uint');

/** The longest text of a 64-bit number has 20 digits and a sign; zeros before it are as many as one likes up to here. */
const longestNumber = 400;

/** Pays for reading a number from a text. */
function spendOnNumber(text: string): void {
  spend(prices.conversion);
  spendOnEach(Math.min(text.length, longestNumber));
}

export function toInt(value: unknown): unknown {
  if (typeof value === 'bigint') return value;
  spend(prices.integer);
  if (typeof value === 'number') {
    // As the doubles next to the ends are already beyond them.
    return value > -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : outOfRange('int');
  }
  if (typeof value === 'string') {
    spendOnNumber(value);
    return value.length <= longestNumber && /^[+-]?\d+$/.test(value)
      ? toIntRange(BigInt(value.replace(/^\+/, '')))
      : noNumber('int');
  }
  if (value instanceof Uint) return toIntRange(value.magnitude);
  if (value instanceof Timestamp) return BigInt(value.seconds);
  return mismatch('int()', value);
}

export function toUint(value: unknown): unknown {
  if (value instanceof Uint) return value;
  spend(prices.integer);
  if (typeof value === 'bigint') return toUintRange(value);
  if (typeof value === 'number') {
    return value > -1 && value < 2 ** 64 ? new Uint(BigInt(Math.trunc(value))) : outOfRange('uint');
  }
  if (typeof value === 'string') {
    spendOnNumber(value);
    return value.length <= longestNumber && /^\+?\d+$/.test(value)
      ? toUintRange(BigInt(value.replace(/^\+/, '')))
      : noNumber('uint');
  }
  return mismatch('uint()', value);
}

export function toDouble(value: unknown): unknown {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.magnitude);
  if (typeof value === 'string') {
    spendOnNumber(value);
    if (/^[+-]?(?:inf|infinity)$/i.test(value)) {
      return value.startsWith('-') ? -Infinity : Infinity;
    }
    if (/^nan$/i.test(value)) return Number.NaN;
    return value.length <= longestNumber && /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value)
      ? Number(value)
      : noNumber('double');
  }
  return mismatch('double()', value);
}

/** The shortest text that reads back as the same number, as Go prints it. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e21)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  return String(value);
}

export function toText(value: unknown): unknown {
  if (typeof value !== 'string') spend(prices.conversion);
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'number':
      return formatDouble(value);
    default:
  }
  if (value instanceof Uint) return String(value.magnitude);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Uint8Array) return decodeText(value);
  return mismatch('string()', value);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeText(bytes: Uint8Array): unknown {
  spendOnEach(bytes.length);
  try {
    return decoder.decode(bytes);
  } catch {
    // The decoder says by a TypeError that the bytes are no text, and takes its time.
    spend(prices.badBytes);
    return typeError('string(): the bytes are not valid UTF-8');
  }
}

const truths = new Map([
  ...['1', 't', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

export function toBool(value: unknown): unknown {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return truths.get(value) ?? noNumber('bool');
  return mismatch('bool()', value);
}

const encoder = new TextEncoder();

export function toBytes(value: unknown): unknown {
  if (typeof value === 'string') {
    spend(prices.conversion);
    spendOnEach(value.length);
    return encoder.encode(value);
  }
  if (value instanceof Uint8Array) return value;
  return mismatch('bytes()', value);
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** `base64.encode(bytes)`. */
export function encodeBase64(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return mismatch('base64.encode', value);
  spend(prices.textFunction + prices.conversion);
  spendOnEach(value.length);
  return Buffer.from(value).toString('base64');
}

/** `base64.decode(text)`; the `=` at its end may be left out. */
export function decodeBase64(value: unknown): unknown {
  if (typeof value !== 'string') return mismatch('base64.decode', value);
  // Two texts and two lists of bytes are made: short ones take twice the time of `bytes()`. Its characters take as long as others.
  spend(prices.conversion * 2);
  spendOnEach(value.length);
  // Two `=` at most: the place of a run of many would be looked for from each of them.
  const isWhole = base64.test(value) && value.replace(/={1,2}$/, '').length % 4 !== 1;
  return isWhole ? Uint8Array.from(Buffer.from(value, 'base64')) : noNumber('base64.decode');
}

export function toTimestamp(value: unknown): unknown {
  if (typeof value === 'string') return parseTimestamp(value);
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return makeTimestamp(Number(value), 0);
  // A JSON number is a double; whole seconds since the epoch are what it can mean.
  if (typeof value === 'number' && Number.isInteger(value)) return makeTimestamp(value, 0);
  return mismatch('timestamp()', value);
}

export function toDuration(value: unknown): unknown {
  if (typeof value === 'string') return parseDuration(value);
  if (value instanceof Duration) return value;
  return mismatch('duration()', value);
}

export const typeOf = (value: unknown): unknown =>
  value instanceof UnknownValue ? mismatch('type()', value) : new TypeValue(typeName(value));

export const dyn = (value: unknown): unknown => value;

import { UnknownValue } from '../../contract/resources.ts';
import { maxLength, tooLong } from './arithmetic.ts';
import { spend, spendOn, spendOnEach, spendOnSearch } from './budget.ts';
import { isMap, leastOf, less, sizeOf } from './compare.ts';
import { prices } from './prices.ts';
import { mismatch, typeError, typeName, Uint, unknownFailure } from './values.ts';
import type { Failure, Strict } from './values.ts';

// Sizes and places count code points. A text without surrogates, and that is nearly all of them, has one for each unit.
const hasSurrogate = (text: string): boolean => /[\ud800-\udfff]/.test(text);

function countPoints(text: string): number {
  spendOn(text);
  if (!hasSurrogate(text)) return text.length;
  spendOnEach(text.length);
  let count = 0;
  for (let at = 0; at < text.length; count++) at += isPair(text, at) ? 2 : 1;
  return count;
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;

/** The unit at which a code point starts; undefined where there are not as many. */
function unitAt(text: string, point: number): number | undefined {
  spendOn(text);
  if (!hasSurrogate(text)) return point <= text.length ? point : undefined;
  spendOnEach(text.length);
  let at = 0;
  for (let left = point; left > 0; left--) {
    if (at >= text.length) return undefined;
    at += isPair(text, at) ? 2 : 1;
  }
  return at;
}

/** A place that an expression gives: an int, a uint, or a whole JSON number. */
export function toIndex(value: unknown): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.magnitude);
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

/** `size(x)` where the value has one. */
function count(value: unknown): number | Failure {
  if (typeof value === 'string') return countPoints(value);
  if (value instanceof Uint8Array) return value.length;
  return Array.isArray(value) || isMap(value) ? sizeOf(value) : mismatch('size()', value);
}

export function size(value: unknown): unknown {
  const counted = count(value);
  return typeof counted === 'number' ? BigInt(counted) : counted;
}

/**
 * A size beside a number, by the operator of the two. Where it is open how many items there are, there are at least those that are
 * surely there, which may decide.
 */
export const comparedSize =
  (name: string, compare: Strict, isFirst: boolean): Strict =>
  (of, number) => {
    const counted = count(of);
    const ask = (items: number): unknown =>
      isFirst ? compare(BigInt(items), number) : compare(number, BigInt(items));
    if (typeof counted === 'number') return ask(counted);
    const least = leastOf(of);
    if (least === undefined) return counted;
    if (name === '==' || name === '!=')
      return less(number, BigInt(least)) === true ? name === '!=' : counted;
    const growsWithItems = name.startsWith('>') === isFirst;
    return ask(least) === growsWithItems ? growsWithItems : counted;
  };

/** Pays for a function that may change each character of a text. */
const spendOnChange = (length: number): void =>
  spend(prices.textFunction + Math.ceil(length / prices.changedCharacters));

const outside = (name: string, index: number) =>
  typeError(`${name}(): ${index} is outside the string`);

export function charAt(text: unknown, index: unknown): unknown {
  const point = toIndex(index);
  if (typeof text !== 'string' || point === undefined) return mismatch('charAt', text, index);
  spend(prices.textFunction);
  const at = point < 0 ? undefined : unitAt(text, point);
  if (at === undefined) return outside('charAt', point);
  return at === text.length ? '' : String.fromCodePoint(text.codePointAt(at) ?? 0);
}

export function indexOf(text: unknown, part: unknown, from: unknown = 0n): unknown {
  const point = toIndex(from);
  if (typeof text !== 'string' || typeof part !== 'string' || point === undefined) {
    return mismatch('indexOf', text, part, from);
  }
  spend(prices.textFunction);
  const at = point < 0 ? undefined : unitAt(text, point);
  if (at === undefined) return outside('indexOf', point);
  spendOnSearch(text, part);
  const found = text.indexOf(part, at);
  return BigInt(found < 0 ? found : countPoints(text.slice(0, found)));
}

export function lastIndexOf(text: unknown, part: unknown, from?: unknown): unknown {
  const point = from === undefined ? Infinity : toIndex(from);
  if (typeof text !== 'string' || typeof part !== 'string' || point === undefined) {
    return mismatch('lastIndexOf', text, part, from);
  }
  spend(prices.textFunction);
  const at = point < 0 ? undefined : point === Infinity ? text.length : unitAt(text, point);
  if (at === undefined) return outside('lastIndexOf', point);
  spendOnSearch(text, part);
  const found = text.lastIndexOf(part, at);
  return BigInt(found < 0 ? found : countPoints(text.slice(0, found)));
}

const letters = (
  name: string,
  pattern: RegExp,
  change: (found: string) => string,
): ((text: unknown) => unknown) => {
  return (text) => {
    if (typeof text !== 'string') return mismatch(name, text);
    spendOnChange(text.length);
    return text.replace(pattern, change);
  };
};

export const lowerAscii = letters('lowerAscii', /[A-Z]+/g, (found) => found.toLowerCase());
export const upperAscii = letters('upperAscii', /[a-z]+/g, (found) => found.toUpperCase());

export function replace(text: unknown, old: unknown, by: unknown, limit: unknown = -1n): unknown {
  const most = toIndex(limit);
  if (
    typeof text !== 'string' ||
    typeof old !== 'string' ||
    typeof by !== 'string' ||
    most === undefined
  ) {
    return mismatch('replace', text, old, by, limit);
  }
  const pieces =
    old === '' ? ['', ...(split(text, '') as string[]), ''] : (split(text, old) as string[]);
  const times = Math.min(most < 0 ? Infinity : most, pieces.length - 1);
  const length = text.length + times * by.length;
  if (length > maxLength) return tooLong();
  spendOnEach(length);
  return `${pieces
    .slice(0, times)
    .map((piece) => piece + by)
    .join('')}${pieces.slice(times).join(old)}`;
}

export function split(text: unknown, separator: unknown, limit: unknown = -1n): unknown {
  const most = toIndex(limit);
  if (typeof text !== 'string' || typeof separator !== 'string' || most === undefined) {
    return mismatch('split', text, separator, limit);
  }
  spend(prices.textFunction);
  if (most === 0) return [];
  if (separator === '') spend(text.length * prices.item);
  else spendOnSearch(text, separator);
  const pieces = separator === '' ? [...text] : text.split(separator);
  spend(pieces.length * prices.item);
  if (most < 0 || pieces.length <= most) return pieces;
  return [...pieces.slice(0, most - 1), pieces.slice(most - 1).join(separator)];
}

export function join(list: unknown, separator: unknown = ''): unknown {
  if (!Array.isArray(list) || typeof separator !== 'string')
    return mismatch('join', list, separator);
  spend(prices.textFunction + list.length * prices.item);
  let length = list.length * separator.length;
  for (const item of list as unknown[]) {
    if (item instanceof UnknownValue) return unknownFailure(item);
    if (typeof item !== 'string')
      return typeError(`join() requires strings, not ${typeName(item)}`);
    length += item.length;
  }
  if (length > maxLength) return tooLong();
  spendOnEach(length);
  return list.join(separator);
}

export function substring(text: unknown, start: unknown, end?: unknown): unknown {
  const first = toIndex(start);
  const last = end === undefined ? Infinity : toIndex(end);
  if (typeof text !== 'string' || first === undefined || last === undefined) {
    return mismatch('substring', text, start, end);
  }
  spend(prices.textFunction);
  const from = first < 0 ? undefined : unitAt(text, first);
  const until = last === Infinity ? text.length : last < 0 ? undefined : unitAt(text, last);
  if (from === undefined) return outside('substring', first);
  if (until === undefined || until < from) return outside('substring', last);
  return text.slice(from, until);
}

// Unicode's White_Space; JavaScript's `trim` knows U+FEFF as well, and not U+0085.
const isSpace = (text: string, at: number): boolean =>
  /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/.test(text.charAt(at));

export function trim(text: unknown): unknown {
  if (typeof text !== 'string') return mismatch('trim', text);
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text, start)) start++;
  while (end > start && isSpace(text, end - 1)) end--;
  spendOnChange(text.length - end + start);
  return text.slice(start, end);
}

export function reverse(text: unknown): unknown {
  if (typeof text !== 'string') return mismatch('reverse', text);
  spendOnChange(text.length);
  return [...text].reverse().join('');
}

export function contains(text: unknown, part: unknown): unknown {
  if (typeof text !== 'string' || typeof part !== 'string') return mismatch('contains', text, part);
  spendOnSearch(text, part);
  return text.includes(part);
}

export function startsWith(text: unknown, part: unknown): unknown {
  if (typeof text !== 'string' || typeof part !== 'string') {
    return mismatch('startsWith', text, part);
  }
  spendOnEach(part.length);
  return text.startsWith(part);
}

export function endsWith(text: unknown, part: unknown): unknown {
  if (typeof text !== 'string' || typeof part !== 'string') return mismatch('endsWith', text, part);
  spendOnEach(part.length);
  return text.endsWith(part);
}

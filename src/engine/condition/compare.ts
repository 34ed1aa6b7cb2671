import { UnknownValue } from '../../contract/resources.ts';
import { spend, spendOn, spendOnEach } from './budget.ts';
import { prices } from './prices.ts';
import {
  CelMap,
  Duration,
  isJsonMap,
  isOpen,
  mismatch,
  newFailure,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  unknownFailure,
} from './values.ts';
import type { Failure, JsonMap } from './values.ts';

/** Levels of lists and maps in one another; documents have fewer. */
const deepest = 500;

/** `==`: numbers by value whatever their types, otherwise values of different types are not equal. */
export const equal = (a: unknown, b: unknown): boolean | Failure => equalAt(0, a, b);

function equalAt(level: number, a: unknown, b: unknown): boolean | Failure {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) {
    if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) spendOn(a);
    if (a === b) return true;
    if (a instanceof UnknownValue) return unknownFailure(a);
    if (b instanceof UnknownValue) return unknownFailure(b);
    const x = a instanceof Uint ? a.magnitude : a;
    const y = b instanceof Uint ? b.magnitude : b;
    // JavaScript compares a bigint with a number by value, exactly.
    if (typeof x === 'bigint' && typeof y === 'number') return x == (y as unknown); // eslint-disable-line eqeqeq
    if (typeof x === 'number' && typeof y === 'bigint') return x == (y as unknown); // eslint-disable-line eqeqeq
    return x === y;
  }
  return equalObjects(level, a, b);
}

function equalObjects(level: number, a: object, b: object): boolean | Failure {
  // Two uses of one parameter: whatever its value will be, it is the same.
  if (a === b && a instanceof UnknownValue) return true;
  if (a instanceof UnknownValue) return unknownFailure(a);
  if (b instanceof UnknownValue) return unknownFailure(b);
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(level + 1, a, b);
  if (a instanceof Timestamp) {
    return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  }
  if (a instanceof Duration) {
    return b instanceof Duration && a.seconds === b.seconds && a.nanos === b.nanos;
  }
  if (a instanceof Uint) return b instanceof Uint && a.magnitude === b.magnitude;
  if (a instanceof Uint8Array) {
    if (!(b instanceof Uint8Array) || a.length !== b.length) return false;
    spendOnEach(a.length);
    for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
    return true;
  }
  if (a instanceof TypeValue) return b instanceof TypeValue && a.typeName === b.typeName;
  if (a instanceof Optional) {
    if (!(b instanceof Optional) || a.present !== b.present) return false;
    if (level > deepest) return tooDeep();
    spend(prices.item);
    return !a.present || equalAt(level + 1, a.content, b.content);
  }
  return isMap(a) && isMap(b) && equalMaps(level + 1, a, b);
}

const tooDeep = (): Failure =>
  newFailure('budget', `the values are nested deeper than ${deepest} levels`);

export const isMap = (value: unknown): value is CelMap | Readonly<Record<string, unknown>> =>
  isJsonMap(value) || value instanceof CelMap;

// One pair that surely differs decides, whatever is unknown beside it.
function equalLists(
  level: number,
  a: readonly unknown[],
  b: readonly unknown[],
): boolean | Failure {
  if (level > deepest) return tooDeep();
  if (a.length !== b.length) return differ(a, b);
  spend(a.length * prices.item);
  let open: Failure | undefined;
  for (let i = 0; i < a.length; i++) {
    const same = equalAt(level, a[i], b[i]);
    // Where an item of each may not be there, those after it can move.
    if (same === false) return openPart(a) && openPart(b) ? differ(a, b) : false;
    if (same !== true) open ??= same;
  }
  return open ?? true;
}

type AnyMap = CelMap | JsonMap;
type Many = readonly unknown[] | AnyMap;

function equalMaps(level: number, a: AnyMap, b: AnyMap): boolean | Failure {
  if (level > deepest) return tooDeep();
  const keys = keysOf(a);
  if (keys.length !== countOf(b)) return differ(a, b);
  spend(keys.length * prices.key);
  let open: Failure | undefined;
  for (const key of keys) {
    const other = entryOf(b, key);
    if (!other) return differ(a, b);
    const same = equalAt(level, entryOf(a, key)?.[1], other[1]);
    if (same === false) return false;
    if (same !== true) open ??= same;
  }
  return open ?? true;
}

export function keysOf(map: AnyMap): readonly unknown[] {
  const keys = map instanceof CelMap ? map.keys() : Object.keys(map);
  spend(keys.length * prices.item);
  return keys;
}

const countOf = (of: Many): number =>
  Array.isArray(of) ? of.length : of instanceof CelMap ? of.size : keysOf(of as JsonMap).length;

/** How many items or entries there are; a Failure where that is open. */
export function sizeOf(of: Many): number | Failure {
  const open = openPart(of);
  return open ? unknownFailure(open) : countOf(of);
}

/** How many items or entries of a list or a map of a document are surely there. */
export function leastOf(of: unknown): number | undefined {
  if (!Array.isArray(of) && !isJsonMap(of)) return undefined;
  const items: unknown[] = Array.isArray(of) ? of : Object.values(of);
  spend(items.length * prices.item);
  return items.filter((item) => !isOpen(item)).length;
}

/** Two lists or maps that differ as they stand: whether they can still be equal, as it is open what is in them. */
function differ(a: Many, b: Many): false | Failure {
  const open = openPart(a) ?? openPart(b);
  return open ? unknownFailure(open) : false;
}

/** The first item or value of which it is open whether it is there. @param until the place in a list to stop at */
export function openPart(of: Many, until?: number): UnknownValue | undefined {
  if (of instanceof CelMap) return of.open;
  if (!Array.isArray(of)) {
    for (const key in of)
      if (isOpen((of as JsonMap)[key])) return (of as JsonMap)[key] as UnknownValue;
    return undefined;
  }
  const end = Math.min(of.length, until ?? of.length);
  if (end > prices.lookedAt) spend(Math.ceil(end / prices.lookedAt));
  for (let at = 0; at < end; at++) if (isOpen(of[at])) return of[at] as UnknownValue;
  return undefined;
}

/** The entry under a key. Only an own property counts: `constructor` is a key as any other. */
export function entryOf(map: AnyMap, key: unknown): readonly [unknown, unknown] | undefined {
  if (typeof key === 'string') spendOn(key);
  if (map instanceof CelMap) return map.entry(key);
  return typeof key === 'string' && Object.hasOwn(map, key) && map[key] !== undefined
    ? [key, map[key]]
    : undefined;
}

export function notEqual(a: unknown, b: unknown): boolean | Failure {
  const same = equal(a, b);
  return typeof same === 'boolean' ? !same : same;
}

/** Below 0, 0, or above; NaN where a double is NaN; a Failure where the two have no order. */
export function order(name: string, a: unknown, b: unknown): number | Failure {
  const x = a instanceof Uint ? a.magnitude : a;
  const y = b instanceof Uint ? b.magnitude : b;
  if (isNumeric(x) && isNumeric(y)) {
    // An int or uint beside a double is taken as a double, as CEL has it.
    const isMixed = typeof x !== typeof y;
    return orderNumbers(isMixed ? Number(x) : x, isMixed ? Number(y) : y);
  }
  if (typeof x === 'string' && typeof y === 'string') return compareText(x, y);
  if (typeof x === 'boolean' && typeof y === 'boolean') return Number(x) - Number(y);
  if (
    (x instanceof Timestamp && y instanceof Timestamp) ||
    (x instanceof Duration && y instanceof Duration)
  ) {
    return x.seconds - y.seconds || x.nanos - y.nanos;
  }
  if (x instanceof Uint8Array && y instanceof Uint8Array) return compareBytes(x, y);
  return mismatch(name, a, b);
}

const isNumeric = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

const orderNumbers = (x: number | bigint, y: number | bigint): number =>
  x < y ? -1 : x > y ? 1 : Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : 0;

/** By code points, which UTF-16 order is not where one side is beyond U+FFFF. */
function compareText(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  // Also where they are equal: to find that out, each character is read.
  spendOnEach(shorter);
  if (a === b) return 0;
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === shorter) return a.length - b.length;
  const x = a.charCodeAt(at);
  const y = b.charCodeAt(at);
  const isXPart = x >= 0xd800 && x <= 0xdfff;
  const isYPart = y >= 0xd800 && y <= 0xdfff;
  return isXPart === isYPart ? x - y : isXPart ? 1 : -1;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length);
  spendOnEach(shorter);
  for (let i = 0; i < shorter; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function less(a: unknown, b: unknown): boolean | Failure {
  const o = order('<', a, b);
  return typeof o === 'number' ? o < 0 : o;
}
export function lessOrEqual(a: unknown, b: unknown): boolean | Failure {
  const o = order('<=', a, b);
  return typeof o === 'number' ? o <= 0 : o;
}
export function greater(a: unknown, b: unknown): boolean | Failure {
  const o = order('>', a, b);
  return typeof o === 'number' ? o > 0 : o;
}
export function greaterOrEqual(a: unknown, b: unknown): boolean | Failure {
  const o = order('>=', a, b);
  return typeof o === 'number' ? o >= 0 : o;
}

/** `in`: an item of a list, or a key of a map. */
export function isIn(a: unknown, b: unknown): boolean | Failure {
  if (a instanceof UnknownValue) return unknownFailure(a);
  if (Array.isArray(b)) {
    spend(Math.ceil(b.length / prices.itemsOfStep));
    let open: Failure | undefined;
    for (const item of b) {
      const same = equal(a, item);
      if (same === true) return true;
      if (same !== false) open ??= same;
    }
    return open ?? false;
  }
  if (isMap(b)) {
    spend(prices.key);
    const entry = entryOf(b, a);
    return entry === undefined ? false : isPresent(entry[1]);
  }
  return mismatch('in', a, b);
}

/** Whether what stands under a key is surely there. */
export const isPresent = (value: unknown): boolean | Failure =>
  isOpen(value) ? unknownFailure(value) : true;

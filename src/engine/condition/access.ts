import { UnknownValue } from '../../contract/resources.ts';
import { spend } from './budget.ts';
import { entryOf, isMap, isPresent, keysOf, openPart } from './compare.ts';
import { none, some } from './optionals.ts';
import { prices } from './prices.ts';
import { toIndex } from './text.ts';
import {
  CelMap,
  Duration,
  Failure,
  isOpen,
  mismatch,
  newFailure,
  Optional,
  Timestamp,
  typeName,
  TypeValue,
  Uint,
  unknownFailure,
} from './values.ts';
import type { JsonMap } from './values.ts';

const inherited: ReadonlySet<string> = new Set(
  [
    Object.prototype,
    Array.prototype,
    String.prototype,
    Number.prototype,
    Boolean.prototype,
    BigInt.prototype,
    Uint8Array.prototype,
    Object.getPrototypeOf(Uint8Array.prototype) as object,
    CelMap.prototype,
    UnknownValue.prototype,
    new UnknownValue(''),
    new Timestamp(0, 0),
    new Duration(0, 0),
    new Uint(0n),
    new TypeValue(''),
    new Optional(false),
  ].flatMap((owner) => Object.getOwnPropertyNames(owner)),
);

/**
 * Whether something that is no map of a document may have a property of a name: those that JavaScript's objects have, and
 * numbers, which lists, texts and bytes have. Under any other name, what is not undefined is an own property of a map, so
 * that `of[name]` needs no further look.
 */
export const isShared = (name: string): boolean => inherited.has(name) || /^\d+$/.test(name);

/** `of.key`. `missing` is the answer where there is none: made once, as many resources lack an attribute. */
export function select(of: unknown, key: string, missing: Failure): unknown {
  if (of instanceof Optional) return optionalAt(of, key, missing.path);
  if (!isMap(of)) return notMap(of, key, missing.path);
  const entry = entryOf(of, key);
  return entry ? entry[1] : missing;
}

/** Characters of a key that a message names. */
const mostShown = 256;

/** A key as messages name it. It may be any value: a list of long texts would take its length to write at no price. */
function nameOfKey(key: unknown): string {
  if (typeof key === 'string') return key.slice(0, mostShown);
  return ['bigint', 'boolean', 'number'].includes(typeof key) ? String(key) : '*';
}

function notMap(of: unknown, key: unknown, path: string | undefined): Failure {
  if (of instanceof UnknownValue) return unknownFailure(of, path);
  return newFailure(
    'type_error',
    `${path ?? `.${nameOfKey(key)}`} can't be read: ${typeName(of)} has no attributes`,
    path,
  );
}

export const missingKey = (key: unknown, path: string | undefined): Failure =>
  new Failure(
    'missing_attribute',
    path === undefined ? `there is no ${JSON.stringify(String(key))}` : `${path} is not set`,
    path,
  );

/** `of[at]`: an item of a list or what a map has under a key. `path` is that of `of`. */
export function index(of: unknown, at: unknown, path: string | undefined): unknown {
  if (of instanceof UnknownValue) return unknownFailure(of, path);
  if (of instanceof Optional) return optionalAt(of, at, path);
  if (at instanceof UnknownValue) return unknownFailure(at);
  if (Array.isArray(of)) {
    const place = toIndex(at);
    if (place === undefined) return mismatch('[]', of, at);
    const open = openPart(of, place);
    if (open) return unknownFailure(open, path);
    const item: unknown = place < 0 ? undefined : of[place];
    if (item !== undefined) return item;
    spend(prices.failure);
    return missingKey(place, path && `${path}[${place}]`);
  }
  if (!isMap(of)) return mismatch('[]', of, at);
  spend(prices.key);
  const entry = entryOf(of, at);
  if (entry) return entry[1];
  const isKey = ['string', 'bigint', 'boolean', 'number'].includes(typeof at);
  if (!isKey) return mismatch('[]', of, at);
  // A text may come from the document, and be none to show.
  const shown = typeof at === 'string' ? '*' : nameOfKey(at);
  spend(prices.failure);
  return missingKey(shown, path && `${path}[${shown}]`);
}

/**
 * `of.?at` and `of[?at]`: an optional without a value where there is none. What is unknown is never taken for missing.
 * @param path that of the attribute
 */
export function optionalAt(of: unknown, at: unknown, path: string | undefined): Optional | Failure {
  if (of instanceof UnknownValue) return unknownFailure(of, path);
  if (of instanceof Optional) {
    spend(prices.item);
    return of.present ? optionalAt(of.content, at, path) : none;
  }
  if (at instanceof UnknownValue) return unknownFailure(at);
  spend(prices.key);
  const found = Array.isArray(of) ? itemAt(of, at) : isMap(of) ? entryOf(of, at) : undefined;
  if (found instanceof Failure) return found;
  if (!found) return Array.isArray(of) || isMap(of) ? none : notMap(of, at, path);
  const isThere = isPresent(found[1]);
  if (typeof isThere !== 'boolean') return locate(isThere, [found[1]], [path]);
  return some(found[1]);
}

function itemAt(list: readonly unknown[], at: unknown): Failure | readonly unknown[] | undefined {
  const place = toIndex(at);
  if (place === undefined) return mismatch('[?]', list, at);
  const open = openPart(list, place);
  if (open) return unknownFailure(open);
  return list[place] === undefined ? undefined : [place, list[place]];
}

/** `has(of.key)`: also where the value is null. */
export function has(of: unknown, key: string, path: string | undefined): boolean | Failure {
  if (of instanceof Optional) {
    spend(prices.item);
    return of.present && has(of.content, key, path);
  }
  if (!isMap(of)) return notMap(of, key, path);
  const entry = entryOf(of, key);
  if (!entry) return false;
  return entry[1] instanceof UnknownValue && !entry[1].present
    ? unknownFailure(entry[1], path)
    : isPresent(entry[1]);
}

/** What a macro runs over: the items of a list or the keys of a map. */
function range(over: unknown, path: string | undefined): readonly unknown[] | Failure {
  if (Array.isArray(over)) return over as unknown[];
  if (isMap(over)) return keysOf(over);
  if (over instanceof UnknownValue) return unknownFailure(over, path);
  return newFailure(
    'type_error',
    `${path ?? 'a value'} is ${typeName(over)}: not a list or a map`,
    path,
  );
}

/**
 * What a macro with two variables runs over: places and items of a list, or keys and values of a map. Where it is open
 * whether an item of a list is there, the places of those after it are open.
 */
function pairs(
  over: unknown,
  path: string | undefined,
): readonly (readonly [key: unknown, value: unknown])[] | Failure {
  const items = range(over, path);
  if (items instanceof Failure) return items;
  spend(items.length * prices.pair);
  if (isMap(over)) return items.map((key) => entryOf(over, key) ?? [key, undefined]);
  return openItem(items, path) ?? items.map((item, at) => [BigInt(at), item]);
}

/** Why it is open whether all items of a list or map are there. */
function openItem(
  of: readonly unknown[] | CelMap | JsonMap,
  path: string | undefined,
): Failure | undefined {
  const open = openPart(of);
  return open && unknownFailure(open, path && `${path}[*]`);
}

/**
 * What a macro runs over.
 * @param all whether each item counts, so that it must not be open whether one is there
 */
export function itemsOf(
  over: unknown,
  path: string | undefined,
  withKeys: boolean,
  all: boolean,
): readonly unknown[] | Failure {
  const items = withKeys ? pairs(over, path) : range(over, path);
  if (!all || items instanceof Failure) return items;
  return openItem(isMap(over) ? over : items, path) ?? items;
}

/**
 * Why an item does not decide `all` or `exists`: it is open whether it is there.
 * @param held what stands there, or its key where the macro has one variable and runs over a map
 */
export function doubt(
  over: unknown,
  held: unknown,
  path: string | undefined,
  withKeys: boolean,
): Failure | undefined {
  const value = withKeys || !isMap(over) ? held : entryOf(over, held)?.[1];
  return isOpen(value) ? unknownFailure(value, path && `${path}[*]`) : undefined;
}

/** Puts the entries of a map that an item became to those of the others. */
export function merge(into: CelMap, made: unknown): Failure | undefined {
  if (!isMap(made)) return mismatch('transformMapEntry()', made);
  const keys = keysOf(made);
  spend(keys.length * prices.pair);
  for (const key of keys) {
    if (!into.add(key, entryOf(made, key)?.[1])) return mismatch('duplicate key', key);
  }
  return undefined;
}

/** A Failure without a path gets that of the operand to blame: the unknown one, or the first that is read. */
export function locate(
  failure: Failure,
  operands: readonly unknown[],
  paths: readonly (string | undefined)[],
): Failure {
  if (failure.path !== undefined) return failure;
  const unknown = operands.findIndex((operand) => operand instanceof UnknownValue);
  const path = unknown >= 0 ? paths[unknown] : paths.find((one) => one !== undefined);
  if (path === undefined) return failure;
  const operand = operands[unknown];
  return operand instanceof UnknownValue
    ? unknownFailure(operand, path)
    : newFailure(failure.reason, `${path}: ${failure.message}`, path);
}

/** A condition, or an operand of `&&`, that is not bool. */
export const notBool = (value: unknown, path: string | undefined): Failure =>
  value instanceof UnknownValue
    ? unknownFailure(value, path)
    : newFailure('type_error', `${path ?? 'a value'} is ${typeName(value)}, not bool`, path);

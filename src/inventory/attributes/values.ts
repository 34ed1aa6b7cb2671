import { UnknownValue } from '../../contract/resources.ts';
import { findTooDeep } from '../text/depth.ts';

/** A value that may be absent, or not known before the deployment. */
export type Maybe<T> = T | UnknownValue | undefined;

export const isUnknown = (value: unknown): value is UnknownValue => value instanceof UnknownValue;

/** The parameters that unknown values in these wait for, each once; looks at so many values, and gives so many names only. */
export function waitsFor(...values: readonly unknown[]): { readonly waitsFor: readonly string[] } {
  const names = new Set<string>();
  const open = [...values];
  for (let looked = 0; open.length > 0 && looked < 1_000 && names.size < 20; looked++) {
    const next = open.pop();
    if (isUnknown(next)) for (const name of next.waitsFor) names.add(name);
    else if (typeof next === 'object' && next !== null)
      open.push(...Object.values(next).slice(0, 100));
  }
  return { waitsFor: [...names].sort() };
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isUnknown(value);

/** The value at a path. Absent or null → undefined; under an unknown value everything is unknown. */
export const at = createAt((value, step) => (Object.hasOwn(value, step) ? step : undefined));

/** The same, of names in any case; a name in the case that is asked for wins. */
export const atAnyCase = createAt((value, step) => {
  if (Object.hasOwn(value, step)) return step;
  const name = String(step).toLowerCase();
  return Object.keys(value).find((one) => one.toLowerCase() === name);
});

function createAt(findKey: (value: object, step: string | number) => string | number | undefined) {
  return (value: unknown, ...steps: readonly (string | number)[]): unknown => {
    let here = value;
    for (const step of steps) {
      if (isUnknown(here)) {
        const { expression, waitsFor } = here;
        return new UnknownValue(partOf(expression, step), { present: false, waitsFor });
      }
      const key = typeof here === 'object' && here !== null ? findKey(here, step) : undefined;
      if (key === undefined) return undefined;
      here = (here as Record<string | number, unknown>)[key];
    }
    return here ?? undefined;
  };
}

/** Of what an input lacks (`the IAM policy, which is not in the export`), a part is no better told. */
const partOf = (expression: string, step: string | number): string =>
  expression.includes(', which ') ? expression : `${expression}.${step}`;

/** Terraform's nested blocks are lists; the first one, at a path of block names. `at` reads its attributes. */
export function block(value: unknown, ...names: readonly string[]): unknown {
  let here = value;
  for (const name of names) {
    const found = at(here, name);
    here = Array.isArray(found) ? (found[0] as unknown) : found;
  }
  return here ?? undefined;
}

/** Whether an attribute is set at all: has() of it. Empty texts count as set. */
export function isGiven(value: unknown): boolean | UnknownValue {
  if (isUnknown(value)) return value.present ? true : value;
  return value !== undefined && value !== null;
}

/** The same where an empty text means none, as in plans and in Google's API. */
export const isSet = (value: unknown): boolean | UnknownValue =>
  value === '' ? false : isGiven(value);

/** An optional ID, name or ARN: an empty text, such as the default of a parameter, is none. */
export const notEmpty = (value: unknown): unknown => (value === '' ? undefined : value);

/** A text where the provider takes none: what it would do is unknown. */
export const unlike = (written: string, expected: string): UnknownValue =>
  new UnknownValue(`${written}, which is not ${expected}`);

/**
 * A boolean, also written as a text, as templates do. Another text means something unknown; anything else is
 * undefined.
 */
export function flag(value: unknown): Maybe<boolean> {
  if (typeof value === 'boolean' || isUnknown(value)) return value;
  if (typeof value !== 'string' || value === '') return undefined;
  const text = value.toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : unlike(value, 'true or false');
}

/** A number, also written as a text. Another text means something unknown; anything else is undefined. */
export function number(value: unknown): Maybe<number> {
  if (typeof value === 'number' || isUnknown(value)) return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const read = Number(value);
  return Number.isFinite(read) ? read : unlike(value, 'a number');
}

/** A text; numbers and booleans as their text. Anything else is undefined. */
export function text(value: unknown): Maybe<string> {
  if (typeof value === 'string' || isUnknown(value)) return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/**
 * JSON text → its value; what is no text stays. Text that is no JSON, or is nested as no document may be, can't be judged, so
 * it is unknown, not absent.
 */
export function readJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const read: unknown = JSON.parse(value);
    return findTooDeep(read) ? new UnknownValue('a string that is nested too deeply') : read;
  } catch {
    return new UnknownValue('a string that is not valid JSON');
  }
}

/** A map with texts as values, such as environment variables. Absent is empty. */
export const textMap = (value: unknown): Fields | UnknownValue => readTags(value);

/** A list; a single value is a list of one, absent is empty. */
export function list(value: unknown): unknown[] | UnknownValue {
  if (value === undefined || value === null) return [];
  if (isUnknown(value)) return value;
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

/** Whether a list has items; one that is set but not known has. */
export const hasItems = (value: unknown): boolean | UnknownValue => {
  const items = list(value);
  return isUnknown(items) ? isGiven(items) : items.length > 0;
};

/** Each item of a list that is known. */
export const mapList = <T>(value: unknown, make: (item: unknown) => T): T[] | UnknownValue => {
  const items = list(value);
  return isUnknown(items) ? items : items.map(make);
};

export const joinLists = <T>(
  ...lists: readonly (readonly T[] | UnknownValue)[]
): (T | UnknownValue)[] | UnknownValue => joinAll(lists);

/** Lists as one. What is not known of some hides nothing of the others: it stands among the items, which may be none. */
export function joinAll<T>(
  lists: readonly (readonly T[] | UnknownValue)[],
): (T | UnknownValue)[] | UnknownValue {
  const known = lists.flatMap((one) => (isUnknown(one) ? [] : one));
  const unknown = lists.filter(isUnknown);
  if (known.length === 0 && unknown[0]) return unknown[0];
  return [...known, ...unknown.map((one) => new UnknownValue(one.expression, { present: false }))];
}

/** Whether a text is one of these, ignoring case. Absent → false. */
export function isOneOf(value: unknown, ...options: readonly string[]): boolean | UnknownValue {
  const word = text(value);
  if (isUnknown(word)) return word;
  return options.some((option) => word?.toLowerCase() === option.toLowerCase());
}

/** A word that stands for true or for false, ignoring case; absent stays absent, of other words nothing is known. */
export function eitherWord(
  value: unknown,
  yes: readonly string[],
  no: readonly string[],
): Maybe<boolean> {
  const word = text(value);
  if (word === undefined || word === '' || isUnknown(word)) return word || undefined;
  if (isOneOf(word, ...yes) === true) return true;
  return isOneOf(word, ...no) === true ? false : unlike(word, 'a known value');
}

/** Logic over what may be unknown: false wins. Absent counts as false. */
export function and(...values: readonly Maybe<boolean>[]): boolean | UnknownValue {
  if (values.some((value) => value === false || value === undefined)) return false;
  return values.find(isUnknown) ?? true;
}

/** Logic over what may be unknown: true wins. Absent counts as false. */
export function or(...values: readonly Maybe<boolean>[]): boolean | UnknownValue {
  if (values.includes(true)) return true;
  return values.find(isUnknown) ?? false;
}

/** The opposite; absent counts as false. */
export const not = (value: Maybe<boolean>): boolean | UnknownValue =>
  isUnknown(value) ? value : value !== true;

/** Whether some item of a list does; unknown items may. */
export function some(
  value: unknown,
  does: (item: unknown) => Maybe<boolean>,
): boolean | UnknownValue {
  const items = list(value);
  return isUnknown(items)
    ? items
    : or(...items.map((item) => (isUnknown(item) ? item : does(item))));
}

/** Whether every item of a list does; true for none. */
export const every = (
  value: unknown,
  does: (item: unknown) => Maybe<boolean>,
): boolean | UnknownValue => not(some(value, (item) => not(does(item))));

/**
 * `{Key, Value}` pairs, a map, or Terraform's map → tags. Values become texts. Unknown as a whole where a key is not
 * known: it may be any.
 */
export function readTags(
  value: unknown,
  keyName = 'Key',
  valueName = 'Value',
): Fields | UnknownValue {
  if (isUnknown(value)) return value;
  const pairs = Array.isArray(value)
    ? (value as unknown[]).map((pair) => [at(pair, keyName), at(pair, valueName)] as const)
    : isFields(value)
      ? Object.entries(value)
      : [];
  const anyKey = pairs.map(([key]) => key).find(isUnknown);
  if (anyKey) return new UnknownValue(anyKey.expression);
  return Object.fromEntries(
    pairs.flatMap(([key, tag]) => {
      const word = text(tag ?? '');
      return typeof key === 'string' && word !== undefined ? [[key, word] as const] : [];
    }),
  );
}

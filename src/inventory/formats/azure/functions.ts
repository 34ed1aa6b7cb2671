import { UnknownValue } from '../../../contract/resources.ts';
import { isFields } from '../../json.ts';
import { isUnknown } from '../../attributes/values.ts';
import { findTooDeep } from '../../text/depth.ts';

/**
 * Functions of Azure's template language whose value follows from their arguments. One gets known arguments only, and
 * answers undefined where it can't: then the value is unknown. `if`, `and`, `concat` and others that need not know all
 * of their arguments are in `evaluate.ts`.
 */
export const pureFunctions: Readonly<Record<string, (...args: readonly unknown[]) => unknown>> = {
  add: (a, b) => numbers(a, b, (x, y) => x + y),
  sub: (a, b) => numbers(a, b, (x, y) => x - y),
  mul: (a, b) => numbers(a, b, (x, y) => x * y),
  div: (a, b) => numbers(a, b, (x, y) => (y === 0 ? undefined : Math.trunc(x / y))),
  mod: (a, b) => numbers(a, b, (x, y) => (y === 0 ? undefined : x % y)),
  min: (...args) => extreme(args, Math.min),
  max: (...args) => extreme(args, Math.max),
  int: (value) => (/^\s*-?\d+\s*$/.test(shown(value)) ? Number(value) : undefined),
  float: (value) => finite(Number(shown(value))),
  bool: (value) =>
    typeof value === 'boolean'
      ? value
      : typeof value === 'number'
        ? value !== 0
        : ({ true: true, false: false } as Record<string, boolean>)[shown(value).toLowerCase()],
  string: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  json: (value) => parseJson(value),
  null: () => null,
  true: () => true,
  false: () => false,

  equals: (a, b) =>
    typeof a === 'string' && typeof b === 'string'
      ? a.toLowerCase() === b.toLowerCase()
      : JSON.stringify(a) === JSON.stringify(b),
  less: (a, b) => compare(a, b, (order) => order < 0),
  lessorequals: (a, b) => compare(a, b, (order) => order <= 0),
  greater: (a, b) => compare(a, b, (order) => order > 0),
  greaterorequals: (a, b) => compare(a, b, (order) => order >= 0),
  not: (value) => (typeof value === 'boolean' ? !value : undefined),

  tolower: (value) => text(value)?.toLowerCase(),
  toupper: (value) => text(value)?.toUpperCase(),
  trim: (value) => text(value)?.trim(),
  replace: (value, old, with_) => replaceAll(text(value), shown(old), shown(with_)),
  substring: (value, start, length) =>
    text(value)?.slice(
      Number(shown(start ?? 0)),
      length === undefined ? undefined : Number(shown(start)) + Number(shown(length)),
    ),
  split: (value, by) => splitBy(value, by),
  join: (list, by) => (Array.isArray(list) ? joinBy(list.map(shown), shown(by)) : undefined),
  startswith: (value, start) => text(value)?.toLowerCase().startsWith(shown(start).toLowerCase()),
  endswith: (value, end) => text(value)?.toLowerCase().endsWith(shown(end).toLowerCase()),
  indexof: (value, part) =>
    Array.isArray(value)
      ? value.indexOf(part)
      : text(value)?.toLowerCase().indexOf(shown(part).toLowerCase()),
  lastindexof: (value, part) => text(value)?.toLowerCase().lastIndexOf(shown(part).toLowerCase()),
  padleft: (value, width, fill) =>
    typeof width === 'number' && width <= maxLength
      ? shown(value).padStart(width, text(fill) ?? ' ')
      : undefined,
  uri: (base, relative) => {
    const start = text(base);
    return start === undefined
      ? undefined
      : `${start.replace(/\/$/, '')}/${shown(relative).replace(/^\//, '')}`;
  },
  uricomponent: (value) => encodeText(value),

  array: (value) => (Array.isArray(value) ? (value as unknown[]) : [value]),
  range: (start, count) =>
    typeof start === 'number' && typeof count === 'number' && count >= 0 && count <= maxLength
      ? Array.from({ length: count }, (_, index) => start + index)
      : undefined,
  union: (...args) => union(args),
  intersection: (...args) => intersection(args),
  objectkeys: (value) => (isFields(value) ? Object.keys(value).sort() : undefined),
  items: (value) =>
    isFields(value)
      ? Object.keys(value)
          .sort()
          .map((key) => ({ key, value: value[key] }))
      : undefined,
};

/** Azure's own bound for lists; texts and lists that a template makes stay in reason. */
const maxLength = 10_000;

/** Characters of a text that is put together: as many as Azure takes in a template. */
export const maxText = 4_000_000;

function replaceAll(value: string | undefined, old: string, by: string): string | undefined {
  if (value === undefined || old === '') return undefined;
  return joinBy(value.split(old), by);
}

function joinBy(words: readonly string[], by: string): string | undefined {
  const length = words.reduce((sum, word) => sum + word.length + by.length, 0);
  return length > maxText ? undefined : words.join(by);
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

function numbers(
  a: unknown,
  b: unknown,
  calculate: (x: number, y: number) => number | undefined,
): number | undefined {
  if (typeof a !== 'number' || typeof b !== 'number') return undefined;
  const result = calculate(a, b);
  return result === undefined ? undefined : finite(result);
}

function extreme(
  args: readonly unknown[],
  choose: (a: number, b: number) => number,
): number | undefined {
  const all = args.flatMap((arg) => (Array.isArray(arg) ? (arg as unknown[]) : [arg]));
  const [first, ...rest] = all.filter((one) => typeof one === 'number');
  if (first === undefined || rest.length + 1 !== all.length) return undefined;
  return rest.reduce((best, one) => choose(best, one), first);
}

function compare(a: unknown, b: unknown, accept: (order: number) => boolean): boolean | undefined {
  if (typeof a === 'number' && typeof b === 'number') return accept(a - b);
  if (typeof a === 'string' && typeof b === 'string') return accept(a < b ? -1 : a > b ? 1 : 0);
  return undefined;
}

function splitBy(value: unknown, by: unknown): string[] | undefined {
  const whole = text(value);
  const [first, ...others] = (Array.isArray(by) ? by : [by]).map(shown);
  if (whole === undefined || first === undefined) return undefined;
  return others.reduce(
    (parts, one) => parts.flatMap((part) => part.split(one)),
    whole.split(first),
  );
}

function parseJson(value: unknown): unknown {
  try {
    const read: unknown = JSON.parse(shown(value));
    return findTooDeep(read) ? undefined : read;
  } catch {
    return undefined; // Azure would refuse the deployment
  }
}

function encodeText(value: unknown): string | undefined {
  try {
    return encodeURIComponent(shown(value));
  } catch {
    return undefined; // half of a surrogate pair
  }
}

/** Of objects, the later wins, and objects inside are put together too; of lists, each value once. */
function union(args: readonly unknown[]): unknown {
  if (args.every((one) => Array.isArray(one))) {
    const all = args.flat() as unknown[];
    return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  }
  return args.every(isFields)
    ? args.reduce<unknown>((all, one) => mergeDeep(all, one, 0), {})
    : undefined;
}

function mergeDeep(a: unknown, b: unknown, depth: number): unknown {
  if (!isFields(a) || !isFields(b) || isUnknown(a) || isUnknown(b) || depth > 100) return b;
  const inner = Object.entries(b).map(
    ([key, value]) =>
      [key, Object.hasOwn(a, key) ? mergeDeep(a[key], value, depth + 1) : value] as const,
  );
  return Object.fromEntries([...Object.entries(a), ...inner]);
}

function intersection([first, ...rest]: readonly unknown[]): unknown {
  if (!Array.isArray(first) || !rest.every((one) => Array.isArray(one))) return undefined;
  const others = rest.map((one) => new Set(one.map((item) => JSON.stringify(item))));
  return (first as unknown[]).filter((item) =>
    others.every((other) => other.has(JSON.stringify(item))),
  );
}

/** A value as it would stand in a text; what is not known, as `${…}`. */
export const shown = (value: unknown): string =>
  value instanceof UnknownValue
    ? (value.text ?? `\${${value.expression}}`)
    : typeof value === 'string'
      ? value
      : value === undefined
        ? ''
        : JSON.stringify(value);

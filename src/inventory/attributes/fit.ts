import type { Resource } from '../../contract/resources.ts';
import { UnknownValue, typeKey } from '../../contract/resources.ts';
import { isFields } from '../json.ts';
import { commonAttributes, shapeOf } from './shapes.ts';
import type { Shape } from './shapes.ts';
import { spell, wordsOf } from './spelling.ts';
import type { Spelling } from './spelling.ts';

/** A well-known attribute of a type that holds a value, or a list of them. */
interface Leaf {
  readonly path: readonly string[];
  readonly shape: Shape;
}

/** By type, in one spelling: a hostile input may have as many types and spellings as it has resources. */
const leavesByType = new Map<string, Leaves>();

/** By the first name: a resource has a few of them, and is looked at in a few hundred nanoseconds. */
type Leaves = ReadonlyMap<string, readonly Leaf[]>;
const noLeaves: Leaves = new Map();

/**
 * A resource in govctl's own format, with well-known attributes of a wrong type as `UnknownValue`: `"false"` equals
 * neither true nor false, so that no condition would hold, and policies would pass. Words are spelled as readers spell
 * them: `TCP` is `tcp`, and unknown words are unknown. Null is absent. What a reader made of another format is right, and
 * unknown types may have anything.
 */
export function fitAttributes<R extends Resource>(resource: R): R {
  if (isFields(resource['source']) && Object.hasOwn(resource['source'], 'format')) return resource;
  let fitted = resource;
  const leaves = leavesOf(resource.type);
  for (const name in resource) {
    for (const { path, shape } of leaves.get(name) ?? none) {
      const value = valueAt(resource, path);
      const fit = value === undefined ? undefined : fitValue(value, shape);
      if (fit !== value) fitted = withValue(fitted, path, fit) as R;
    }
  }
  return fitted;
}

const none: readonly Leaf[] = [];

function leavesOf(type: string): Leaves {
  const key = typeKey(type);
  const known = leavesByType.get(key);
  if (known) return known;
  const shape = shapeOf(type);
  if (!shape) return noLeaves;
  const own = [...(shape.fields ?? [])].filter(([name]) => !commonAttributes.has(name));
  const leaves = new Map(own.map(([name, one]) => [name, flatten([name], one)]));
  leavesByType.set(key, leaves);
  return leaves;
}

const flatten = (path: readonly string[], shape: Shape): Leaf[] =>
  shape.fields && !shape.item
    ? [...shape.fields].flatMap(([name, one]) => flatten([...path, name], one))
    : [{ path, shape }];

function valueAt(resource: Resource, path: readonly string[]): unknown {
  let value: unknown = resource;
  for (const step of path) {
    if (!isFields(value) || value instanceof UnknownValue || !Object.hasOwn(value, step)) {
      return undefined;
    }
    value = value[step];
  }
  return value;
}

/** A copy with another value, or without one where it is undefined. */
function withValue(holder: unknown, [step = '', ...rest]: readonly string[], value: unknown) {
  const { [step]: inner, ...others } = isFields(holder) ? holder : {};
  const next: unknown = rest.length === 0 ? value : withValue(inner, rest, value);
  return next === undefined ? others : { ...others, [step]: next };
}

function fitValue(value: unknown, { type, fields, item, spelling }: Shape): unknown {
  if (value instanceof UnknownValue || value === undefined) return value;
  if (value === null) return undefined;
  if (item || type?.startsWith('list')) {
    if (!Array.isArray(value)) return unfit(value, 'a list');
    return item ? fitItems(value as unknown[], item) : value;
  }
  if (fields) return fitFields(value, fields);
  switch (type) {
    case 'bool':
      return typeof value === 'boolean' ? value : unfit(value, 'true or false');
    case 'int':
    case 'double':
      return typeof value === 'number' ? value : unfit(value, 'a number');
    case 'string':
    case 'timestamp':
      if (typeof value !== 'string') return unfit(value, 'a string');
      return spelling === undefined ? value : spellWord(value, spelling);
    default:
      return value;
  }
}

function fitItems(items: readonly unknown[], shape: Shape): unknown {
  const fitted = items.map((one) => (one === null ? unfit(one, 'a value') : fitValue(one, shape)));
  return fitted.some((one, at) => one !== items[at]) ? fitted : items;
}

function fitFields(value: unknown, fields: ReadonlyMap<string, Shape>): unknown {
  if (!isFields(value)) return unfit(value, 'a map');
  let fitted: unknown = value;
  for (const [name, shape] of fields) {
    const before = Object.hasOwn(value, name) ? value[name] : undefined;
    const after = fitValue(before, shape);
    if (after !== before) fitted = withValue(fitted, [name], after);
  }
  return fitted;
}

const spellWord = (word: string, spelling: Spelling): unknown => {
  const spelled = spell(word, spelling);
  if (typeof spelled === 'string') return spelled;
  const words = wordsOf(spelling);
  return new UnknownValue(
    `a string other than ${words.slice(0, mostWords).join(', ')}${words.length > mostWords ? ', …' : ''}`,
  );
};

/** Words that an error names. */
const mostWords = 8;

/** Says no value: it may be a secret. */
const unfit = (value: unknown, wanted: string): UnknownValue =>
  new UnknownValue(`${kindOf(value)} instead of ${wanted}`);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  const kinds: Readonly<Record<string, string>> = { object: 'a map', string: 'a string', number: 'a number' }; // prettier-ignore
  return kinds[typeof value] ?? 'true or false';
}

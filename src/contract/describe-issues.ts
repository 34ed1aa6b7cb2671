import type { z } from 'zod';
import type { ErrorDetail } from './errors.ts';
import { nearestWord } from './nearest.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/**
 * What a schema found wrong with a JSON value, as `details` of an error: one entry for each field, which names the
 * nearest known word for an unknown field or value. `field` is empty for the value as a whole.
 */
export function describeIssues(
  schema: z.core.$ZodType,
  value: unknown,
  issues: readonly Issue[],
): ErrorDetail[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const known = fieldsAt(schema, issue.path);
      return issue.keys.map((key) => ({
        field: showPath([...issue.path, key]),
        message: unknownField(key, known),
      }));
    }
    return [{ field: showPath(issue.path), message: explain(issue, valueAt(value, issue.path)) }];
  });
}

/** `rules[0].effect` */
function showPath(path: Path): string {
  return path
    .map((step, at) =>
      typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${cut(String(step))}`,
    )
    .join('');
}

function unknownField(key: string, known: readonly string[]): string {
  const nearest = nearestWord(key, known);
  if (nearest) return `is not a known field; did you mean ${nearest}?`;
  return `is not a known field${known.length > 0 ? `; known are ${known.join(', ')}` : ''}`;
}

/** The names of the fields that the object at `path` may have. */
function fieldsAt(schema: z.core.$ZodType, path: Path): readonly string[] {
  // The definitions are a closed union on `type`; only these hold other schemas here.
  const { def } = schema._zod as unknown as { def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'nullable':
      return fieldsAt(def.innerType, path);
    case 'pipe':
      return fieldsAt(def.in, path);
    case 'array':
      return path.length > 0 ? fieldsAt(def.element, path.slice(1)) : [];
    case 'object': {
      const [step, ...rest] = path;
      if (step === undefined) return Object.keys(def.shape);
      const inner = Object.hasOwn(def.shape, step) ? def.shape[String(step)] : undefined;
      return inner ? fieldsAt(inner, rest) : [];
    }
    default:
      return [];
  }
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[step]; // just seen to be there
  }
  return at;
}

function explain(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      if (value === undefined) return 'is required';
      return `must be ${typeWords[issue.expected] ?? issue.expected}, not ${describeValue(value)}`;
    case 'invalid_value': {
      if (value === undefined) return 'is required';
      const values = issue.values.map(String);
      const nearest = typeof value === 'string' ? nearestWord(value, values) : undefined;
      const expected = values.length === 1 ? values[0] : `one of ${values.join(', ')}`;
      return `must be ${expected}, not ${describeValue(value)}${nearest ? `; did you mean ${nearest}?` : ''}`;
    }
    case 'too_small':
    case 'too_big':
      return ownWords(issue) ?? describeSize(issue);
    default:
      return issue.message.slice(0, 1).toLowerCase() + issue.message.slice(1);
  }
}

/** The contract's own message, where it has one. */
const ownWords = ({ message }: Issue): string | undefined =>
  /^(Too|Invalid)\b/.test(message) ? undefined : message;

function describeSize(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const small = issue.code === 'too_small';
  const bound = Number(small ? issue.minimum : issue.maximum);
  const relation = small ? 'at least' : 'at most';
  if (issue.origin === 'string') {
    return small && bound === 1 ? 'must not be empty' : `must have ${relation} ${bound} characters`;
  }
  if (issue.origin === 'array') return `must have ${relation} ${bound} entries`;
  return `must be ${relation} ${bound}`;
}

const typeWords: Readonly<Partial<Record<string, string>>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? JSON.stringify(cut(value)) : String(value);
}

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text);

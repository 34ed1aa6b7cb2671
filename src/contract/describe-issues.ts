import type * as z from 'zod';
import type { ErrorDetail } from './errors.ts';
import { nearestWord } from './nearest.ts';
import { inThrees } from './in-threes.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Entries that are worked out; nobody reads more, and a body can have a million. */
const maxDetails = 100;

/**
 * What a schema found wrong with a JSON value, as `details` of an error: one entry for each field, which names the
 * nearest known word for an unknown field or value, and a last one for those beyond the first 100. `field` is empty
 * for the value as a whole. The issues must have been reported with their input.
 */
export function describeIssues(
  schema: z.core.$ZodType,
  value: unknown,
  issues: readonly Issue[],
): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  for (const issue of issues) {
    const room = maxDetails - details.length;
    if (room === 0) break;
    if (issue.code === 'unrecognized_keys') {
      const known = fieldsAt(schema, issue.path);
      for (const key of issue.keys.slice(0, room)) {
        details.push({
          field: showPath([...issue.path, key]),
          message: unknownField(key, known),
        });
      }
    } else {
      const field = showPath(pathIn(value, issue.path));
      details.push({ field, message: explain(issue, issue.input) });
    }
  }
  const more = countFindings(issues) - details.length;
  if (more > 0) details.push({ field: '', message: `and ${more} more` });
  return details;
}

/** How many entries they would make, without a limit. */
export const countFindings = (issues: readonly Issue[]): number =>
  issues.reduce(
    (sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1),
    0,
  );

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
  return `is not a known field${known.length > 0 ? `; known fields are ${known.join(', ')}` : ''}`;
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
      // What is preprocessed says what it takes only behind that.
      return fieldsAt(def.in._zod.def.type === 'transform' ? def.out : def.in, path);
    case 'record':
      return path.length > 0 ? fieldsAt(def.valueType, path.slice(1)) : [];
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

/** The path as far as it lies in the value as given: an entry of a list that came as one text is that text. */
function pathIn(value: unknown, path: Path): Path {
  let at = value;
  for (const [depth, step] of path.entries()) {
    if (typeof at === 'string') return path.slice(0, depth);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return path;
    at = (at as Record<PropertyKey, unknown>)[step]; // just seen to be there
  }
  return path;
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
    case 'invalid_key': {
      // What is wrong with the key itself, after the path that ends with it.
      const [first] = issue.issues;
      return first ? explain(first, first.input) : 'is not a valid key';
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
    return small && bound === 1
      ? 'must not be empty'
      : `must have ${relation} ${inThrees(bound)} characters`;
  }
  if (issue.origin === 'array') return `must have ${relation} ${inThrees(bound)} entries`;
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

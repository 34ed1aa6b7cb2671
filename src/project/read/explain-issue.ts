import type * as z from 'zod';
import { eventTypes } from '../../contract/events.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { FieldPath } from './locate.ts';
import { firstKeySpan, locate, valueSpan } from './locate.ts';
import type { Problem } from '../model.ts';
import type { RawDocument } from './parse-yaml.ts';
import { spanOf } from './parse-yaml.ts';
import { problemAt } from './source.ts';
import type { Finding, Source, Span } from './source.ts';
import { inThrees } from '../../contract/in-threes.ts';

type Issue = z.core.$ZodIssue;

/**
 * Says what a schema found wrong with a document, in the words and at the places of its file. `special` may say more
 * about an unknown field, by its name and the path of the map that has it.
 */
export function explainIssues(
  source: Source,
  document: RawDocument,
  issues: readonly Issue[],
  schema: z.core.$ZodType,
  special: (name: string, path: FieldPath) => Finding | undefined = () => undefined,
): Problem[] {
  const misspelt = new Set<string>();
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const known = fieldNames(schema, asPath(issue.path));
    for (const name of issue.keys) {
      misspelt.add(showPath([...asPath(issue.path), nearestWord(name, known) ?? '']));
    }
  }
  return issues.flatMap((issue) => {
    const path = asPath(issue.path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((name) =>
        unknownField(
          source,
          document,
          [...path, name],
          special(name, path),
          fieldNames(schema, path),
        ),
      );
    }
    const located = locate(document, path);
    const value = valueAt(document.value, path);
    if (located.missing > 0 || value === undefined) {
      // `efect` is one mistake, not an unknown field and a missing one.
      return misspelt.has(showPath(path)) ? [] : [missingField(source, document, path, issue)];
    }
    const secret = issue.code === 'custom' && issue.params?.secret === true;
    const finding = { ...explain(issue, path, value, fieldNames(schema, [...path, 0])), secret };
    return [problemAt(source, valueSpan(located, source.text), finding)];
  });
}

const asPath = (path: readonly PropertyKey[]): FieldPath =>
  path.map((step) => (typeof step === 'number' ? step : String(step)));

/** The names of the fields that the map at `path` may have. */
export function fieldNames(schema: z.core.$ZodType, path: FieldPath): readonly string[] {
  // The definitions are a closed union on `type`; only these hold other schemas here.
  const { def } = schema._zod as unknown as { def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'optional':
    case 'default':
    case 'nullable':
    case 'prefault':
      return fieldNames(def.innerType, path);
    case 'pipe':
      return fieldNames(def.in, path);
    case 'union':
      return [...new Set(def.options.flatMap((option) => fieldNames(option, path)))];
    case 'array':
      return path.length > 0 ? fieldNames(def.element, path.slice(1)) : [];
    case 'object': {
      const [step, ...rest] = path;
      if (step === undefined) return Object.keys(def.shape);
      const inner = Object.hasOwn(def.shape, step) ? def.shape[step] : undefined;
      return inner ? fieldNames(inner, rest) : [];
    }
    default:
      return [];
  }
}

/** `rules[0].effect`, as people write paths. */
function showPath(path: FieldPath): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`,
    )
    .join('');
}

const placeOf = (path: FieldPath): string => (path.length === 0 ? '' : ` in ${showPath(path)}`);

function unknownField(
  source: Source,
  document: RawDocument,
  path: FieldPath,
  special: Finding | undefined,
  known: readonly string[],
): Problem {
  const { key, node, missing } = locate(document, path);
  const span: Span = key && missing === 0 ? spanOf(key) : spanOf(node);
  if (special) return problemAt(source, span, special);
  const name = String(path.at(-1));
  const nearest = nearestWord(name, known);
  return problemAt(source, span, {
    code: 'unknown-field',
    message: `unknown field "${name}"${placeOf(path.slice(0, -1))}`,
    hint: nearest
      ? `Did you mean ${nearest}?`
      : known.length > 0
        ? `Allowed fields: ${known.join(', ')}.`
        : undefined,
  });
}

function missingField(
  source: Source,
  document: RawDocument,
  path: FieldPath,
  issue: Issue,
): Problem {
  const around = path.slice(0, -1);
  const located = locate(document, around);
  const span =
    firstKeySpan(located.node) ?? (located.key ? spanOf(located.key) : spanOf(located.node));
  const name = String(path.at(-1) ?? '');
  return problemAt(source, span, {
    code: 'missing-field',
    message: `the required field "${name}" is missing${placeOf(around)}`,
    hint: `Add ${name}: ${expectedOf(issue)}.`,
  });
}

function valueAt(value: unknown, path: FieldPath): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

const expectedWords: Partial<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of fields',
  record: 'a map of fields',
};

function expectedOf(issue: Issue): string {
  if (issue.code === 'invalid_type') return expectedWords[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return issue.values.map(String).join(' | ');
  return '…';
}

/** @param itemFields names of the fields of its items, where it is a list of maps */
function explain(
  issue: Issue,
  path: FieldPath,
  value: unknown,
  itemFields: readonly string[],
): Finding {
  const field = path.length === 0 ? 'the document' : showPath(path);
  switch (issue.code) {
    case 'invalid_type':
      return {
        code: 'wrong-type',
        message: `${field} must be ${expectedOf(issue)}, but is ${describe(value)}`,
        hint: typeHint(issue.expected, value, itemFields),
      };
    case 'invalid_value':
      return { code: 'invalid-value', ...explainChoice(issue.values.map(String), field, value) };
    case 'too_small':
    case 'too_big':
      return { code: 'invalid-value', message: `${field} ${sizeMessage(issue)}` };
    case 'invalid_union': {
      const inner = issue.errors.flat().map((one) => expectedOf(one as Issue));
      return {
        code: 'invalid-value',
        message: `${field} must be ${[...new Set(inner)].join(' or ')}, but is ${describe(value)}`,
      };
    }
    default:
      return { code: 'invalid-value', message: `${field} ${inSentence(issue.message)}` };
  }
}

/** Characters of a list of values that a sentence bears. */
const longestChoice = 80;
const mostNear = 3;

/** A value that is none of those allowed. Many of them are not said in the sentence, but after it where none is near. */
function explainChoice(
  values: readonly string[],
  field: string,
  value: unknown,
): Pick<Finding, 'message' | 'hint'> {
  const near = typeof value === 'string' ? nearestWords(value, values) : [];
  const all = values.join(', ');
  if (all.length <= longestChoice) {
    const [nearest] = near;
    return {
      message: `${field} must be ${values.length === 1 ? all : `one of ${all}`}, but is ${describe(value)}`,
      hint: nearest && `Did you mean ${nearest}?`,
    };
  }
  const isEvent = all === eventTypes.join(', ');
  return {
    message: `${field} is ${describe(value)}, which is not ${isEvent ? 'an event type' : `one of its ${values.length} values`}`,
    hint:
      near.length > 0
        ? `Did you mean ${near.join(' or ')}?`
        : `${isEvent ? 'Event types' : 'Values'}: ${all}.`,
  };
}

/** A few that are near, the nearest first. */
function nearestWords(written: string, known: readonly string[]): string[] {
  const near: string[] = [];
  while (near.length < mostNear) {
    const next = nearestWord(
      written,
      known.filter((word) => !near.includes(word)),
    );
    if (next === undefined) break;
    near.push(next);
  }
  return near;
}

function sizeMessage(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const small = issue.code === 'too_small';
  const bound = Number(small ? issue.minimum : issue.maximum);
  const relation = small ? 'at least' : 'at most';
  const plural = bound === 1 ? '' : 's';
  switch (issue.origin) {
    case 'string':
      return small && bound === 1
        ? 'must not be empty'
        : `must have ${relation} ${inThrees(bound)} character${plural}`;
    case 'array':
      return `must have ${relation} ${bound === 1 ? 'one' : inThrees(bound)} item${plural}`;
    default:
      return `must be ${relation} ${bound}`;
  }
}

function describe(value: unknown): string {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value === 'string') return value === '' ? 'an empty string' : `"${cut(value)}"`;
  if (typeof value === 'boolean') return String(value);
  return `the number ${String(value)}`;
}

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 57)}…` : text);

function typeHint(
  expected: string,
  value: unknown,
  itemFields: readonly string[],
): string | undefined {
  if (expected === 'string' && value !== null && typeof value !== 'object') {
    return `Use quotes: "${String(value)}".`;
  }
  if (expected === 'boolean' && typeof value === 'string') {
    if (/^(yes|on|y|true)$/i.test(value)) return 'Use true without quotes.';
    if (/^(no|off|n|false)$/i.test(value)) return 'Use false without quotes.';
  }
  if (expected === 'array' && value !== null && typeof value !== 'object') {
    return itemFields.length === 0
      ? `Use a list: [${String(value)}].`
      : `Use a list of items with these fields: ${itemFields.join(', ')}.`;
  }
  if ((expected === 'number' || expected === 'int') && typeof value === 'string') {
    return Number.isFinite(Number(value)) ? 'Remove the quotes.' : undefined;
  }
  return undefined;
}

/** The library's words begin a sentence; our own go on with one, and may begin with a name such as GOVCTL_TOKEN. */
const inSentence = (message: string): string =>
  /^(Too|Invalid)\b/.test(message) ? message.slice(0, 1).toLowerCase() + message.slice(1) : message;

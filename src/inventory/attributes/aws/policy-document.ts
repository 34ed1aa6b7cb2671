import { defined } from '../../../contract/defined.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import { at, isUnknown, list, mapList, text, unlike } from '../values.ts';

/** A statement of an AWS policy document: single values are lists, whatever is not given is empty. */
export interface Statement {
  readonly effect?: string | UnknownValue;
  readonly sid?: string | UnknownValue;
  readonly principals: Texts;
  readonly not_principals: Texts;
  readonly actions: Texts;
  readonly not_actions: Texts;
  readonly resources: Texts;
  readonly not_resources: Texts;
  readonly conditions: Readonly<Record<string, unknown>> | UnknownValue;
  /** The type of the resource that has it, where that is one of its own and is judged there too. */
  readonly declared_by?: string;
}

/** A policy that is a resource of its own in the same input. */
export interface SeparatePolicy {
  readonly type: string;
  readonly document: unknown;
}

type Texts = readonly unknown[] | UnknownValue;

/**
 * The statements of a policy document, given as an object or as JSON text (percent-encoded or not). Absent → none.
 * @param principalOf what a principal is that only a deployment gives, where more is known than how it is written
 */
export function readStatements(
  document: unknown,
  declaredBy?: string,
  principalOf: (value: unknown) => unknown = asWritten,
): (Statement | UnknownValue)[] | UnknownValue {
  const origin = declaredBy === undefined ? {} : { declared_by: declaredBy };
  const parsed = parseDocument(document);
  if (parsed === undefined || parsed === null || parsed === '') return [];
  const odd = oddity(parsed, 'policy document', documentKeys);
  if (odd) return odd;
  const statements =
    at(parsed, 'Statement') ?? new UnknownValue('a policy document without a Statement');
  return mapList(statements, (item) =>
    isUnknown(item)
      ? item
      : (oddity(item, 'statement', statementKeys) ?? {
          ...readStatement(item, principalOf),
          ...origin,
        }),
  );
}

/** The document of a resource that is nothing but a policy: where it is missing, nothing is known of it. */
export const requiredDocument = (document: unknown): unknown =>
  document ?? new UnknownValue('a missing policy document');

/** The elements of the "Grammar of the IAM JSON policy language", IAM User Guide. */
const documentKeys = ['Version', 'Id', 'Statement'];
const statementKeys = [
  ...['Sid', 'Effect', 'Principal', 'NotPrincipal', 'Action', 'NotAction'],
  ...['Resource', 'NotResource', 'Condition'],
];

/** What AWS would refuse, such as a key in another case: what it would do is unknown. */
function oddity(given: unknown, what: string, keys: readonly string[]): UnknownValue | undefined {
  if (isUnknown(given)) return undefined;
  if (Array.isArray(given)) return unlike('a list', `a ${what}`);
  if (typeof given !== 'object' || given === null)
    return unlike(JSON.stringify(given), `a ${what}`);
  const strange = Object.keys(given).find((key) => !keys.includes(key));
  return strange === undefined ? undefined : new UnknownValue(`a ${what} with the key ${strange}`);
}

/** The statements of several documents in one list. */
export function readAllStatements(
  documents: readonly unknown[],
  separate: readonly SeparatePolicy[] = [],
): (Statement | UnknownValue)[] | UnknownValue {
  const read = [
    ...documents.map((document) => readStatements(document)),
    ...separate.map(({ type, document }) => readStatements(requiredDocument(document), type)),
  ];
  const known = read.flatMap((one) => (isUnknown(one) ? [] : one));
  const unknown = read.filter(isUnknown);
  return known.length === 0 && unknown[0] ? unknown[0] : [...known, ...unknown];
}

function readStatement(given: unknown, principalOf: (value: unknown) => unknown): Statement {
  const effect = effectOf(at(given, 'Effect'));
  const sid = text(at(given, 'Sid'));
  return {
    ...defined({ effect, sid }),
    principals: principals(at(given, 'Principal'), principalOf),
    not_principals: principals(at(given, 'NotPrincipal'), principalOf),
    actions: wild(at(given, 'Action') ?? actionsWithout(at(given, 'NotAction'))),
    not_actions: wild(at(given, 'NotAction')),
    resources: everyArn(wild(at(given, 'Resource'))),
    not_resources: everyArn(wild(at(given, 'NotResource'))),
    conditions: conditions(at(given, 'Condition')),
  };
}

const actionsWithout = (but: unknown): unknown =>
  but === undefined ? new UnknownValue('the actions of a statement without actions') : undefined;

/** "The Effect value is case sensitive": IAM JSON policy elements: Effect, IAM User Guide. */
function effectOf(value: unknown): Statement['effect'] {
  const word = text(value);
  if (word === undefined || isUnknown(word) || word === 'Allow' || word === 'Deny') return word;
  return unlike(word, 'Allow or Deny');
}

/** Several asterisks mean as much as one, and `*:*` or `?*` every action or resource, as `*` does: none has an empty part. */
function wild(value: unknown): Texts {
  const words = texts(value);
  if (isUnknown(words)) return words;
  return words.map((one) =>
    typeof one !== 'string'
      ? one
      : /^\??\*+(:\??\*+)?$/.test(one)
        ? '*'
        : one.replace(/^([\w-]+:)\??\*+$/, '$1*'),
  );
}

/** An ARN whose parts after the partition are wildcards is that of every resource, as `*` is: one stands for any number of parts. */
function everyArn(words: Texts): Texts {
  if (isUnknown(words)) return words;
  return words.map((one) =>
    typeof one === 'string' && /^arn:(\*|(aws[\w-]*|\$\{[^}]*\})(\*|:\*))[*:]*$/.test(one)
      ? '*'
      : one,
  );
}

/** JSON text → its value. Text that is no JSON can't be judged, so it is unknown rather than empty. */
function parseDocument(document: unknown): unknown {
  if (isUnknown(document)) return parsePartly(document);
  if (typeof document !== 'string' || document.trim() === '') return document;
  try {
    // The IAM API, and with it AWS Config, gives documents percent-encoded.
    return JSON.parse(/^\s*%7B/i.test(document) ? decodeURIComponent(document) : document);
  } catch {
    return new UnknownValue('a policy document that is not valid JSON');
  }
}

/** A JSON text of which some pieces are unknown, as `Fn::Sub` makes it: those stand in its texts, and hide no other part. */
function parsePartly(document: UnknownValue): unknown {
  if (document.text === undefined) return document;
  try {
    return JSON.parse(document.text, (_, value: unknown) =>
      typeof value === 'string' && isOpen(value) ? new UnknownValue(value) : value,
    );
  } catch {
    return document;
  }
}

/** Whether a text is nothing but pieces that may turn out to be anything; an attribute of a resource or `AWS::AccountId` may not. */
const isOpen = (text: string): boolean =>
  /^(?:\$\{[^}]*\})+$/.test(text) &&
  !/^\$\{(?:AWS::\w+|(?!(?:var|local|each|data|module|path)\.)\w+\.[\w.]+)\}$/.test(text);

/** Texts; what is nested one level deeper (a condition inside a list) is taken up, a map counts by its values. */
function texts(value: unknown, write = asWritten): Texts {
  const items = list(value);
  if (isUnknown(items)) {
    const written = write(items);
    // Something stands there, though it is unknown: the list is not empty.
    return isUnknown(written) && !written.present ? written : [written];
  }
  return items.flatMap((item): unknown[] => {
    const isNested = typeof item === 'object' && item !== null && !isUnknown(item);
    const inner = isNested ? Object.values(item).flat() : [item];
    return inner.flatMap((one): unknown[] => {
      const word = text(write(one));
      return word === undefined ? [] : [word];
    });
  });
}

/**
 * A text in which what only a deployment gives stays as it is written, `${Role.Arn}`: the name or ARN of a resource is
 * neither a wildcard nor that of something of AWS's own. What may turn out to be anything, such as a parameter, stays
 * unknown.
 */
export function asWritten(value: unknown): unknown {
  if (!isUnknown(value)) return value;
  if (value.text?.replace(/\$\{[^}]*\}/g, '')) return value.text;
  const [, ofTemplate] = /^(?:Ref|GetAtt) (.+)$/.exec(value.expression) ?? [];
  const isResource = value.target !== undefined || (ofTemplate !== undefined && value.present);
  return isResource && !value.parameter ? `\${${ofTemplate ?? value.expression}}` : value;
}

/** `"*"`, or lists by kind: `{AWS: [...], Service: ...}`. The kind is left out, as `*` means the same in each. */
const principals = texts;

function conditions(value: unknown): Statement['conditions'] {
  if (isUnknown(value)) return value;
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).map(([operator, keys]): [string, unknown] => [
      operator,
      isUnknown(keys) || typeof keys !== 'object' || keys === null
        ? keys
        : Object.fromEntries(
            Object.entries(keys).map(([key, values]): [string, unknown] => [key, texts(values)]),
          ),
    ]),
  );
}

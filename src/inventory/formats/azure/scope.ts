import { UnknownValue } from '../../../contract/resources.ts';
import { field, fieldsOf, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { DocumentProblem } from '../../model.ts';
import { findTooDeep } from '../../text/depth.ts';
import { noParameter, notAllowed } from '../given-parameters.ts';
import { evaluateCopies, evaluateValue } from './evaluate.ts';
import type { Scope } from './evaluate.ts';

/** Values that a template is given for its parameters, by their names in lower case: Azure does not tell case apart. */
export type ParameterValues = ReadonlyMap<string, unknown>;

/** Definitions that lead from one to the next; people go a few deep. */
const maxDefinitions = 64;

/** The scope of a template: its parameters and variables, each found when it is first asked for. */
export function createScope(
  template: Fields,
  given: ParameterValues,
  around: Pick<Scope, 'findResource' | 'budget'>,
): Scope {
  const parameters = lowerNames(template['parameters']);
  const variables = listVariables(template['variables']);
  const known = new Map<string, unknown>();
  let depth = 0;
  const scope: Scope = {
    ...around,
    loops: [],
    parameter: (name) =>
      once(`parameters('${name}')`, () => parameterValue(name, parameters, given, scope)),
    variable: (name) =>
      once(`variables('${name}')`, () => variables.get(name.toLowerCase())?.(scope)),
  };
  return scope;

  /** A value that is defined by itself, or by a chain too long to follow, is unknown. */
  function once(expression: string, find: () => unknown): unknown {
    const key = expression.toLowerCase();
    if (known.has(key)) return known.get(key);
    const unknown = new UnknownValue(expression, { present: false });
    known.set(key, unknown);
    if (depth >= maxDefinitions) return unknown;
    depth++;
    const value = find();
    depth--;
    known.set(key, value === undefined || findTooDeep(value) ? unknown : value);
    return known.get(key);
  }
}

type Definition = (scope: Scope) => unknown;

function listVariables(variables: unknown): ReadonlyMap<string, Definition> {
  const plain = Object.entries(fieldsOf(variables))
    .filter(([name]) => name !== 'copy')
    .map(([name, value]): [string, Definition] => [
      name.toLowerCase(),
      (scope) => evaluateValue(value, scope),
    ]);
  const copied = itemsOf(field(variables, 'copy')).map((copy): [string, Definition] => [
    (textOf(field(copy, 'name')) ?? '').toLowerCase(),
    (scope) => evaluateCopies([copy], scope)[0]?.[1],
  ]);
  return new Map([...plain, ...copied]);
}

function parameterValue(
  name: string,
  parameters: ReadonlyMap<string, unknown>,
  given: ParameterValues,
  scope: Scope,
): unknown {
  const definition = parameters.get(name.toLowerCase());
  const type = (textOf(field(definition, 'type')) ?? '').toLowerCase();
  if (given.has(name.toLowerCase())) return asType(given.get(name.toLowerCase()), type);
  const standard = field(definition, 'defaultValue');
  if (standard !== undefined) return evaluateValue(standard, scope);
  return new UnknownValue(`parameters('${name}')`, {
    present: field(definition, 'nullable') !== true,
    parameter: { name, secret: type.startsWith('secure') },
    waitsFor: [name],
  });
}

/** Parameters with values that the template does not have, or does not allow: Azure refuses them. */
export function parameterProblems(template: Fields, given: ParameterValues): DocumentProblem[] {
  const parameters = new Map(
    Object.entries(fieldsOf(template['parameters'])).map(([name, one]) => [
      name.toLowerCase(),
      { name, definition: one },
    ]),
  );
  return [...given].flatMap(([key, value]): DocumentProblem[] => {
    const declared = parameters.get(key);
    if (!declared) {
      const names = [...parameters.values()].map(({ name }) => name);
      return [{ ...noParameter(key, names), at: ['parameters'] }];
    }
    const { name, definition } = declared;
    const allowed = field(definition, 'allowedValues');
    if (!Array.isArray(allowed)) return [];
    const type = (textOf(field(definition, 'type')) ?? '').toLowerCase();
    const words = new Set(allowed.map(wordOf));
    const typed = asType(value, type);
    const items: readonly unknown[] = Array.isArray(typed) ? typed : [typed];
    if (items.every((one) => words.has(wordOf(one)))) return [];
    const message = `the parameter ${name} ${notAllowed(allowed)}`;
    return [{ message, at: ['parameters', name], affectsAll: true }];
  });
}

/** Azure compares texts without regard to case. */
const wordOf = (value: unknown): string => JSON.stringify(value).toLowerCase();

/** A value given as a text, as on a command line, is read as its parameter's type. */
function asType(value: unknown, type: string): unknown {
  if (
    typeof value !== 'string' ||
    !['int', 'bool', 'object', 'array', 'secureobject'].includes(type)
  )
    return value;
  try {
    return JSON.parse(value.trim()) as unknown;
  } catch {
    return value; // not of the type: Azure would refuse it, conditions see what was given
  }
}

const lowerNames = (fields: unknown): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(fieldsOf(fields)).map(([name, value]) => [name.toLowerCase(), value]));

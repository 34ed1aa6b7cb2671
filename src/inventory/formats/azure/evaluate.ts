import { defined } from '../../../contract/defined.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import { field, isFields } from '../../json.ts';
import { isUnknown, waitsFor } from '../../attributes/values.ts';
import { isExpressionText, parseExpression } from './expression.ts';
import type { Expression } from './expression.ts';
import { maxText, pureFunctions, shown } from './functions.ts';
import { resourceAddress } from './resource-address.ts';

/** What an expression can see where it stands. */
export interface Scope {
  readonly parameter: (name: string) => unknown;
  readonly variable: (name: string) => unknown;
  /** The loops around it, the innermost last; an index that is not known is an `UnknownValue`. */
  readonly loops: readonly { readonly name: string; readonly index: unknown }[];
  /** The address of a resource of the template, however its type is written, or of a symbolic name. */
  readonly findResource: (address: string) => string | undefined;
  /** What may still be made: hostile templates double their values until nothing can hold them. */
  readonly budget: { left: number };
}

/** Arrays of a `copy` and instances of a resource: Azure takes no more. */
export const maxCopies = 800;

/** A value of a template with its expressions replaced by what they give. */
export function evaluateValue(value: unknown, scope: Scope): unknown {
  if (typeof value === 'string') return evaluateText(value, scope);
  if (typeof value !== 'object' || value === null || isUnknown(value)) return value;
  scope.budget.left -= 1;
  if (scope.budget.left < 0) return new UnknownValue('…', { present: false });
  if (Array.isArray(value)) return value.map((item) => evaluateValue(item, scope));
  if (!isFields(value)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): (readonly [string, unknown])[] => {
    if (key === 'copy' && Array.isArray(inner)) return evaluateCopies(inner, scope);
    const name = evaluateText(key, scope);
    return [[typeof name === 'string' ? name : key, evaluateValue(inner, scope)]];
  });
  return Object.fromEntries(entries);
}

/** `copy: [{name, count, input}]` in an object: a list under each name. */
export function evaluateCopies(
  copies: readonly unknown[],
  scope: Scope,
): (readonly [string, unknown])[] {
  return copies.flatMap((copy): (readonly [string, unknown])[] => {
    const name = field(copy, 'name');
    if (typeof name !== 'string') return [];
    const count = evaluateValue(field(copy, 'count'), scope);
    if (typeof count !== 'number' || count > maxCopies)
      return [[name, new UnknownValue(`copy of ${name}`)]];
    const items: unknown[] = [];
    for (let index = 0; index < count && scope.budget.left >= 0; index++) {
      scope.budget.left -= 1;
      const loops = [...scope.loops, { name, index }];
      items.push(evaluateValue(field(copy, 'input'), { ...scope, loops }));
    }
    return [[name, scope.budget.left < 0 ? new UnknownValue(`copy of ${name}`) : items]];
  });
}

function evaluateText(text: string, scope: Scope): unknown {
  if (!isExpressionText(text)) return text.startsWith('[[') ? text.slice(1) : text;
  // A copy has it parsed for each of its items.
  scope.budget.left -= text.length / 8;
  const expression = scope.budget.left < 0 ? undefined : parseExpression(text);
  return expression ? evaluate(expression, scope) : new UnknownValue(text.slice(1, -1));
}

function evaluate(expression: Expression, scope: Scope): unknown {
  if (expression.kind === 'literal') return expression.value;
  const value =
    expression.kind === 'member' ? memberOf(expression, scope) : call(expression, scope);
  scope.budget.left -= sizeOf(value, scope.budget.left);
  return value === undefined || scope.budget.left < 0
    ? new UnknownValue(expression.text, { present: false })
    : value;
}

/** Roughly how much a value holds, each part as often as it stands in it; counted until it is more than `most`. */
function sizeOf(value: unknown, most: number): number {
  let size = 1;
  const open: unknown[] = [value];
  while (open.length > 0 && size <= most) {
    const next = open.pop();
    if (isUnknown(next)) size += (next.text?.length ?? 0) / 16;
    else if (typeof next === 'string') size += next.length / 16;
    else if (typeof next === 'object' && next !== null) {
      const inner = Object.values(next);
      size += inner.length;
      for (const one of inner) open.push(one);
    }
  }
  return size;
}

type Call = Extract<Expression, { kind: 'call' }>;
type Member = Extract<Expression, { kind: 'member' }>;

function memberOf({ of, key, text }: Member, scope: Scope): unknown {
  const value = evaluate(of, scope);
  const name = evaluate(key, scope);
  if (isUnknown(value)) {
    const attribute =
      value.target === undefined
        ? undefined
        : [value.attribute, shown(name)].filter((one) => one !== undefined).join('.');
    return new UnknownValue(text, {
      present: value.present,
      ...waitsFor(value),
      ...defined({ target: value.target, attribute }),
    });
  }
  if (Array.isArray(value)) return (value as unknown[])[Number(name)];
  if (!isFields(value) || typeof name !== 'string') return undefined;
  // Azure does not distinguish case in the names of an object's attributes.
  const found = Object.keys(value).find((one) => one.toLowerCase() === name.toLowerCase());
  return found === undefined ? undefined : value[found];
}

function call(expression: Call, scope: Scope): unknown {
  const { name, args, text } = expression;
  if (Object.hasOwn(scopedFunctions, name))
    return scopedFunctions[name]?.({
      args,
      scope,
      text,
      value: (index) => valueOf(args[index], scope),
    });
  const values = args.map((arg) => evaluate(arg, scope));
  if (!Object.hasOwn(pureFunctions, name)) return new UnknownValue(text);
  const unknown = values.some(holdsUnknown);
  return unknown ? new UnknownValue(text, waitsFor(...values)) : pureFunctions[name]?.(...values);
}

const valueOf = (arg: Expression | undefined, scope: Scope): unknown => arg && evaluate(arg, scope);

/** Whether something in a list or an object is unknown; looks at so much only. */
function holdsUnknown(value: unknown): boolean {
  const open: unknown[] = [value];
  for (let looked = 0; open.length > 0 && looked < 10_000; looked++) {
    const next = open.pop();
    if (isUnknown(next)) return true;
    if (typeof next === 'object' && next !== null)
      open.push(...Object.values(next).slice(0, 1_000));
  }
  return false;
}

interface Given {
  readonly args: readonly Expression[];
  readonly scope: Scope;
  readonly text: string;
  readonly value: (index: number) => unknown;
}

/** Functions that look around them, or that can tell something although an argument is not known. */
const scopedFunctions: Readonly<Record<string, (given: Given) => unknown>> = {
  parameters: ({ value, scope }) => scope.parameter(shown(value(0))),
  variables: ({ value, scope }) => scope.variable(shown(value(0))),
  copyindex: copyIndex,
  if: ({ value, text }) => {
    const condition = value(0);
    if (!isUnknown(condition)) return condition === true ? value(1) : value(2);
    const [yes, no] = [value(1), value(2)];
    if (JSON.stringify(yes) === JSON.stringify(no) && !holdsUnknown(yes)) return yes;
    return new UnknownValue(text, {
      present: yes !== null && no !== null,
      ...waitsFor(condition),
    });
  },
  and: ({ args, value, text }) => {
    const values = args.map((_, index) => value(index));
    if (values.includes(false)) return false;
    return values.every((one) => one === true) || new UnknownValue(text, waitsFor(...values));
  },
  or: ({ args, value, text }) => {
    const values = args.map((_, index) => value(index));
    if (values.includes(true)) return true;
    return values.every((one) => one === false)
      ? false
      : new UnknownValue(text, waitsFor(...values));
  },
  coalesce: ({ args, value }) => {
    for (let index = 0; index < args.length; index++) {
      const one = value(index);
      if (one !== null) return one;
    }
    return null;
  },
  concat: ({ args, value, text }) => {
    const values = args.map((_, index) => value(index));
    if (!values.every((one) => Array.isArray(one))) return joinText(values, text);
    const length = values.reduce((sum, one) => sum + one.length, 0);
    return length > maxItems ? new UnknownValue(text) : values.flat();
  },
  format: ({ args, value, text }) => {
    const [template, ...values] = args.map((_, index) => value(index));
    if (typeof template !== 'string') return new UnknownValue(text);
    const parts = template.split(/\{(\d+)(?::[^{}]*)?\}/);
    return joinText(
      parts.map((part, index) => (index % 2 === 0 ? part : values[Number(part)])),
      text,
    );
  },
  createarray: ({ args, value }) => args.map((_, index) => value(index)),
  createobject: ({ args, value, text }) => {
    const values = args.map((_, index) => value(index));
    const pairs = values.flatMap((key, index) =>
      index % 2 === 0 ? [[shown(key), values[index + 1]] as const] : [],
    );
    return values.some((key, index) => index % 2 === 0 && isUnknown(key))
      ? new UnknownValue(text)
      : Object.fromEntries(pairs);
  },
  // Of these, parts that are not known do not stand in the way.
  length: ({ value }) => {
    const one = value(0);
    if (Array.isArray(one) || typeof one === 'string') return one.length;
    return isFields(one) && !isUnknown(one) ? Object.keys(one).length : undefined;
  },
  empty: ({ value }) => {
    const one = value(0);
    if (one === null || one === '') return true;
    if (isUnknown(one)) return undefined;
    return typeof one === 'object' ? Object.keys(one as object).length === 0 : false;
  },
  first: ({ value }) => {
    const one = value(0);
    return Array.isArray(one)
      ? (one[0] as unknown)
      : typeof one === 'string'
        ? one.slice(0, 1)
        : undefined;
  },
  last: ({ value }) => {
    const one = value(0);
    return Array.isArray(one)
      ? (one.at(-1) as unknown)
      : typeof one === 'string'
        ? one.slice(-1)
        : undefined;
  },
  take: ({ value }) => sliced(value(0), 0, value(1)),
  skip: ({ value }) => sliced(value(0), value(1), Infinity),
  contains: ({ value }) => {
    const [whole, part] = [value(0), value(1)];
    if (isUnknown(whole) || isUnknown(part)) return undefined;
    if (typeof whole === 'string') return whole.toLowerCase().includes(shown(part).toLowerCase());
    if (Array.isArray(whole))
      return whole.includes(part) || (holdsUnknown(whole) ? undefined : false);
    return isFields(whole)
      ? Object.keys(whole).some((key) => key.toLowerCase() === shown(part).toLowerCase())
      : undefined;
  },
  resourceid: resourceId,
  subscriptionresourceid: resourceId,
  tenantresourceid: resourceId,
  managementgroupresourceid: resourceId,
  extensionresourceid: ({ args, scope, text }) =>
    resourceId({
      args: args.slice(1),
      scope,
      text,
      value: (index) => valueOf(args[index + 1], scope),
    }),
  reference: ({ value, scope, text }) => {
    const of = value(0);
    if (isUnknown(of))
      return new UnknownValue(text, of.target === undefined ? {} : { target: of.target });
    const target = typeof of === 'string' ? scope.findResource(of) : undefined;
    return new UnknownValue(text, target === undefined ? {} : { target });
  },
};

function sliced(value: unknown, from: unknown, to: unknown): unknown {
  if (typeof from !== 'number' || typeof to !== 'number') return undefined;
  return Array.isArray(value) || typeof value === 'string'
    ? value.slice(from, Math.max(0, to))
    : undefined;
}

/** Of one list or text that is put together: Azure takes templates of four million characters. */
const maxItems = 100_000;

function joinText(values: readonly unknown[], text: string): unknown {
  const words = values.map(shown);
  if (words.reduce((sum, word) => sum + word.length, 0) > maxText) return new UnknownValue(text);
  const joined = words.join('');
  return values.some(isUnknown)
    ? new UnknownValue(text, { text: joined, ...waitsFor(...values) })
    : joined;
}

/** `copyIndex()`, of a named loop, or with an offset. */
function copyIndex({ args, value, scope, text }: Given): unknown {
  const [first, second] = args.map((_, index) => value(index));
  const loop =
    typeof first === 'string'
      ? scope.loops.findLast(({ name }) => name.toLowerCase() === first.toLowerCase())
      : scope.loops.at(-1);
  const offset = typeof first === 'number' ? first : (second ?? 0);
  if (typeof loop?.index !== 'number' || typeof offset !== 'number') return new UnknownValue(text);
  return loop.index + offset;
}

/**
 * The id of a resource: the subscription is not known before the deployment, but where the template has the resource,
 * it is the one that the value comes from.
 */
function resourceId({ args, value, scope, text }: Given): unknown {
  const values = args.map((_, index) => value(index));
  const typeAt = values.findIndex((one) => typeof one === 'string' && one.includes('/'));
  const type = values[typeAt];
  if (typeof type !== 'string') return new UnknownValue(text);
  const address = resourceAddress(
    type,
    values
      .slice(typeAt + 1)
      .map(shown)
      .join('/'),
  );
  const target = scope.findResource(address);
  return new UnknownValue(text, {
    text: `\${resourceGroup().id}/providers/${address}`,
    ...(target === undefined ? {} : { target, attribute: 'id' }),
  });
}

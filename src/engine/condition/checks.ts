import type { ASTNode } from '@marcbachmann/cel-js';
import { optionalsOf } from './nodes.ts';
import { loopOf } from './program.ts';

/** A type as the package's checker has it. */
interface CheckedType {
  readonly kind: string;
  /** Of a list, a map and an optional: what it holds. */
  readonly valueType?: CheckedType;
  readonly keyType?: CheckedType;
  readonly name: string;
}

/** A macro as the package's parser found it. */
export interface Macro {
  readonly methodName: string;
  readonly receiver: ASTNode;
  readonly args: readonly ASTNode[];
}

/** The variables that the checker knows at a place. */
interface CheckContext {
  forkWithVariable(name: string, type: CheckedType): CheckContext;
  getVariable(name: string): { readonly type: CheckedType } | undefined;
}

/** What the checker hands to a check of our own. */
interface Checker {
  check(node: ASTNode, context: CheckContext): CheckedType;
  checkAccessOnType(node: ASTNode, context: CheckContext, type: CheckedType): CheckedType;
  getType(name: string): CheckedType;
  createError(code: string, message: string, node: ASTNode): Error;
}

type Check<Node extends ASTNode> = (
  checker: Checker,
  node: Node,
  context: CheckContext,
) => CheckedType;

/** A node's check of its own, that of a macro, say. */
interface OwnCheck {
  typeCheck: (checker: Checker, macro: unknown, context: CheckContext) => CheckedType;
}

/** Nodes have it; the package's types don't say so. */
interface MacroNode {
  readonly meta: { check: Check<ASTNode>; macro?: OwnCheck; alternate?: ASTNode };
  setMeta(key: 'macro', macro: unknown): void;
}

/** Lets the checker check a node in our way where the package's is too narrow. */
export function checkWith<Node extends ASTNode>(node: Node, check: Check<Node>): void {
  const macro = {
    typeCheck: (checker: Checker, _macro: unknown, context: CheckContext) =>
      check(checker, node, context),
  };
  (node as unknown as MacroNode).setMeta('macro', macro);
}

/** Of a node that stands for a variable. */
export const checkName =
  (name: string): Check<ASTNode> =>
  (checker, _node, context) =>
    context.getVariable(name)?.type ?? checker.getType('dyn');

/** What the package's own check says of a node. */
const checkAsUsual: Check<ASTNode> = (checker, node, context) =>
  (node as unknown as MacroNode).meta.check(checker, node, context);

/**
 * Characters of a type's name, such as `map<string, list<map<string, int>>>`. Of what is longer the checker knows the
 * outermost level only.
 */
const longestType = 40;

const openTypes: ReadonlyMap<string, string> = new Map([
  ['list', 'list<dyn>'],
  ['map', 'map<dyn, dyn>'],
  ['optional', 'optional<dyn>'],
]);

const isLong = ({ name }: CheckedType): boolean => name.length > longestType;

const bounded = (checker: Checker, type: CheckedType): CheckedType =>
  isLong(type) ? checker.getType(openTypes.get(type.kind) ?? 'dyn') : type;

/**
 * Has the checker bound the type that it finds for a node. To be called last: it keeps the check that the node has.
 * The package keeps all types that it ever made, with their names written out, and
 * `cel.bind(b, {a: a}, cel.bind(c, {b: b}, …` doubles those at each level.
 */
export function boundType(given: ASTNode): void {
  const { macro, alternate } = (given as unknown as MacroNode).meta;
  const node = alternate ?? given;
  if (macro) {
    const { typeCheck } = macro;
    macro.typeCheck = (checker, own, context) => bounded(checker, typeCheck(checker, own, context));
  } else if (node.op === 'list' || node.op === 'map') {
    checkWith(node, (checker, literal, context) => {
      const isOpen = literal.args.some((item) => {
        const [first, second] = Array.isArray(item) ? item : [undefined, item];
        // No key is a list or a map.
        const isKey = !first || !checker.check(first, context).name.includes('<');
        const type = second && checker.check(second, context);
        return !isKey || (type !== undefined && isLong(type));
      });
      return isOpen
        ? checker.getType(openTypes.get(literal.op) ?? 'dyn')
        : bounded(checker, checkAsUsual(checker, literal, context));
    });
  } else checkWith(node, (...check) => bounded(check[0], checkAsUsual(...check)));
}

/** The package takes `has(a.b.c)` of names only; CEL takes any expression before the last name. */
export const checkHas: Check<Extract<ASTNode, { readonly op: 'call' }>> = (
  checker,
  node,
  context,
) => {
  const [attribute] = node.args[1];
  if (attribute?.op !== '.') {
    const message = 'has() requires an attribute, such as has(resource.owner)';
    throw checker.createError('invalid_macro_argument', message, attribute ?? node);
  }
  checker.check(attribute, context);
  return checker.getType('bool');
};

const placeTypes: ReadonlySet<string> = new Set(['int', 'uint', 'double', 'dyn']);

/** The package takes an int as a place in a list; CEL takes a uint and a whole double, too. */
export const checkIndex: Check<Extract<ASTNode, { readonly op: '[]' }>> = (
  checker,
  node,
  context,
) => {
  const [of, at] = node.args;
  const type = checker.check(of, context);
  const place = checker.check(at, context);
  if (type.kind === 'optional') return checkOptionalAccess(checker, node, context);
  return type.kind === 'list' && type.valueType && placeTypes.has(place.name)
    ? type.valueType
    : checker.checkAccessOnType(node, context, type);
};

type Access = Extract<ASTNode, { readonly op: '.' | '[]' | '.?' | '[?]' }>;

/** What stands in a value of a type, where the type says. */
function typeInside({ kind, valueType }: CheckedType): CheckedType | undefined {
  // A type such as `T` is open: that of `optional.none()`.
  const isOpen = valueType === undefined || /^[A-Z]$/.test(valueType.name);
  return isOpen || kind === 'dyn' ? undefined : valueType;
}

/** `of.?a`, `of[?a]`, and `of.a`, `of[a]` of an optional: an optional. */
export function checkOptionalAccess(
  checker: Checker,
  node: Access,
  context: CheckContext,
): CheckedType {
  const [of, at] = node.args;
  const type = checker.check(of, context);
  if (typeof at !== 'string') checker.check(at, context);
  const inside = type.kind === 'optional' ? typeInside(type) : type;
  if (inside && !['list', 'map', 'dyn'].includes(inside.kind)) {
    const message = `${inside.name} has no attributes`;
    throw checker.createError('cannot_index_type', message, node);
  }
  const held = inside && typeInside(inside);
  return checker.getType(`optional<${held?.name ?? 'dyn'}>`);
}

/** `of.a`, where `of` may be an optional. */
export const checkField: Check<Extract<ASTNode, { readonly op: '.' }>> = (
  checker,
  node,
  context,
) =>
  checker.check(node.args[0], context).kind === 'optional'
    ? checkOptionalAccess(checker, node, context)
    : checkAsUsual(checker, node, context);

/** The package compares no optionals of types. */
export const checkEquality: Check<Extract<ASTNode, { readonly op: '==' | '!=' }>> = (
  checker,
  node,
  context,
) => {
  const types = node.args.map((operand) => checker.check(operand, context).kind);
  return types.every((kind) => kind === 'optional')
    ? checker.getType('bool')
    : checkAsUsual(checker, node, context);
};

/** `[?a]` and `{?k: v}`: what has a `?` before it has to be an optional. */
export const checkOptionals: Check<Extract<ASTNode, { readonly op: 'list' | 'map' }>> = (
  checker,
  node,
  context,
) => {
  const optional = optionalsOf(node);
  for (const [i, item] of node.args.entries()) {
    const [key, value = key] = Array.isArray(item) ? item : [item];
    checker.check(key, context);
    const { kind, name } = checker.check(value, context);
    if (optional?.has(i) === true && kind !== 'optional' && kind !== 'dyn') {
      throw checker.createError('optional_expected', `? requires an optional, not ${name}`, value);
    }
  }
  return checker.getType(node.op === 'list' ? 'list<dyn>' : 'map<dyn, dyn>');
};

/** `optional.optMap(name, made)` and `optional.optFlatMap(name, made)`. */
export const checkOptMap =
  ({ methodName, receiver, args }: Macro) =>
  (checker: Checker, _macro: unknown, context: CheckContext): CheckedType => {
    const [name, body = receiver] = args;
    const type = checker.check(receiver, context);
    const wrong = (message: string, node: ASTNode) =>
      checker.createError('invalid_macro_argument', `${methodName}() ${message}`, node);
    if (type.kind !== 'optional' && type.kind !== 'dyn') {
      throw wrong(`requires an optional, not ${type.name}`, receiver);
    }
    if (name?.op !== 'id') throw wrong('expects a variable name here', name ?? receiver);
    const held = typeInside(type) ?? checker.getType('dyn');
    const made = checker.check(body, context.forkWithVariable(name.args, held));
    if (methodName === 'optMap') return checker.getType(`optional<${made.name}>`);
    if (made.kind === 'optional') return made;
    if (made.kind === 'dyn') return checker.getType('optional<dyn>');
    throw wrong(`must return an optional, not ${made.name}`, body);
  };

const timestampType = 'google.protobuf.Timestamp';

/** The package takes the sum of a duration and a timestamp for a duration. */
export const checkSum: Check<Extract<ASTNode, { readonly op: '+' }>> = (checker, node, context) => {
  const type = checkAsUsual(checker, node, context);
  return checker.check(node.args[1], context).name === timestampType
    ? checker.getType(timestampType)
    : type;
};

/** The types of the variables of a macro: of the items of a list or the keys of a map, or of both and their values. */
function variablesOf(over: CheckedType, count: 1 | 2): readonly string[] | undefined {
  const isMap = over.kind === 'map';
  if (!isMap && over.kind !== 'list' && over.kind !== 'dyn') return undefined;
  const value = over.valueType?.name ?? 'dyn';
  const key = isMap ? (over.keyType?.name ?? 'dyn') : over.kind === 'list' ? 'int' : 'dyn';
  return count === 2 ? [key, value] : [isMap ? key : value];
}

/** Checks a macro that the package lacks. */
export const checkMacro =
  ({ methodName, receiver, args }: Macro) =>
  (checker: Checker, _macro: unknown, context: CheckContext): CheckedType => {
    const wrong = (message: string, node: ASTNode) =>
      checker.createError('invalid_macro_argument', `${methodName}() ${message}`, node);
    const { loop, variables } = loopOf(methodName, args.length) ?? { loop: 'all', variables: 1 };
    const over = checker.check(receiver, context);
    const types = variablesOf(over, variables);
    if (!types) throw wrong(`requires a list or a map, not ${over.name}`, receiver);
    const names = new Set<string>();
    let inner = context;
    for (const [i, type] of types.entries()) {
      const name = args[i];
      if (name?.op !== 'id') throw wrong('expects a variable name here', name ?? receiver);
      if (names.has(name.args)) throw wrong('expects two different variable names', name);
      names.add(name.args);
      inner = inner.forkWithVariable(name.args, checker.getType(type));
    }
    const bodies = args.slice(variables);
    const yields =
      loop === 'map' || loop === 'entries' || loop === 'merge' ? bodies.pop() : undefined;
    for (const test of bodies) {
      const { name, kind } = checker.check(test, inner);
      if (name !== 'bool' && kind !== 'dyn')
        throw wrong(`requires a bool condition, not ${name}`, test);
    }
    if (!yields) return checker.getType('bool');
    const made = checker.check(yields, inner);
    if (loop === 'map') return checker.getType(`list<${made.name}>`);
    if (loop === 'entries') return checker.getType(`map<${types[0]}, ${made.name}>`);
    if (made.kind === 'map' || made.kind === 'dyn') return made;
    throw wrong(`must return a map, not ${made.name}`, yields);
  };

import type { ASTNode } from '@marcbachmann/cel-js';

/** A type as the package's checker has it. */
interface CheckedType {
  readonly kind: string;
  /** Of a list, a map and an optional: what it holds. */
  readonly valueType?: CheckedType;
  readonly keyType?: CheckedType;
  readonly name: string;
}

/** The variables that the checker knows at a place. */
interface CheckContext {
  forkWithVariable(name: string, type: CheckedType): CheckContext;
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

/** Nodes have it; the package's types don't say so. */
interface MacroNode {
  readonly meta: { check: Check<ASTNode> };
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

/** What the package's own check says of a node. */
const checkAsUsual: Check<ASTNode> = (checker, node, context) =>
  (node as unknown as MacroNode).meta.check(checker, node, context);

/** The package takes `has(a.b.c)` of names only; CEL takes any expression before the last name. */
export const checkHas: Check<Extract<ASTNode, { readonly op: 'call' }>> = (
  checker,
  node,
  context,
) => {
  const [attribute] = node.args[1];
  if (attribute?.op !== '.') {
    const message = 'has() takes an attribute, such as has(resource.owner)';
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
  return type.kind === 'list' && type.valueType && placeTypes.has(place.name)
    ? type.valueType
    : checker.checkAccessOnType(node, context, type);
};

const timestampType = 'google.protobuf.Timestamp';

/** The package takes the sum of a duration and a timestamp for a duration. */
export const checkSum: Check<Extract<ASTNode, { readonly op: '+' }>> = (checker, node, context) => {
  const type = checkAsUsual(checker, node, context);
  return checker.check(node.args[1], context).name === timestampType
    ? checker.getType(timestampType)
    : type;
};

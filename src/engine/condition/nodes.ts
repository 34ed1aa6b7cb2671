import type { ASTNode } from '@marcbachmann/cel-js';
import { operators } from './functions.ts';
import { Uint, maxInt, minInt } from './values.ts';

export type Node<Op extends ASTNode['op']> = Extract<ASTNode, { readonly op: Op }>;

/** An expression that is well-typed and still can't be run. */
export class LoweringProblem extends Error {
  readonly start: number;
  readonly end: number;
  constructor(message: string, { start, end }: { readonly start: number; readonly end: number }) {
    super(message);
    this.start = start;
    this.end = end;
  }
}

export const isBinary = (node: ASTNode): node is Node<'+'> =>
  Array.isArray(node.args) && node.args.length === 2 && operators.has(node.op);

/** A binary tree of one operator as one list, left to right. */
export function operandsOf(root: Node<'||' | '&&'>): ASTNode[] {
  const operands: ASTNode[] = [];
  const waiting: ASTNode[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.op === root.op) waiting.push(node.args[1], node.args[0]);
    else operands.push(node);
  }
  return operands;
}

const protobufTypes: ReadonlySet<string> = new Set(['Timestamp', 'Duration']);

/** `google.protobuf.Timestamp`: the full name of a type. */
export function protobufType(node: Node<'.'>): string | undefined {
  const [of, name] = node.args;
  const isNamespace =
    of.op === '.' &&
    of.args[1] === 'protobuf' &&
    of.args[0].op === 'id' &&
    of.args[0].args === 'google';
  return isNamespace && protobufTypes.has(name) ? `google.protobuf.${name}` : undefined;
}

export const isInt = (value: bigint): boolean => value <= maxInt && value >= minInt;

/** The value of a literal. @throws LoweringProblem */
export function literal(node: Node<'value'>): unknown {
  const { args: value } = node;
  if (typeof value === 'bigint' && !isInt(value)) {
    throw new LoweringProblem('is beyond the range of int (64 bit)', node);
  }
  // The package's own class for an unsigned int.
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    return new Uint(value.value);
  }
  return value;
}

/** Places of the items of a list or map that have a `?` before them; the parser of the package does not take them. */
export const optionalsOf = (node: ASTNode): ReadonlySet<number> | undefined =>
  (node as ASTNode & { readonly optionals?: ReadonlySet<number> }).optionals;

/** Operands are nodes, lists of nodes (call arguments, list items) or lists of pairs (map entries). */
export function addChildren(args: unknown, into: ASTNode[]): void {
  if (Array.isArray(args)) for (const inner of args) addChildren(inner, into);
  else if (typeof args === 'object' && args !== null && 'op' in args) into.push(args as ASTNode);
}

/** The direct parts of a node. */
export function childrenOf(args: unknown): ASTNode[] {
  const children: ASTNode[] = [];
  addChildren(args, children);
  return children;
}

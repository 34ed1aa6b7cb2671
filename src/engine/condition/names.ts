import type { ASTNode } from '@marcbachmann/cel-js';
import { checkName, checkWith } from './checks.ts';
import { childrenOf, LoweringProblem } from './nodes.ts';
import { loopOf, optionalActOf } from './program.ts';

/** What names without a local meaning stand for. */
export interface Names {
  /** Those of variables; they may contain dots. */
  readonly variables: readonly string[];
  /** The namespace whose names need no prefix; empty for none. */
  readonly container: string;
}

/** Names of macros around a place, innermost first. */
interface Locals {
  readonly name: string;
  readonly outer: Locals | undefined;
}

const isLocal = (locals: Locals | undefined, name: string): boolean => {
  for (let at = locals; at; at = at.outer) if (at.name === name) return true;
  return false;
};

type Part = [node: ASTNode, locals: Locals | undefined];

/** The name by which a variable is found whatever macros around it call theirs. */
export const rootName = (name: string): string => `.${name}`;

/**
 * Replaces `a.b.c` by the variable that it names: the longest name counts, and one in the container goes before one
 * outside. The variable of a macro hides others, except for a name with a dot in front.
 * @param rooted where the names with a dot in front begin
 * @throws LoweringProblem
 */
export function resolveNames(root: ASTNode, names: Names, rooted: ReadonlySet<number>): void {
  const variables = new Set(names.variables);
  const prefixes = prefixesOf(names.container);
  const left = new Set(rooted);
  const waiting: Part[] = [[root, undefined]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, locals] = next;
    const chain = chainOf(node);
    if (chain || node.op === 'call') left.delete(chain?.at ?? node.start);
    const isRooted = chain !== undefined && rooted.has(chain.at);
    if (!chain) waiting.push(...partsOf(node, locals));
    else if (!isLocal(locals, chain.first)) resolve(chain, variables, isRooted ? [''] : prefixes);
    else if (isRooted && !resolve(chain, variables, [''])) {
      throw new LoweringProblem(`there is no .${chain.first}`, node);
    }
  }
  for (const start of left) {
    throw new LoweringProblem('only a name may start with a dot', { start, end: start + 1 });
  }
}

/** `a.b.` and `a.` and nothing, of the container `a.b`. */
function prefixesOf(container: string): string[] {
  const parts = container === '' ? [] : container.split('.');
  return [...parts.map((_, i) => `${parts.slice(0, parts.length - i).join('.')}.`), ''];
}

interface Chain {
  readonly first: string;
  readonly at: number;
  /** Each node with the name that is written up to its end; the longest first. */
  readonly nodes: readonly (readonly [node: ASTNode, name: string])[];
}

/** A name, or names with dots between them. */
function chainOf(node: ASTNode): Chain | undefined {
  const nodes: ASTNode[] = [node];
  let inner = node;
  for (; inner.op === '.'; nodes.push(inner)) [inner] = inner.args;
  if (inner.op !== 'id') return undefined;
  const { args: first, start: at } = inner;
  let name = '';
  const named = nodes.reverse().map((one): [ASTNode, string] => {
    name = one.op === '.' ? `${name}.${one.args[1]}` : first;
    return [one, name];
  });
  return { first, at, nodes: named.reverse() };
}

function resolve(
  { nodes }: Chain,
  variables: ReadonlySet<string>,
  prefixes: readonly string[],
): boolean {
  for (const [node, name] of nodes) {
    const prefix = prefixes.find((one) => variables.has(one + name));
    if (prefix === undefined) continue;
    Object.assign(node, { op: 'id', args: rootName(prefix + name) });
    checkWith(node, checkName(rootName(prefix + name)));
    return true;
  }
  return false;
}

/** What is inside a node, and the names of macros that are known there. */
function partsOf(node: ASTNode, locals: Locals | undefined): Part[] {
  if (node.op === 'call' && node.args[0] === 'has') {
    // The last name of `has(a.b)` is an attribute.
    const [attribute] = node.args[1];
    return attribute?.op === '.' ? [[attribute.args[0], locals]] : [];
  }
  if (node.op !== 'rcall') return childrenOf(node.args).map((part) => [part, locals]);
  const [method, receiver, args] = node.args;
  const isBind = method === 'bind' && receiver.op === 'id' && receiver.args === 'cel';
  const named = isBind ? 1 : namedBy(method, args.length);
  let inner = locals;
  for (const { args: name } of args.slice(0, named)) inner = { name: String(name), outer: inner };
  const bodies = args
    .slice(named)
    .map((body, i): Part => [body, isBind && i === 0 ? locals : inner]);
  return [[receiver, locals], ...bodies];
}

/** How many of the first arguments of a method are names that it gives. */
function namedBy(method: string, count: number): number {
  const isNaming = optionalActOf(method, count)?.startsWith('opt') === true;
  return loopOf(method, count)?.variables ?? (isNaming ? 1 : 0);
}

import { defined } from '../../contract/defined.ts';
import type { ASTNode } from '@marcbachmann/cel-js';
import { LoweringProblem } from './nodes.ts';
import type { LoopKind, Term } from './program.ts';
import { stepsOf } from './terms.ts';

/** Names in reach, innermost first. */
export interface Scope {
  readonly name: string;
  readonly slot: number;
  readonly path?: string;
  readonly outer?: Scope;
}

/** What a name stands for. */
export function find(scope: Scope | undefined, name: string): Scope | undefined {
  for (let at = scope; at; at = at.outer) if (at.name === name) return at;
  return undefined;
}

/** `has(argument)`. @throws LoweringProblem where that is no attribute */
export function presence(node: ASTNode, argument: ASTNode, chosen: Term): Term {
  if (argument.op !== '.' || chosen.kind !== 'select') {
    throw new LoweringProblem('has() takes an attribute, such as has(resource.owner)', argument);
  }
  const { of, key, path } = chosen;
  const place = { start: node.start, end: node.end, ...defined({ path }) };
  return { ...place, kind: 'has', of, key };
}

/** What the body of a loop can see: its item, too. */
export const scopeOfItem = (
  name: string,
  slot: number,
  over: Term,
  outer: Scope | undefined,
): Scope => ({
  name,
  slot,
  ...(over.path === undefined ? {} : { path: `${over.path}[*]` }),
  ...(outer ? { outer } : {}),
});

/** `over.all(item, body)` and its like. @param bodies of `map` with three arguments the test comes first */
export function loopOver(
  node: ASTNode,
  loop: LoopKind,
  {
    over,
    slot,
    bodies,
  }: { readonly over: Term; readonly slot: number; readonly bodies: readonly Term[] },
): Term {
  const [first, second] = bodies;
  const test = loop === 'map' && second === undefined ? undefined : first;
  const yields = loop === 'map' ? (second ?? first) : undefined;
  return {
    start: node.start,
    end: node.end,
    kind: 'loop',
    loop,
    over,
    slot,
    stepsOfItem: stepsOf(test) + stepsOf(yields),
    ...(test ? { test } : {}),
    ...(yields ? { yields } : {}),
  };
}

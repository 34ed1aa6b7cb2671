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
  /** Of `cel.bind`: the value can be a Failure. */
  readonly mayFail?: true;
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
    throw new LoweringProblem('has() requires an attribute, such as has(resource.owner)', argument);
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
): Scope => scopeOfName(name, slot, over.path === undefined ? undefined : `${over.path}[*]`, outer);

/** What is in reach where one more name is. */
export const scopeOfName = (
  name: string,
  slot: number,
  path: string | undefined,
  outer: Scope | undefined,
): Scope => ({ name, slot, ...defined({ path, outer }) });

/** The name that a macro is given. */
export function nameOf(given: ASTNode, macro: ASTNode): string {
  if (given.op !== 'id') throw new LoweringProblem('a variable name is expected here', macro);
  return given.args;
}

/** `over.all(item, body)` and its like. @param bodies of a macro that changes items, the test comes first */
export function loopOver(
  node: ASTNode,
  loop: LoopKind,
  {
    over,
    slot,
    key,
    bodies,
  }: {
    readonly over: Term;
    readonly slot: number;
    readonly key: number | undefined;
    readonly bodies: readonly Term[];
  },
): Term {
  const [first, second] = bodies;
  const changes = loop === 'map' || loop === 'entries' || loop === 'merge';
  const test = changes && second === undefined ? undefined : first;
  const yields = changes ? (second ?? first) : undefined;
  return {
    start: node.start,
    end: node.end,
    kind: 'loop',
    loop,
    over,
    slot,
    ...defined({ key }),
    stepsOfItem: stepsOf(test) + stepsOf(yields),
    ...(test ? { test } : {}),
    ...(yields ? { yields } : {}),
  };
}

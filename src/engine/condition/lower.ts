import { defined } from '../../contract/defined.ts';
import type { ASTNode } from '@marcbachmann/cel-js';
import { apart } from './budget.ts';
import { comparisons } from './js-operators.ts';
import { findFunction, findMethod, operators } from './functions.ts';
import type { Strict } from './values.ts';
import { optionalAt } from './access.ts';
import { find, loopOver, nameOf, presence, scopeOfItem, scopeOfName } from './macros.ts';
import type { Scope } from './macros.ts';
import { matching } from './matching.ts';
import { rootName } from './names.ts';
import {
  LoweringProblem,
  isBinary,
  literal,
  operandsOf,
  optionalsOf,
  protobufType,
} from './nodes.ts';
import type { Node } from './nodes.ts';
import { loopOf, optionalActOf } from './program.ts';
import type { OptionalAct, Program, Term } from './program.ts';
import type { PatternRoom } from './regex.ts';
import { comparedSize } from './text.ts';
import { constants, folded, membership, pathInto, selection, stepsOf, textsOf } from './terms.ts';
import { CelMap, TypeValue, minInt, typeError } from './values.ts';

const typeNames: ReadonlyMap<string, string> = new Map([
  ...['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'type'].map(
    (name) => [name, name] as const,
  ),
  ['null_type', 'null_type'],
]);

/** Longer chains of operators are run by a loop, so that the stack does not grow with them. */
const longestNesting = 32;

/**
 * Makes a program of a checked syntax tree.
 * @param variables get the first slots, in their order
 * @param checked whether its types were checked; else it can name functions that there are not
 * @param room what its patterns may take together
 * @throws LoweringProblem
 */
export function lower(
  ast: ASTNode,
  variables: readonly string[],
  checked = true,
  room?: PatternRoom,
): Program {
  let scope: Scope | undefined;
  for (const [slot, name] of variables.entries()) {
    scope = scopeOfName(rootName(name), slot, name, scope);
    scope = scopeOfName(name, slot, name, scope);
  }
  const lowering = new Lowering(variables.length, checked, room);
  // What is calculated here is no part of an evaluation that may be under way.
  const root = apart(() => lowering.term(ast, scope));
  return {
    root,
    steps: stepsOf(root),
    variables: variables.length,
    slots: lowering.slots,
    reads: lowering.reads,
  };
}

class Lowering {
  slots: number;
  readonly reads = new Set<number>();
  readonly #checked: boolean;

  readonly #room: PatternRoom | undefined;

  constructor(slots: number, checked: boolean, room: PatternRoom | undefined) {
    this.slots = slots;
    this.#checked = checked;
    this.#room = room;
  }

  term(node: ASTNode, scope: Scope | undefined): Term {
    const place = { start: node.start, end: node.end };
    switch (node.op) {
      case 'value':
        return { ...place, kind: 'constant', value: literal(node) };
      case 'id':
        return this.#name(node, scope);
      case '.':
        return this.#select(node, scope);
      case '[]':
        return this.#index(node, scope);
      case 'call':
        return this.#call(node, scope);
      case 'rcall':
        return this.#method(node, scope);
      case 'list':
        return this.#list(node, scope);
      case 'map':
        return this.#map(node, scope);
      case '?:': {
        const [condition, then, otherwise] = node.args;
        return {
          ...place,
          kind: 'choose',
          condition: this.term(condition, scope),
          then: this.term(then, scope),
          otherwise: this.term(otherwise, scope),
        };
      }
      case '||':
      case '&&': {
        const terms = operandsOf(node).map((operand) => this.term(operand, scope));
        return { ...place, kind: node.op === '&&' ? 'and' : 'or', terms };
      }
      case '-_':
      case '!_':
        return this.#unary(node, scope);
      case '.?':
        return this.#optionalAccess(
          node,
          { ...place, kind: 'constant', value: node.args[1] },
          scope,
        );
      case '[?]':
        return this.#optionalAccess(node, this.term(node.args[1], scope), scope);
      default:
        return this.#binary(node, scope);
    }
  }

  #name(node: Node<'id'>, scope: Scope | undefined): Term {
    const place = { start: node.start, end: node.end };
    const found = find(scope, node.args);
    if (found) {
      this.reads.add(found.slot);
      const { slot, path, mayFail } = found;
      return { ...place, ...defined({ path, mayFail }), kind: 'variable', slot };
    }
    const type = typeNames.get(node.args);
    if (type !== undefined) return { ...place, kind: 'constant', value: new TypeValue(type) };
    throw new LoweringProblem(`${node.args} is not a value`, node);
  }

  #select(node: Node<'.'>, scope: Scope | undefined): Term {
    const place = { start: node.start, end: node.end };
    const type = protobufType(node);
    if (type !== undefined && !find(scope, 'google')) {
      return { ...place, kind: 'constant', value: new TypeValue(type) };
    }
    const [of, key] = node.args;
    return selection(place, this.term(of, scope), key);
  }

  #index(node: Node<'[]'>, scope: Scope | undefined): Term {
    const place = { start: node.start, end: node.end };
    const of = this.term(node.args[0], scope);
    const at = this.term(node.args[1], scope);
    if (at.kind === 'constant' && typeof at.value === 'string') {
      return selection(place, of, at.value);
    }
    return { ...place, ...defined({ path: pathInto(of, at) }), kind: 'index', of, at };
  }

  #optionalAccess(node: Node<'.?' | '[?]'>, at: Term, scope: Scope | undefined): Term {
    const of = this.term(node.args[0], scope);
    const path = pathInto(of, at);
    return {
      start: node.start,
      end: node.end,
      ...defined({ path }),
      kind: 'call',
      name: node.op,
      run: (from, place) => optionalAt(from, place, path),
      args: [of, at],
    };
  }

  /** `optional.or(other)` and its like. */
  #optional(node: Node<'rcall'>, act: OptionalAct, scope: Scope | undefined): Term {
    const [, receiver, args] = node.args;
    const of = this.term(receiver, scope);
    const place = { start: node.start, end: node.end, ...defined({ path: of.path }) };
    const [first = receiver, second] = args;
    if (!second) return { ...place, kind: 'optional', act, of, then: this.term(first, scope) };
    const slot = this.slots++;
    const inner = scopeOfName(nameOf(first, node), slot, of.path, scope);
    return { ...place, kind: 'optional', act, of, slot, then: this.term(second, inner) };
  }

  #call(node: Node<'call'>, scope: Scope | undefined): Term {
    const [name, args] = node.args;
    const [argument] = args;
    if (name === 'has' && args.length === 1 && argument) {
      return presence(node, argument, this.term(argument, scope));
    }
    const run = findFunction(name, args.length);
    if (!run) return this.#unknown(node, `${name}()`);
    return this.#applied(node, name, run, args, scope);
  }

  #method(node: Node<'rcall'>, scope: Scope | undefined): Term {
    const [name, receiver, args] = node.args;
    if (loopOf(name, args.length)) return this.#loop(node, scope);
    const inNamespace = receiver.op === 'id' && !find(scope, receiver.args);
    if (inNamespace && receiver.args === 'cel' && name === 'bind') return this.#bind(node, scope);
    const spaced = inNamespace ? `${receiver.args}.${name}` : name;
    const ofNamespace = inNamespace ? findFunction(spaced, args.length) : undefined;
    if (ofNamespace) return this.#applied(node, spaced, ofNamespace, args, scope);
    const act = optionalActOf(name, args.length);
    if (act) return this.#optional(node, act, scope);
    const run = findMethod(name, args.length + 1);
    if (!run) return this.#unknown(node, `.${name}()`);
    const [pattern] = args;
    if (name === 'matches' && pattern?.op === 'value' && typeof pattern.args === 'string') {
      const of = this.term(receiver, scope);
      return matching(node, { literal: pattern, text: pattern.args }, of, this.#room);
    }
    return this.#applied(node, name, run, [receiver, ...args], scope);
  }

  /** Where types were not checked, it is found out when it runs. */
  #unknown(node: ASTNode, name: string): Term {
    if (this.#checked) throw new LoweringProblem(`${name} is not supported`, node);
    const run = () => typeError(`there is no ${name}`);
    return { start: node.start, end: node.end, kind: 'call', name, run, args: [] };
  }

  #applied(
    node: ASTNode,
    name: string,
    run: Strict,
    given: readonly ASTNode[],
    scope: Scope | undefined,
  ): Term {
    const args = given.map((arg) => this.term(arg, scope));
    return folded({ start: node.start, end: node.end, kind: 'call', name, run, args });
  }

  #loop(node: Node<'rcall'>, scope: Scope | undefined): Term {
    const [name, receiver, args] = node.args;
    const { loop, variables } = loopOf(name, args.length) ?? { loop: 'all', variables: 1 };
    const names = args.slice(0, variables).map((arg) => nameOf(arg, node));
    const over = this.term(receiver, scope);
    const slot = this.slots++;
    const key = variables === 2 ? this.slots++ : undefined;
    const [first = '', second = first] = names;
    const outer = key === undefined ? scope : scopeOfName(first, key, undefined, scope);
    const inner = scopeOfItem(second, slot, over, outer);
    return loopOver(node, loop, {
      over,
      slot,
      key,
      bodies: args.slice(variables).map((body) => this.term(body, inner)),
    });
  }

  #bind(node: Node<'rcall'>, scope: Scope | undefined): Term {
    const [name, held, inside] = node.args[2];
    if (!name || !held || !inside) throw new LoweringProblem('cel.bind(name, value, body)', node);
    const value = this.term(held, scope);
    const slot = this.slots++;
    const inner = {
      ...scopeOfName(nameOf(name, node), slot, value.path, scope),
      mayFail: true as const,
    };
    const body = this.term(inside, inner);
    const place = { start: node.start, end: node.end, ...defined({ path: body.path }) };
    return { ...place, kind: 'bind', slot, value, body };
  }

  #list(node: Node<'list'>, scope: Scope | undefined): Term {
    const place = { start: node.start, end: node.end };
    const items = node.args.map((item) => this.term(item, scope));
    const optional = optionalsOf(node);
    if (optional) return { ...place, kind: 'list', items, optional };
    const values = constants(items);
    return values
      ? { ...place, kind: 'constant', value: values }
      : { ...place, kind: 'list', items };
  }

  #map(node: Node<'map'>, scope: Scope | undefined): Term {
    const keys = new CelMap();
    const optional = optionalsOf(node);
    const entries = node.args.map(([key, value], i) => {
      const term = this.term(key, scope);
      if (term.kind === 'constant' && !keys.add(term.value, null)) {
        throw new LoweringProblem('duplicate or invalid map key', key);
      }
      const isOptional = optional?.has(i) === true;
      return { key: term, value: this.term(value, scope), ...(isOptional ? { isOptional } : {}) };
    });
    return { start: node.start, end: node.end, kind: 'map', entries };
  }

  #unary(node: Node<'-_' | '!_'>, scope: Scope | undefined): Term {
    const { args: operand } = node;
    const place = { start: node.start, end: node.end };
    // The lowest int has no positive counterpart.
    if (node.op === '-_' && operand.op === 'value' && operand.args === -minInt) {
      return { ...place, kind: 'constant', value: minInt };
    }
    const run = operators.get(node.op);
    if (!run) throw new LoweringProblem(`${node.op} is not supported`, node);
    return folded({
      ...place,
      kind: 'call',
      name: node.op,
      run,
      args: [this.term(operand, scope)],
    });
  }

  #binary(node: ASTNode, scope: Scope | undefined): Term {
    const steps: { node: ASTNode; run: Strict; operand: ASTNode }[] = [];
    let first = node;
    for (let run = operators.get(first.op); run; run = operators.get(first.op)) {
      if (!isBinary(first)) break;
      steps.push({ node: first, run, operand: first.args[1] });
      first = first.args[0];
    }
    steps.reverse();
    const start = this.term(first, scope);
    if (steps.length <= longestNesting) {
      return steps.reduce<Term>((left, step) => {
        const { start: from, end, op: name } = step.node;
        const right = this.term(step.operand, scope);
        const place = { start: from, end, kind: 'call', name } as const;
        const sized = sizeBeside(name, step.run, left, right);
        if (sized) return { ...place, ...sized };
        const texts = name === 'in' ? textsOf(right) : undefined;
        const how = texts ? membership(texts) : { run: step.run };
        return { ...place, ...how, args: [left, right] };
      }, start);
    }
    return {
      start: node.start,
      end: node.end,
      kind: 'chain',
      first: start,
      steps: steps.map(({ node: { op: name }, run, operand }) => ({
        name,
        run,
        operand: this.term(operand, scope),
      })),
    };
  }
}

/** `size(x) > 0`, as one call: what is open of `x` may not matter. */
function sizeBeside(name: string, compare: Strict, left: Term, right: Term) {
  if (!comparisons.has(name)) return undefined;
  const [sized, beside] = right.kind === 'constant' ? [left, right] : [right, left];
  if (sized.kind !== 'call' || sized.name !== 'size' || beside.kind !== 'constant')
    return undefined;
  const run = comparedSize(name, compare, sized === left);
  return { name: `size ${name}`, run, args: [...sized.args, beside] };
}

import { defined } from '../../contract/defined.ts';
import type { ASTNode } from '@marcbachmann/cel-js';
import { missingKey } from './access.ts';
import { apart, freeLength } from './budget.ts';
import { isIn } from './compare.ts';
import { findFunction, findMethod, operators } from './functions.ts';
import type { Strict } from './functions.ts';
import type { Language } from './language.ts';
import { countTerms, isLoop } from './program.ts';
import type { LoopKind, Program, Term } from './program.ts';
import { prices } from './prices.ts';
import { compilePattern, describePattern } from './regex.ts';
import type { Pattern, PatternRoom } from './regex.ts';
import { CelMap, Failure, maxInt, minInt, mismatch, typeError, TypeValue, Uint } from './values.ts';

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

const typeNames: ReadonlyMap<string, string> = new Map([
  ...['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'type'].map(
    (name) => [name, name] as const,
  ),
  ['null_type', 'null_type'],
]);

const protobufTypes: ReadonlySet<string> = new Set(['Timestamp', 'Duration']);

/** Names in reach, innermost first. */
interface Scope {
  readonly name: string;
  readonly slot: number;
  readonly path?: string;
  readonly outer?: Scope;
}

function find(scope: Scope | undefined, name: string): Scope | undefined {
  for (let at = scope; at; at = at.outer) if (at.name === name) return at;
  return undefined;
}

/** Longer chains of operators are run by a loop, so that the stack does not grow with them. */
const longestNesting = 32;

/** What is calculated once, when all that it takes is known. */
const foldable: ReadonlySet<string> = new Set([
  '-_',
  'duration',
  'timestamp',
  'int',
  'uint',
  'double',
]);

type Node<Op extends ASTNode['op']> = Extract<ASTNode, { readonly op: Op }>;

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
    scope = { name, slot, path: name, ...(scope ? { outer: scope } : {}) };
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

/**
 * Whether a node of a checked tree is of those that a program can always be made of. A tree of nothing else can wait for
 * its program until it runs; any other is lowered at once, so that what is wrong with it is told.
 */
export function surelyLowers(node: ASTNode, { environment, variables }: Language): boolean {
  switch (node.op) {
    case 'value':
      return typeof node.args !== 'bigint' || isInt(node.args);
    case 'id':
      // What the checker took and the environment does not know is the variable of a macro.
      return variables.includes(node.args) || !environment.hasVariable(node.args);
    case 'call': {
      const [name, args] = node.args;
      if (name === 'has') return args.length === 1 && args[0]?.op === '.';
      return findFunction(name, args.length) !== undefined;
    }
    case 'rcall': {
      const [name, , args] = node.args;
      if (isLoop(name) && args.length >= 2) return args[0]?.op === 'id';
      const [pattern] = args;
      const isRead = name !== 'matches' || pattern?.op !== 'value';
      return (
        (isRead || isSurelyPattern(pattern.args)) && findMethod(name, args.length + 1) !== undefined
      );
    }
    case '.':
    case '[]':
    case 'list':
    case '?:':
    case '||':
    case '&&':
    case '-_':
    case '!_':
      return true;
    default:
      return isBinary(node);
  }
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
      case '[?]':
        throw new LoweringProblem('optional access is not offered', node);
      default:
        return this.#binary(node, scope);
    }
  }

  #name(node: Node<'id'>, scope: Scope | undefined): Term {
    const place = { start: node.start, end: node.end };
    const found = find(scope, node.args);
    if (found) {
      this.reads.add(found.slot);
      const path = found.path === undefined ? {} : { path: found.path };
      return { ...place, ...path, kind: 'variable', slot: found.slot };
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
    const inside = of.path === undefined ? undefined : `${of.path}[${shownIndex(at)}]`;
    return { ...place, ...(inside ? { path: inside } : {}), kind: 'index', of, at };
  }

  #call(node: Node<'call'>, scope: Scope | undefined): Term {
    const [name, args] = node.args;
    const [argument] = args;
    if (name === 'has' && args.length === 1 && argument) return this.#has(node, argument, scope);
    const run = findFunction(name, args.length);
    if (!run) return this.#unknown(node, `${name}()`);
    return this.#applied(node, name, run, args, scope);
  }

  #has(node: ASTNode, argument: ASTNode, scope: Scope | undefined): Term {
    const chosen = this.term(argument, scope);
    if (argument.op !== '.' || chosen.kind !== 'select') {
      throw new LoweringProblem('has() takes an attribute, such as has(resource.owner)', argument);
    }
    const { of, key, path } = chosen;
    const place = { start: node.start, end: node.end, ...defined({ path }) };
    return { ...place, kind: 'has', of, key };
  }

  #method(node: Node<'rcall'>, scope: Scope | undefined): Term {
    const [name, receiver, args] = node.args;
    if (isLoop(name) && args.length >= 2) return this.#loop(node, name, scope);
    const inNamespace = receiver.op === 'id' && !find(scope, receiver.args);
    const spaced = inNamespace ? `${receiver.args}.${name}` : name;
    const ofNamespace = inNamespace ? findFunction(spaced, args.length) : undefined;
    if (ofNamespace) return this.#applied(node, spaced, ofNamespace, args, scope);
    const run = findMethod(name, args.length + 1);
    if (!run) return this.#unknown(node, `.${name}()`);
    const [pattern] = args;
    if (name === 'matches' && pattern?.op === 'value' && typeof pattern.args === 'string') {
      return this.#matches(node, pattern, pattern.args, this.term(receiver, scope));
    }
    return this.#applied(node, name, run, [receiver, ...args], scope);
  }

  #matches(node: ASTNode, literal: ASTNode, text: string, of: Term): Term {
    let made = isSurelyPattern(text) ? undefined : patternAt(literal, text, this.#room);
    const pattern = () => (made ??= compilePattern(text));
    return {
      start: node.start,
      end: node.end,
      kind: 'call',
      name: 'matches',
      run: (value: unknown) =>
        typeof value === 'string' ? pattern().test(value) : mismatch('matches', value, text),
      args: [of],
      get native() {
        return pattern().native;
      },
    };
  }

  /** Where types were not checked, it is found out when it runs. */
  #unknown(node: ASTNode, name: string): Term {
    if (this.#checked) throw new LoweringProblem(`${name} is not offered`, node);
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

  #loop(node: Node<'rcall'>, name: LoopKind, scope: Scope | undefined): Term {
    const [, receiver, args] = node.args;
    const [variable, ...bodies] = args;
    if (variable?.op !== 'id') throw new LoweringProblem('a name is expected here', node);
    const over = this.term(receiver, scope);
    const slot = this.slots++;
    const inner: Scope = {
      name: variable.args,
      slot,
      ...(over.path === undefined ? {} : { path: `${over.path}[*]` }),
      ...(scope ? { outer: scope } : {}),
    };
    const [first, second] = bodies.map((body) => this.term(body, inner));
    const test = name === 'map' && second === undefined ? undefined : first;
    const yields = name === 'map' ? (second ?? first) : undefined;
    return {
      start: node.start,
      end: node.end,
      kind: 'loop',
      loop: name,
      over,
      slot,
      stepsOfItem: stepsOf(test) + stepsOf(yields),
      ...(test ? { test } : {}),
      ...(yields ? { yields } : {}),
    };
  }

  #list(node: Node<'list'>, scope: Scope | undefined): Term {
    const place = { start: node.start, end: node.end };
    const items = node.args.map((item) => this.term(item, scope));
    const values = constants(items);
    return values
      ? { ...place, kind: 'constant', value: values }
      : { ...place, kind: 'list', items };
  }

  #map(node: Node<'map'>, scope: Scope | undefined): Term {
    const keys = new CelMap();
    const entries = node.args.map(([key, value]) => {
      const term = this.term(key, scope);
      if (term.kind === 'constant' && !keys.add(term.value, null)) {
        throw new LoweringProblem('this key is already there, or is none', key);
      }
      return { key: term, value: this.term(value, scope) };
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
    if (!run) throw new LoweringProblem(`${node.op} is not offered`, node);
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

const stepsOf = (body: Term | undefined): number =>
  body ? Math.ceil(countTerms(body) / prices.partsOfStep) : 0;

const isBinary = (node: ASTNode): node is Node<'+'> =>
  Array.isArray(node.args) && node.args.length === 2 && operators.has(node.op);

/** A binary tree of one operator as one list, left to right. */
function operandsOf(root: Node<'||' | '&&'>): ASTNode[] {
  const operands: ASTNode[] = [];
  const waiting: ASTNode[] = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (node.op === root.op) waiting.push(node.args[1], node.args[0]);
    else operands.push(node);
  }
  return operands;
}

function selection(place: { start: number; end: number }, of: Term, key: string): Term {
  const inside = /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  const path = of.path === undefined ? undefined : `${of.path}${inside}`;
  const missing = missingKey(key, path);
  return { ...place, ...defined({ path }), kind: 'select', of, key, missing };
}

/** How a path shows a place in a list. */
const shownIndex = (at: Term): string =>
  at.kind === 'constant' && typeof at.value === 'bigint' ? String(at.value) : '*';

/** `google.protobuf.Timestamp`: the full name of a type. */
function protobufType(node: Node<'.'>): string | undefined {
  const [of, name] = node.args;
  const isNamespace =
    of.op === '.' &&
    of.args[1] === 'protobuf' &&
    of.args[0].op === 'id' &&
    of.args[0].args === 'google';
  return isNamespace && protobufTypes.has(name) ? `google.protobuf.${name}` : undefined;
}

/** The texts of a literal list that has nothing else. */
function textsOf(list: Term): readonly string[] | undefined {
  const values = list.kind === 'constant' ? list.value : undefined;
  const isText = (item: unknown): item is string => typeof item === 'string';
  return Array.isArray(values) && values.every(isText) ? values : undefined;
}

/** `in` with such a list: one look, however long it is. */
function membership(texts: readonly string[]): {
  readonly run: Strict;
  readonly among: Set<string>;
} {
  const among = new Set(texts);
  const isShort = (value: unknown): value is string =>
    typeof value === 'string' && value.length <= freeLength;
  return { among, run: (value) => (isShort(value) ? among.has(value) : isIn(value, texts)) };
}

const isInt = (value: bigint): boolean => value <= maxInt && value >= minInt;

function literal(node: Node<'value'>): unknown {
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

function constants(terms: readonly Term[]): unknown[] | undefined {
  const values: unknown[] = [];
  for (const term of terms) {
    if (term.kind !== 'constant') return undefined;
    values.push(term.value);
  }
  return values;
}

function folded(term: Extract<Term, { readonly kind: 'call' }>): Term {
  const values = foldable.has(term.name) ? constants(term.args) : undefined;
  const value = values ? term.run(...values) : undefined;
  return value === undefined || value instanceof Failure
    ? term
    : { start: term.start, end: term.end, kind: 'constant', value };
}

/** Patterns that need no look at whether they are RE2's: making one takes time, and most policies are only validated. */
const surelyPattern = /^\^?(?:[\w:/@ -]|\[(?:a-z|A-Z|0-9|_)+-?\][+*]?){0,100}\$?$/;

const isSurelyPattern = (literal: unknown): boolean =>
  typeof literal !== 'string' || surelyPattern.test(literal);

function patternAt(node: ASTNode, text: string, room: PatternRoom | undefined): Pattern {
  try {
    return compilePattern(text, room);
  } catch (error) {
    throw new LoweringProblem(describePattern(text, error), node);
  }
}

import { UnknownValue } from '../../contract/resources.ts';
import { doubt, has, index, isShared, itemsOf, locate, merge, notBool, select } from './access.ts';
import type { Program, Term } from './program.ts';
import { spend, startEvaluation } from './budget.ts';
import { opened, some } from './optionals.ts';
import { prices } from './prices.ts';
import { CelMap, Failure, typeError, typeName, unknownFailure } from './values.ts';
import type { JsonMap } from './values.ts';

/** Values by slot. */
export interface Frame {
  readonly slots: unknown[];
}

/** Gives a value or a Failure. */
export type Run = (frame: Frame) => unknown;

/** Stands around each part of a program, for those who watch it run. */
type Around = (term: Term, run: Run) => Run;

/** What one run starts with. */
export function startRun(program: Program): Frame {
  return { slots: new Array<unknown>(program.slots) };
}

/** Runs a program once, with the values of its variables. */
export function runClosure(program: Program, values: readonly unknown[]): unknown {
  startEvaluation();
  const frame = startRun(program);
  for (const [slot, value] of values.entries()) frame.slots[slot] = value;
  return toClosure(program.root)(frame);
}

/** A program as nested functions: what runs where code must not be generated, and what code is measured against. */
export function toClosure(term: Term, around: Around = (_term, run) => run): Run {
  const build = (part: Term): Run => around(part, runOf(part, build));
  return build(term);
}

type Build = (term: Term) => Run;

function runOf(term: Term, build: Build): Run {
  const { path } = term;
  switch (term.kind) {
    case 'constant': {
      const { value } = term;
      return () => value;
    }
    case 'bind': {
      const value = build(term.value);
      const body = build(term.body);
      const { slot } = term;
      return (frame) => {
        frame.slots[slot] = value(frame);
        return body(frame);
      };
    }
    case 'variable': {
      const { slot } = term;
      return (frame) => frame.slots[slot];
    }
    case 'select': {
      const of = build(term.of);
      const { key, missing } = term;
      const isOwn = !isShared(key);
      return (frame) => {
        const from = of(frame);
        if (from instanceof Failure) return from;
        // Any value but undefined and null may be asked for a property.
        const held = isOwn ? (from as JsonMap | null | undefined)?.[key] : undefined;
        return held === undefined ? select(from, key, missing) : held;
      };
    }
    case 'has': {
      const of = build(term.of);
      const { key } = term;
      return (frame) => {
        const from = of(frame);
        return from instanceof Failure ? from : has(from, key, path);
      };
    }
    case 'index':
      return runIndex(term, build);
    case 'and':
      return runLogic(term.terms, false, build);
    case 'or':
      return runLogic(term.terms, true, build);
    case 'choose':
      return runChoice(term, build);
    case 'call':
      return runCall(term, build);
    case 'chain':
      return runChain(term, build);
    case 'list':
      return runList(term.items.map(build), term.optional);
    case 'optional':
      return runOptional(term, build);
    case 'map':
      return runMap(term, build);
    case 'loop':
      return runLoop(term, build);
  }
}

type Of<Kind extends Term['kind']> = Extract<Term, { readonly kind: Kind }>;

function runIndex(term: Of<'index'>, build: Build): Run {
  const of = build(term.of);
  const at = build(term.at);
  const { path } = term.of;
  return (frame) => {
    const from = of(frame);
    if (from instanceof Failure) return from;
    const place = at(frame);
    return place instanceof Failure ? place : index(from, place, path);
  };
}

/** `&&` is decided by a false operand wherever it stands, `||` by a true one; only then a failure counts. */
function runLogic(terms: readonly Term[], decisive: boolean, build: Build): Run {
  const runs = terms.map(build);
  const paths = terms.map(({ path }) => path);
  return (frame) => {
    let failure: Failure | undefined;
    for (let i = 0; i < runs.length; i++) {
      const value = runs[i]?.(frame);
      if (value === decisive) return decisive;
      if (value === !decisive) continue;
      const why = value instanceof Failure ? value : notBool(value, paths[i]);
      failure ??= why;
    }
    return failure ?? !decisive;
  };
}

function runChoice(term: Of<'choose'>, build: Build): Run {
  const condition = build(term.condition);
  const then = build(term.then);
  const otherwise = build(term.otherwise);
  const { path } = term.condition;
  return (frame) => {
    const value = condition(frame);
    if (value === true) return then(frame);
    if (value === false) return otherwise(frame);
    return value instanceof Failure ? value : notBool(value, path);
  };
}

function runCall(term: Of<'call'>, build: Build): Run {
  const { run } = term;
  const args = term.args.map(build);
  const paths = term.args.map(({ path }) => path);
  const [first, second] = args;
  // Nearly all functions take one value or two: those need no list of them.
  if (first && args.length === 1) {
    return (frame) => {
      const value = first(frame);
      if (value instanceof Failure) return value;
      const result = run(value);
      return result instanceof Failure ? locate(result, [value], paths) : result;
    };
  }
  if (first && second && args.length === 2) {
    return (frame) => {
      const left = first(frame);
      if (left instanceof Failure) return left;
      const right = second(frame);
      if (right instanceof Failure) return right;
      const result = run(left, right);
      return result instanceof Failure ? locate(result, [left, right], paths) : result;
    };
  }
  return (frame) => {
    const values: unknown[] = [];
    for (const arg of args) {
      const value = arg(frame);
      if (value instanceof Failure) return value;
      values.push(value);
    }
    const result = run(...values);
    return result instanceof Failure ? locate(result, values, paths) : result;
  };
}

function runChain(term: Of<'chain'>, build: Build): Run {
  const first = build(term.first);
  const steps = term.steps.map(({ run, operand }) => ({
    run,
    operand: build(operand),
    path: operand.path,
  }));
  return (frame) => {
    let value = first(frame);
    for (const { run, operand, path } of steps) {
      if (value instanceof Failure) return value;
      const right = operand(frame);
      if (right instanceof Failure) return right;
      const result = run(value, right);
      value =
        result instanceof Failure ? locate(result, [value, right], [undefined, path]) : result;
    }
    return value;
  };
}

const runList =
  (items: readonly Run[], optional: ReadonlySet<number> | undefined): Run =>
  (frame) => {
    spend(items.length);
    const values: unknown[] = [];
    for (let i = 0; i < items.length; i++) {
      const value = items[i]?.(frame);
      if (value instanceof Failure) return value;
      if (optional?.has(i) !== true) values.push(value);
      else {
        const held = opened(value);
        if (held instanceof Failure) return held;
        if (held.present) values.push(held.content);
      }
    }
    return values;
  };

function runOptional(term: Of<'optional'>, build: Build): Run {
  const of = build(term.of);
  const then = build(term.then);
  const { act, slot } = term;
  return (frame) => {
    const value = of(frame);
    if (value instanceof Failure) return value;
    const held = opened(value);
    if (held instanceof Failure) return locate(held, [value], [term.of.path]);
    if (slot === undefined) {
      if (held.present) return act === 'or' ? held : held.content;
    } else {
      if (!held.present) return held;
      frame.slots[slot] = held.content;
    }
    const made = then(frame);
    if (made instanceof Failure || act === 'orValue') return made;
    if (act === 'optMap') return some(made);
    const other = opened(made);
    return other instanceof Failure ? locate(other, [made], [term.then.path]) : other;
  };
}

function runMap(term: Of<'map'>, build: Build): Run {
  const entries = term.entries.map(
    ({ key, value, isOptional }) => [build(key), build(value), isOptional] as const,
  );
  return (frame) => {
    spend(prices.map + entries.length * prices.item);
    const map = new CelMap();
    for (const [keyOf, valueOf, isOptional] of entries) {
      const key = keyOf(frame);
      if (key instanceof Failure) return key;
      const value = valueOf(frame);
      if (value instanceof Failure) return value;
      const held = isOptional ? opened(value) : undefined;
      if (held instanceof Failure) return held;
      if (held?.present === false) continue;
      if (!map.add(key, held ? held.content : value)) return badKey(key);
    }
    return map;
  };
}

export const badKey = (key: unknown): Failure =>
  key instanceof UnknownValue
    ? unknownFailure(key)
    : typeError(`duplicate or invalid map key of type ${typeName(key)}`);

/** Puts one entry into a map that a macro makes. */
export function addEntry(into: CelMap, key: unknown, value: unknown): Failure | undefined {
  spend(prices.pair);
  return into.add(key, value) ? undefined : badKey(key);
}

function runLoop(term: Of<'loop'>, build: Build): Run {
  const over = build(term.over);
  const test = term.test && build(term.test);
  const yields = term.yields && build(term.yields);
  const { path: overPath } = term.over;
  const testPath = term.test?.path;
  const { slot, key, loop, stepsOfItem } = term;
  const withKeys = key !== undefined;
  const isQuantifier = loop === 'all' || loop === 'exists';
  const itemsIn = (value: unknown) => {
    if (value instanceof Failure) return value;
    const items = itemsOf(value, overPath, withKeys, !isQuantifier);
    if (!(items instanceof Failure)) spend(prices.macro + items.length * stepsOfItem);
    return items;
  };
  const itemsOver = (frame: Frame) => itemsIn(over(frame));
  const testOne = (frame: Frame, item: unknown): boolean | Failure => {
    if (key === undefined) frame.slots[slot] = item;
    else [frame.slots[key], frame.slots[slot]] = item as readonly [unknown, unknown];
    const value = test ? test(frame) : true;
    return typeof value === 'boolean' || value instanceof Failure
      ? value
      : notBool(value, testPath);
  };
  switch (loop) {
    case 'all':
    case 'exists': {
      const decisive = loop === 'exists';
      return (frame) => {
        const value = over(frame);
        const items = itemsIn(value);
        if (items instanceof Failure) return items;
        let failure: Failure | undefined;
        for (const item of items) {
          const found = testOne(frame, item);
          if (typeof found !== 'boolean') failure ??= found;
          else if (found === decisive) {
            const why = doubt(value, frame.slots[slot], overPath, withKeys);
            if (why === undefined) return decisive;
            failure ??= why;
          }
        }
        return failure ?? !decisive;
      };
    }
    case 'exists_one':
      return runExistsOne(itemsOver, testOne);
    case 'map':
    case 'filter':
      return runCollect(itemsOver, testOne, yields);
    case 'entries':
    case 'merge':
      return runCollectMap(itemsOver, testOne, yields, loop === 'entries' ? key : undefined);
  }
}

type ItemsOf = (frame: Frame) => readonly unknown[] | Failure;
type TestOne = (frame: Frame, item: unknown) => boolean | Failure;

const runExistsOne =
  (itemsOf: ItemsOf, testOne: TestOne): Run =>
  (frame) => {
    const items = itemsOf(frame);
    if (items instanceof Failure) return items;
    let found = 0;
    for (const item of items) {
      const value = testOne(frame, item);
      if (typeof value !== 'boolean') return value;
      if (value) found++;
    }
    return found === 1;
  };

const runCollect =
  (itemsOf: ItemsOf, testOne: TestOne, yields: Run | undefined): Run =>
  (frame) => {
    const items = itemsOf(frame);
    if (items instanceof Failure) return items;
    const collected: unknown[] = [];
    for (const item of items) {
      const value = testOne(frame, item);
      if (typeof value !== 'boolean') return value;
      if (!value) continue;
      const made = yields ? yields(frame) : item;
      if (made instanceof Failure) return made;
      collected.push(made);
    }
    return collected;
  };

/** @param key the slot of the key that each entry gets; without it the items are maps to be merged */
const runCollectMap =
  (itemsOf: ItemsOf, testOne: TestOne, yields: Run | undefined, key: number | undefined): Run =>
  (frame) => {
    const items = itemsOf(frame);
    if (items instanceof Failure) return items;
    spend(prices.map);
    const collected = new CelMap();
    for (const item of items) {
      const value = testOne(frame, item);
      if (typeof value !== 'boolean') return value;
      if (!value) continue;
      const made = yields?.(frame);
      if (made instanceof Failure) return made;
      const failure =
        key === undefined ? merge(collected, made) : addEntry(collected, frame.slots[key], made);
      if (failure) return failure;
    }
    return collected;
  };

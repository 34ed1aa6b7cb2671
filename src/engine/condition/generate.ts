import { UnknownValue } from '../../contract/resources.ts';
import { has, index, inherited, locate, notBool, range, select } from './access.ts';
import { badKey } from './closures.ts';
import { count } from './text.ts';
import { timestampOfMillis } from './time.ts';
import type { Evaluator, Undecided } from './evaluate.ts';
import type { Program, Term } from './program.ts';
import { CelMap, Failure, overBudget, stepBudget } from './values.ts';

/** What generated code can name: its own temporaries, these, and the constants of the program. */
const runtime = {
  UnknownValue,
  Failure,
  CelMap,
  overBudget,
  has,
  index,
  locate,
  notBool,
  range,
  select,
  badKey,
  count,
  timestampOfMillis,
};

/** Whether this process may make functions of text; `--disallow-code-generation-from-strings` forbids it. */
export const mayGenerate: boolean = (() => {
  try {
    return new Function('return true')() === true;
  } catch {
    // An EvalError is the runtime's way to say no.
    return false;
  }
})();

/**
 * A program as a JavaScript function of its variables that gives a value or a Failure, as its closure does.
 * Every text of the expression gets into the code as a quoted literal; every name in it is the generator's own.
 */
export function toCode(program: Program): (...variables: unknown[]) => unknown {
  const writer = new Writer();
  const result = writer.value(program.root, returned);
  return link(writer, variablesOf(program), [...writer.lines, returned(result.code)]);
}

/** A condition as a function: as `toCode`, and total. `undecided` makes an answer of what the engine throws. */
export function toEvaluatorCode(
  program: Program,
  nowSlot: number,
  undecided: (error: unknown) => Undecided,
): Evaluator {
  const writer = new Writer();
  const { code, type } = writer.value(program.root, returned);
  const guard = writer.constant(undecided);
  const path = program.root.path === undefined ? 'undefined' : quoted(program.root.path);
  const run = link(writer, variablesOf(program), [
    'try {',
    ...(program.reads.has(nowSlot) ? [`v${nowSlot} = timestampOfMillis(v${nowSlot});`] : []),
    ...writer.lines,
    returned(
      type === 'bool' ? code : `typeof ${code} === "boolean" ? ${code} : notBool(${code}, ${path})`,
    ),
    '} catch (error) {',
    returned(`${guard}(error)`),
    '}',
  ]);
  return run as Evaluator; // it gives a bool or a Failure
}

const returned = (code: string): string => `return ${code};`;

/** Those of loops are the loops' own. */
const variablesOf = (program: Program): readonly string[] =>
  Array.from({ length: program.variables }, (_, slot) => `v${slot}`);

function link(
  { constants }: Writer,
  variables: readonly string[],
  lines: readonly string[],
): (...variables: unknown[]) => unknown {
  const source = `"use strict";
const { ${Object.keys(runtime).join(', ')} } = R;
const [${constants.map((_, i) => `k${i}`).join(', ')}] = K;
return function condition(${variables.join(', ')}) {
let steps = ${stepBudget};
${lines.join('\n')}
};`;
  // The text is the generator's own: see above.
  return new Function('R', 'K', source)(runtime, constants) as (...variables: unknown[]) => unknown;
}

/** The statement that ends a part with a failure: `failure` is code. */
type Fail = (failure: string) => string;

/** Code without effects that gives a value; `bool` where it is surely one, `count` where it is a number that stands for an int. */
interface Value {
  readonly code: string;
  readonly type?: 'bool' | 'count';
}

type Of<Kind extends Term['kind']> = Extract<Term, { readonly kind: Kind }>;

/** U+2028 and U+2029 end a line in some contexts of JavaScript. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[\u2028\u2029]/g, (end) =>
    end === '\u2028' ? '\\u2028' : '\\u2029',
  );

const comparisons: ReadonlyMap<string, string> = new Map([
  ['==', '==='],
  ['!=', '!=='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

const calculations: ReadonlySet<string> = new Set(['+', '-', '*']);

const textTests: ReadonlyMap<string, string> = new Map([
  ['startsWith', 'startsWith'],
  ['endsWith', 'endsWith'],
  ['contains', 'includes'],
]);

class Writer {
  readonly lines: string[] = [];
  readonly constants: unknown[] = [];
  #names = 0;

  value(term: Term, fail: Fail): Value {
    switch (term.kind) {
      case 'constant':
        return this.#literal(term.value);
      case 'variable':
        return { code: `v${term.slot}` };
      case 'select':
        return this.#select(term, fail);
      case 'has':
        return this.#has(term, fail);
      case 'index':
        return this.#index(term, fail);
      case 'and':
        return this.#logic(term.terms, false, fail);
      case 'or':
        return this.#logic(term.terms, true, fail);
      case 'choose':
        return this.#choose(term, fail);
      case 'call':
        return this.#call(term, fail);
      case 'chain':
        return this.#chain(term, fail);
      case 'list': {
        const items = term.items.map((item) => this.value(item, fail).code);
        return this.#let(`[${items.join(', ')}]`);
      }
      case 'map':
        return this.#map(term, fail);
      case 'loop':
        return this.#loop(term, fail);
    }
  }

  #emit(line: string): void {
    this.lines.push(line);
  }

  #name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  #let(code: string): Value {
    const name = this.#name('t');
    this.#emit(`let ${name} = ${code};`);
    return { code: name };
  }

  /** The name of a value that the code is given. */
  constant(value: unknown): string {
    return `k${this.constants.push(value) - 1}`;
  }

  #literal(value: unknown): Value {
    if (typeof value === 'boolean') return { code: String(value), type: 'bool' };
    if (value === null) return { code: 'null' };
    if (typeof value === 'string') return { code: quoted(value) };
    return { code: this.constant(value) };
  }

  #path(path: string | undefined): string {
    return path === undefined ? 'undefined' : quoted(path);
  }

  #checked(code: string, fail: Fail): Value {
    const value = this.#let(code);
    this.#emit(`if (${value.code} instanceof Failure) ${fail(value.code)}`);
    return value;
  }

  #select(term: Of<'select'>, fail: Fail): Value {
    const of = this.value(term.of, fail).code;
    const key = quoted(term.key);
    const slow = `select(${of}, ${key}, ${this.constant(term.missing)})`;
    if (inherited.has(term.key)) return this.#checked(slow, fail);
    const { code } = this.#let(`${of} == null ? undefined : ${of}[${key}]`);
    this.#emit(
      `if (${code} === undefined) { ${code} = ${slow}; if (${code} instanceof Failure) ${fail(code)} }`,
    );
    return { code };
  }

  #has(term: Of<'has'>, fail: Fail): Value {
    const of = this.value(term.of, fail).code;
    const key = quoted(term.key);
    const slow = `has(${of}, ${key}, ${this.#path(term.path)})`;
    const name = this.#name('t');
    if (inherited.has(term.key)) {
      this.#emit(`const ${name} = ${slow};`);
      this.#emit(`if (typeof ${name} !== "boolean") ${fail(name)}`);
      return { code: name, type: 'bool' };
    }
    const held = this.#let(`${of} == null ? undefined : ${of}[${key}]`).code;
    this.#emit(`let ${name} = true;`);
    this.#emit(
      `if (${held} === undefined || ${held} instanceof UnknownValue) { ${name} = ${slow}; if (typeof ${name} !== "boolean") ${fail(name)} }`,
    );
    return { code: name, type: 'bool' };
  }

  #index(term: Of<'index'>, fail: Fail): Value {
    const of = this.value(term.of, fail).code;
    const at = this.value(term.at, fail).code;
    return this.#checked(`index(${of}, ${at}, ${this.#path(term.of.path)})`, fail);
  }

  /** A block that `failure` leaves with its first failure kept: what `&&`, `||`, `all`, `exists` do with their parts. */
  #absorbing(failure: string, write: (fail: Fail) => void): void {
    const label = this.#name('b');
    this.#emit(`${label}: {`);
    write((code) => `{ if (${failure} === undefined) ${failure} = ${code}; break ${label}; }`);
    this.#emit('}');
  }

  /** Leaves the labelled statement with the answer when a part gives the decisive value. */
  #decide(part: Term, decisive: boolean, result: string, failure: string, leave: string): void {
    this.#absorbing(failure, (fail) => {
      const { code, type } = this.value(part, fail);
      const won = `{ ${result} = ${decisive}; ${failure} = undefined; break ${leave}; }`;
      this.#emit(`if (${code} === ${decisive}) ${won}`);
      if (type === 'bool') return;
      this.#emit(
        `if (${code} !== ${!decisive}) ${fail(`notBool(${code}, ${this.#path(part.path)})`)}`,
      );
    });
  }

  #logic(terms: readonly Term[], decisive: boolean, fail: Fail): Value {
    const result = this.#name('t');
    const failure = this.#name('f');
    const leave = this.#name('l');
    this.#emit(`let ${result} = ${!decisive}, ${failure};`);
    this.#emit(`${leave}: {`);
    for (const term of terms) this.#decide(term, decisive, result, failure, leave);
    this.#emit('}');
    this.#emit(`if (${failure} !== undefined) ${fail(failure)}`);
    return { code: result, type: 'bool' };
  }

  #choose(term: Of<'choose'>, fail: Fail): Value {
    const condition = this.value(term.condition, fail);
    const result = this.#name('t');
    this.#emit(`let ${result};`);
    if (condition.type !== 'bool') {
      const { code } = condition;
      this.#emit(
        `if (typeof ${code} !== "boolean") ${fail(`notBool(${code}, ${this.#path(term.condition.path)})`)}`,
      );
    }
    this.#emit(`if (${condition.code}) {`);
    this.#emit(`${result} = ${this.value(term.then, fail).code};`);
    this.#emit('} else {');
    this.#emit(`${result} = ${this.value(term.otherwise, fail).code};`);
    this.#emit('}');
    return { code: result };
  }

  #call(term: Of<'call'>, fail: Fail): Value {
    const [left, right] = term.args;
    const compares = comparisons.get(term.name);
    if (compares && left && right) return this.#compare(term, compares, left, right, fail);
    const args = term.args.map((arg) => this.value(arg, fail));
    const codes = args.map(({ code }) => code);
    const [first = '', second = ''] = codes;
    if (term.name === '!_' && args[0]?.type === 'bool') return { code: `!${first}`, type: 'bool' };
    const run = this.constant(term.run);
    const slow = `${run}(${codes.join(', ')})`;
    const paths = this.constant(term.args.map(({ path }) => path));
    const located = (code: string) => fail(`locate(${code}, [${codes.join(', ')}], ${paths})`);
    const fast = this.#fastCall(term, first, second);
    const value = this.#let(fast ? `${fast.when} ? ${fast.code} : ${slow}` : slow);
    this.#emit(`if (${value.code} instanceof Failure) ${located(value.code)}`);
    return value;
  }

  /** What JavaScript does by itself where the operands are of the usual type. */
  #fastCall(
    term: Of<'call'>,
    first: string,
    second: string,
  ): { readonly when: string; readonly code: string } | undefined {
    const right = term.args[1];
    if (right?.kind !== 'constant') return undefined;
    const { value } = right;
    const test = textTests.get(term.name);
    if (test && typeof value === 'string') {
      return { when: `typeof ${first} === "string"`, code: `${first}.${test}(${second})` };
    }
    const number = safeNumber(value);
    if (calculations.has(term.name) && number !== undefined) {
      return { when: `typeof ${first} === "number"`, code: `${first} ${term.name} ${number}` };
    }
    if (
      term.name === 'in' &&
      Array.isArray(value) &&
      value.every((item) => typeof item === 'string')
    ) {
      const set = this.constant(new Set<unknown>(value));
      return { when: `typeof ${first} === "string"`, code: `${set}.has(${first})` };
    }
    return undefined;
  }

  #compare(term: Of<'call'>, operator: string, left: Term, right: Term, fail: Fail): Value {
    const isEquality = operator === '===' || operator === '!==';
    const leftNumber = left.kind === 'constant' ? safeNumber(left.value) : undefined;
    const rightNumber = right.kind === 'constant' ? safeNumber(right.value) : undefined;
    const a = rightNumber === undefined ? this.value(left, fail) : this.#counted(left, fail);
    const b = leftNumber === undefined ? this.value(right, fail) : this.#counted(right, fail);
    const x = leftNumber ?? a.code;
    const y = rightNumber ?? b.code;
    const result = this.#name('t');
    if (a.type === 'count' || b.type === 'count') {
      this.#emit(`const ${result} = ${x} ${operator} ${y};`);
      return { code: result, type: 'bool' };
    }
    const kind = usualType(left, right, isEquality);
    const operands = [left, right].filter((one) => one.kind !== 'constant');
    const usual = [left, right]
      .map((one, i) =>
        one.kind === 'constant' ? '' : `typeof ${i === 0 ? a.code : b.code} === "${kind}"`,
      )
      .filter((check) => check !== '')
      .join(' && ');
    const paths = this.constant([left.path, right.path]);
    const located = fail(`locate(${result}, [${a.code}, ${b.code}], ${paths})`);
    const slow = `${result} = ${this.constant(term.run)}(${a.code}, ${b.code}); if (typeof ${result} !== "boolean") ${located}`;
    this.#emit(`let ${result};`);
    this.#emit(
      kind === undefined || operands.length === 0
        ? slow
        : `if (${usual}) ${result} = ${x} ${operator} ${y}; else { ${slow} }`,
    );
    return { code: result, type: 'bool' };
  }

  /** `size(x)` compared with a constant needs no int. */
  #counted(term: Term, fail: Fail): Value {
    const [of] = term.kind === 'call' && term.name === 'size' ? term.args : [];
    if (!of) return this.value(term, fail);
    const from = this.value(of, fail).code;
    const { code } = this.#let(`count(${from})`);
    const paths = this.constant([of.path]);
    this.#emit(`if (typeof ${code} !== "number") ${fail(`locate(${code}, [${from}], ${paths})`)}`);
    return { code, type: 'count' };
  }

  #chain(term: Of<'chain'>, fail: Fail): Value {
    const result = this.#name('t');
    this.#emit(`let ${result} = ${this.value(term.first, fail).code};`);
    for (const { run, operand } of term.steps) {
      const right = this.value(operand, fail).code;
      const next = this.#let(`${this.constant(run)}(${result}, ${right})`).code;
      const paths = this.constant([undefined, operand.path]);
      this.#emit(
        `if (${next} instanceof Failure) ${fail(`locate(${next}, [${result}, ${right}], ${paths})`)}`,
      );
      this.#emit(`${result} = ${next};`);
    }
    return { code: result };
  }

  #map(term: Of<'map'>, fail: Fail): Value {
    const map = this.#let('new CelMap()');
    for (const { key, value } of term.entries) {
      const under = this.value(key, fail).code;
      const held = this.value(value, fail).code;
      this.#emit(`if (!${map.code}.add(${under}, ${held})) ${fail(`badKey(${under})`)}`);
    }
    return map;
  }

  #loop(term: Of<'loop'>, fail: Fail): Value {
    const over = this.value(term.over, fail).code;
    const items = this.#checked(
      `Array.isArray(${over}) ? ${over} : range(${over}, ${this.#path(term.over.path)})`,
      fail,
    ).code;
    switch (term.loop) {
      case 'all':
        return this.#quantifier(term, items, false, fail);
      case 'exists':
        return this.#quantifier(term, items, true, fail);
      case 'exists_one': {
        const found = this.#let('0').code;
        this.#forEach(term, items, fail, (isIn) => this.#emit(`if (${isIn}) ${found}++;`));
        const result = this.#let(`${found} === 1`).code;
        return { code: result, type: 'bool' };
      }
      case 'map':
      case 'filter': {
        const collected = this.#let('[]').code;
        this.#forEach(term, items, fail, (isIn) => {
          this.#emit(`if (${isIn}) {`);
          const made = term.yields ? this.value(term.yields, fail).code : `v${term.slot}`;
          this.#emit(`${collected}.push(${made});`);
          this.#emit('}');
        });
        return { code: collected };
      }
    }
  }

  #startLoop(term: Of<'loop'>, items: string, fail: Fail, label = ''): void {
    const at = this.#name('i');
    this.#emit(`${label}for (let ${at} = 0; ${at} < ${items}.length; ${at}++) {`);
    this.#emit(`if (--steps < 0) ${fail('overBudget')}`);
    this.#emit(`const v${term.slot} = ${items}[${at}];`);
  }

  #quantifier(term: Of<'loop'>, items: string, decisive: boolean, fail: Fail): Value {
    const result = this.#name('t');
    const failure = this.#name('f');
    const leave = this.#name('l');
    this.#emit(`let ${result} = ${!decisive}, ${failure};`);
    this.#startLoop(term, items, fail, `${leave}: `);
    if (term.test) this.#decide(term.test, decisive, result, failure, leave);
    this.#emit('}');
    this.#emit(`if (${failure} !== undefined) ${fail(failure)}`);
    return { code: result, type: 'bool' };
  }

  /** Each item whose test holds; a failure ends the loop. */
  #forEach(term: Of<'loop'>, items: string, fail: Fail, write: (isIn: string) => void): void {
    this.#startLoop(term, items, fail);
    const isIn = term.test ? this.value(term.test, fail) : { code: 'true', type: 'bool' };
    if (isIn.type !== 'bool') {
      const why = `notBool(${isIn.code}, ${this.#path(term.test?.path)})`;
      this.#emit(`if (typeof ${isIn.code} !== "boolean") ${fail(why)}`);
    }
    write(isIn.code);
    this.#emit('}');
  }
}

/** A number as code, where a double has the same value. */
function safeNumber(value: unknown): string | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  if (typeof value === 'bigint' && !Number.isSafeInteger(number)) return undefined;
  return Object.is(number, -0) ? '-0' : `(${number})`;
}

/** The JavaScript type that both sides usually have, if its comparison means the same there. */
function usualType(left: Term, right: Term, isEquality: boolean): string | undefined {
  const constant = left.kind === 'constant' ? left : right.kind === 'constant' ? right : undefined;
  // Two values of which nothing is known: an order is mostly of numbers, text has an order of its own.
  if (!constant) return isEquality ? 'string' : 'number';
  if (safeNumber(constant.value) !== undefined) return 'number';
  if (!isEquality) return undefined;
  const type = typeof constant.value;
  return type === 'string' || type === 'boolean' ? type : undefined;
}

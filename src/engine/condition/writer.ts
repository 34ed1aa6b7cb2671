import { isShared } from './access.ts';
import { freeLength } from './budget.ts';
import { prices } from './prices.ts';
import { comparisons, quoted, safeNumber, usualCall, usualType } from './js-operators.ts';
import type { Term } from './program.ts';
import type { Fail, Of, Value } from './code-lines.ts';
import { LoopWriter } from './loop-writer.ts';

/** A value whose code may be undefined still; `settle` is the statement after which it is not. */
interface Read extends Value {
  readonly settle: string;
}

/** Writes a program as JavaScript. */
export class Writer extends LoopWriter {
  value(term: Term, fail: Fail): Value {
    switch (term.kind) {
      case 'constant':
        return this.literal(term.value);
      case 'variable':
        if (term.mayFail)
          this.emit(`if (v${term.slot} instanceof Failure) ${fail(`v${term.slot}`)}`);
        return { code: `v${term.slot}` };
      case 'bind':
        return this.#bind(term, fail);
      case 'select':
        return this.#select(term, fail);
      case 'has':
        return this.#has(term, fail);
      case 'index':
        return this.#index(term, fail);
      case 'and':
        return this.logic(term.terms, false, fail);
      case 'or':
        return this.logic(term.terms, true, fail);
      case 'choose':
        return this.#choose(term, fail);
      case 'call':
        return this.#call(term, fail);
      case 'chain':
        return this.#chain(term, fail);
      case 'list': {
        this.emit(`spend(${term.items.length});`);
        if (term.optional) return this.#optionalList(term, term.optional, fail);
        const items = term.items.map((item) => this.value(item, fail).code);
        return this.let(`[${items.join(', ')}]`);
      }
      case 'optional':
        return this.#optional(term, fail);
      case 'map':
        return this.#map(term, fail);
      case 'loop':
        return this.loop(term, fail);
    }
  }

  #select(term: Of<'select'>, fail: Fail): Value {
    const { code, settle } = this.#read(term, fail);
    this.emit(settle);
    return { code };
  }

  /** A value that is only looked into further where it is of none of the types that are usual there. */
  #lazily(term: Term, fail: Fail): Read {
    if (term.kind === 'select') return this.#read(term, fail);
    return { ...this.value(term, fail), settle: '' };
  }

  #read(term: Of<'select'>, fail: Fail): Read {
    const of = this.#lazily(term.of, fail);
    const key = quoted(term.key);
    const slow = `select(${of.code}, ${key}, ${this.constant(term.missing)})`;
    if (isShared(term.key)) {
      this.emit(of.settle);
      return { ...this.checked(slow, fail), settle: '' };
    }
    const { code } = this.let(`${of.code} == null ? undefined : ${of.code}[${key}]`);
    const settle = `${of.settle} if (${code} === undefined) { ${code} = ${slow}; if (${code} instanceof Failure) ${fail(code)} }`;
    return { code, settle };
  }

  #has(term: Of<'has'>, fail: Fail): Value {
    const of = this.value(term.of, fail).code;
    const key = quoted(term.key);
    const slow = `has(${of}, ${key}, ${this.path(term.path)})`;
    const name = this.name('t');
    if (isShared(term.key)) {
      this.emit(`const ${name} = ${slow};`);
      this.emit(`if (typeof ${name} !== "boolean") ${fail(name)}`);
      return { code: name, type: 'bool' };
    }
    const held = this.let(`${of} == null ? undefined : ${of}[${key}]`).code;
    this.emit(`let ${name} = true;`);
    this.emit(
      `if (${held} === undefined || (typeof ${held} === "object" && ${held} instanceof UnknownValue)) { ${name} = ${slow}; if (typeof ${name} !== "boolean") ${fail(name)} }`,
    );
    return { code: name, type: 'bool' };
  }

  #index(term: Of<'index'>, fail: Fail): Value {
    const of = this.value(term.of, fail).code;
    const at = this.value(term.at, fail).code;
    return this.checked(`index(${of}, ${at}, ${this.path(term.of.path)})`, fail);
  }

  #choose(term: Of<'choose'>, fail: Fail): Value {
    const condition = this.value(term.condition, fail);
    const result = this.name('t');
    this.emit(`let ${result};`);
    if (condition.type !== 'bool') {
      const { code } = condition;
      this.emit(
        `if (typeof ${code} !== "boolean") ${fail(`notBool(${code}, ${this.path(term.condition.path)})`)}`,
      );
    }
    this.emit(`if (${condition.code}) {`);
    this.emit(`${result} = ${this.value(term.then, fail).code};`);
    this.emit('} else {');
    this.emit(`${result} = ${this.value(term.otherwise, fail).code};`);
    this.emit('}');
    return { code: result };
  }

  #bind(term: Of<'bind'>, fail: Fail): Value {
    const slot = `v${term.slot}`;
    const label = this.name('b');
    this.emit(`let ${slot};`);
    this.emit(`${label}: {`);
    const { code } = this.value(term.value, (why) => `{ ${slot} = ${why}; break ${label}; }`);
    this.emit(`${slot} = ${code};`);
    this.emit('}');
    return this.value(term.body, fail);
  }

  #call(term: Of<'call'>, fail: Fail): Value {
    const [left, right] = term.args;
    const compares = comparisons.get(term.name);
    if (compares && left && right) return this.#compare(term, compares, left, right, fail);
    const usual = usualCall(term);
    const args = term.args.map((arg) =>
      usual ? this.#lazily(arg, fail) : { ...this.value(arg, fail), settle: '' },
    );
    const codes = args.map(({ code }) => code);
    const [first = ''] = codes;
    if (term.name === '!_' && args[0]?.type === 'bool') return { code: `!${first}`, type: 'bool' };
    const run = this.constant(term.run);
    const paths = this.constant(term.args.map(({ path }) => path));
    const { code } = this.let('undefined');
    const located = fail(`locate(${code}, [${codes.join(', ')}], ${paths})`);
    const slow = `${code} = ${run}(${codes.join(', ')}); if (${code} instanceof Failure) ${located}`;
    if (!usual) {
      this.emit(slow);
      return { code };
    }
    const fast = usual.code(first, this.constant(usual.constant));
    const settle = args.map((arg) => arg.settle).join(' ');
    this.emit(`if (${usual.when(first)}) ${code} = ${fast}; else { ${settle} ${slow} }`);
    return { code, ...(usual.isTest ? { type: 'bool' } : {}) };
  }

  #compare(term: Of<'call'>, operator: string, left: Term, right: Term, fail: Fail): Value {
    const isEquality = operator === '===' || operator === '!==';
    const leftNumber = left.kind === 'constant' ? safeNumber(left.value) : undefined;
    const rightNumber = right.kind === 'constant' ? safeNumber(right.value) : undefined;
    const kind = usualType(left, right, isEquality);
    // The left failure comes first: where the right side can fail, the left is settled before.
    const isEager = kind === undefined || right.kind !== 'constant';
    const a = this.#operand(left, isEager, fail);
    const b = this.#operand(right, kind === undefined, fail);
    const x = leftNumber ?? a.code;
    const y = rightNumber ?? b.code;
    const result = this.name('t');
    const usual = [
      ...(left.kind === 'constant' ? [] : [`typeof ${a.code} === "${kind}"`]),
      ...(right.kind === 'constant' ? [] : [`typeof ${b.code} === "${kind}"`]),
    ];
    if (kind === 'string' && usual.length === 2) usual.push(`${a.code}.length <= ${freeLength}`);
    const paths = this.constant([left.path, right.path]);
    const located = fail(`locate(${result}, [${a.code}, ${b.code}], ${paths})`);
    const slow = `${result} = ${this.constant(term.run)}(${a.code}, ${b.code}); if (typeof ${result} !== "boolean") ${located}`;
    this.emit(`let ${result};`);
    this.emit(
      kind === undefined || usual.length === 0
        ? slow
        : `if (${usual.join(' && ')}) ${result} = ${x} ${operator} ${y}; else { ${a.settle} ${b.settle} ${slow} }`,
    );
    return { code: result, type: 'bool' };
  }

  #operand(term: Term, isEager: boolean, fail: Fail): Read {
    const read = this.#lazily(term, fail);
    if (!isEager) return read;
    this.emit(read.settle);
    return { ...read, settle: '' };
  }

  #chain(term: Of<'chain'>, fail: Fail): Value {
    const result = this.name('t');
    this.emit(`let ${result} = ${this.value(term.first, fail).code};`);
    for (const { run, operand } of term.steps) {
      const right = this.value(operand, fail).code;
      const next = this.let(`${this.constant(run)}(${result}, ${right})`).code;
      const paths = this.constant([undefined, operand.path]);
      this.emit(
        `if (${next} instanceof Failure) ${fail(`locate(${next}, [${result}, ${right}], ${paths})`)}`,
      );
      this.emit(`${result} = ${next};`);
    }
    return { code: result };
  }

  #map(term: Of<'map'>, fail: Fail): Value {
    this.emit(`spend(${prices.map + term.entries.length * prices.item});`);
    const map = this.let('new CelMap()');
    for (const { key, value, isOptional } of term.entries) {
      const under = this.value(key, fail).code;
      const held = this.value(value, fail).code;
      if (isOptional) {
        const opened = this.checked(`opened(${held})`, fail).code;
        const add = `!${map.code}.add(${under}, ${opened}.content)`;
        this.emit(`if (${opened}.present && ${add}) ${fail(`badKey(${under})`)}`);
      } else this.emit(`if (!${map.code}.add(${under}, ${held})) ${fail(`badKey(${under})`)}`);
    }
    return map;
  }

  #optionalList(term: Of<'list'>, optional: ReadonlySet<number>, fail: Fail): Value {
    const list = this.let('[]');
    for (const [i, item] of term.items.entries()) {
      const { code } = this.value(item, fail);
      if (optional.has(i)) {
        const held = this.checked(`opened(${code})`, fail).code;
        this.emit(`if (${held}.present) ${list.code}.push(${held}.content);`);
      } else this.emit(`${list.code}.push(${code});`);
    }
    return list;
  }

  #opened(term: Term, fail: Fail): string {
    const { code } = this.value(term, fail);
    const held = this.let(`opened(${code})`).code;
    const located = `locate(${held}, [${code}], [${this.path(term.path)}])`;
    this.emit(`if (${held} instanceof Failure) ${fail(located)}`);
    return held;
  }

  #optional(term: Of<'optional'>, fail: Fail): Value {
    const held = this.#opened(term.of, fail);
    const result = this.let(term.act === 'orValue' ? `${held}.content` : held);
    this.emit(`if (${term.slot === undefined ? '!' : ''}${held}.present) {`);
    if (term.slot !== undefined) this.emit(`const v${term.slot} = ${held}.content;`);
    const made =
      term.act === 'or' || term.act === 'optFlatMap'
        ? this.#opened(term.then, fail)
        : this.value(term.then, fail).code;
    this.emit(`${result.code} = ${term.act === 'optMap' ? `some(${made})` : made};`);
    this.emit('}');
    return result;
  }
}

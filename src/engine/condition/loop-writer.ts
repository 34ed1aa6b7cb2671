import { CodeLines } from './code-lines.ts';
import type { Fail, Of, Value } from './code-lines.ts';
import { prices } from './prices.ts';
import type { Term } from './program.ts';

/** Names of what a part may decide. */
interface Decision {
  readonly result: string;
  readonly failure: string;
  /** The label of the statement that a decision leaves. */
  readonly leave: string;
  /** Code for why the item of a macro does not decide, if that is so. */
  readonly doubt?: string;
}

/** Writes what decides by the first of its parts that does, and what runs over items: `&&`, `||`, macros. */
export abstract class LoopWriter extends CodeLines {
  /** A block that `failure` leaves with its first failure kept: what `&&`, `||`, `all`, `exists` do with their parts. */
  #absorbing(failure: string, write: (fail: Fail) => void): void {
    const label = this.name('b');
    this.emit(`${label}: {`);
    // Made also where it does not count any more: it is paid for, and closures make it, too.
    write((code) => `{ const why = ${code}; ${failure} ??= why; break ${label}; }`);
    this.emit('}');
  }

  /** Leaves the labelled statement with the answer when a part gives the decisive value. */
  #decide(part: Term, decisive: boolean, { result, failure, leave, doubt }: Decision): void {
    this.#absorbing(failure, (fail) => {
      const { code, type } = this.value(part, fail);
      const certain = doubt ? `const open = ${doubt}; if (open !== undefined) ${fail('open')}` : '';
      const won = `${result} = ${decisive}; ${failure} = undefined; break ${leave};`;
      this.emit(`if (${code} === ${decisive}) { ${certain} ${won} }`);
      if (type === 'bool') return;
      this.emit(
        `if (${code} !== ${!decisive}) ${fail(`notBool(${code}, ${this.path(part.path)})`)}`,
      );
    });
  }

  protected logic(terms: readonly Term[], decisive: boolean, fail: Fail): Value {
    const result = this.name('t');
    const failure = this.name('f');
    const leave = this.name('l');
    this.emit(`let ${result} = ${!decisive}, ${failure};`);
    this.emit(`${leave}: {`);
    for (const term of terms) this.#decide(term, decisive, { result, failure, leave });
    this.emit('}');
    this.emit(`if (${failure} !== undefined) ${fail(failure)}`);
    return { code: result, type: 'bool' };
  }

  protected loop(term: Of<'loop'>, fail: Fail): Value {
    const over = this.value(term.over, fail).code;
    const path = this.path(term.over.path);
    const withKeys = term.key !== undefined;
    const isQuantifier = term.loop === 'all' || term.loop === 'exists';
    const slow = `itemsOf(${over}, ${path}, ${withKeys}, ${!isQuantifier})`;
    const items = this.checked(
      isQuantifier && !withKeys ? `Array.isArray(${over}) ? ${over} : ${slow}` : slow,
      fail,
    ).code;
    switch (term.loop) {
      case 'all':
      case 'exists': {
        const doubt = `doubt(${over}, v${term.slot}, ${path}, ${withKeys})`;
        return this.#quantifier(term, items, doubt, fail);
      }
      case 'exists_one': {
        const found = this.let('0').code;
        this.#forEach(term, items, fail, (isIn) => this.emit(`if (${isIn}) ${found}++;`));
        const result = this.let(`${found} === 1`).code;
        return { code: result, type: 'bool' };
      }
      case 'map':
      case 'filter': {
        const collected = this.let('[]').code;
        this.#forEach(term, items, fail, (isIn) => {
          this.emit(`if (${isIn}) {`);
          const made = term.yields ? this.value(term.yields, fail).code : `v${term.slot}`;
          this.emit(`${collected}.push(${made});`);
          this.emit('}');
        });
        return { code: collected };
      }
      case 'entries':
      case 'merge':
        return this.#collectMap(term, items, fail);
    }
  }

  #collectMap(term: Of<'loop'>, items: string, fail: Fail): Value {
    const collected = this.name('t');
    this.#forEach(
      term,
      items,
      fail,
      (isIn) => {
        this.emit(`if (${isIn}) {`);
        const made = term.yields ? this.value(term.yields, fail).code : 'undefined';
        const add =
          term.loop === 'entries'
            ? `addEntry(${collected}, v${term.key}, ${made})`
            : `merge(${collected}, ${made})`;
        const failure = this.let(add).code;
        this.emit(`if (${failure} !== undefined) ${fail(failure)}`);
        this.emit('}');
      },
      `spend(${prices.map}); const ${collected} = new CelMap();`,
    );
    return { code: collected };
  }

  /** @param before what is done once the items are paid for */
  #startLoop(term: Of<'loop'>, items: string, label = '', before = ''): void {
    const at = this.name('i');
    this.emit(`spend(${prices.macro} + ${items}.length * ${term.stepsOfItem});${before}`);
    this.emit(`${label}for (let ${at} = 0; ${at} < ${items}.length; ${at}++) {`);
    this.emit(
      term.key === undefined
        ? `const v${term.slot} = ${items}[${at}];`
        : `const [v${term.key}, v${term.slot}] = ${items}[${at}];`,
    );
  }

  #quantifier(term: Of<'loop'>, items: string, doubt: string, fail: Fail): Value {
    const decisive = term.loop === 'exists';
    const result = this.name('t');
    const failure = this.name('f');
    const leave = this.name('l');
    this.emit(`let ${result} = ${!decisive}, ${failure};`);
    this.#startLoop(term, items, `${leave}: `);
    if (term.test) this.#decide(term.test, decisive, { result, failure, leave, doubt });
    this.emit('}');
    this.emit(`if (${failure} !== undefined) ${fail(failure)}`);
    return { code: result, type: 'bool' };
  }

  /** Each item whose test holds; a failure ends the loop. */
  #forEach(
    term: Of<'loop'>,
    items: string,
    fail: Fail,
    write: (isIn: string) => void,
    before?: string,
  ): void {
    this.#startLoop(term, items, '', before);
    const isIn = term.test ? this.value(term.test, fail) : { code: 'true', type: 'bool' };
    if (isIn.type !== 'bool') {
      const why = `notBool(${isIn.code}, ${this.path(term.test?.path)})`;
      this.emit(`if (typeof ${isIn.code} !== "boolean") ${fail(why)}`);
    }
    write(isIn.code);
    this.emit('}');
  }
}

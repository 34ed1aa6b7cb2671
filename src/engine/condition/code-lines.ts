import { quoted } from './js-operators.ts';
import type { Term } from './program.ts';

/** The statement that ends a part with a failure: `failure` is code. */
export type Fail = (failure: string) => string;

/** Code without effects that gives a value; `bool` where it is surely one. */
export interface Value {
  readonly code: string;
  readonly type?: 'bool';
}

/** A term of a kind. */
export type Of<Kind extends Term['kind']> = Extract<Term, { readonly kind: Kind }>;

/** Code as it grows: lines, names for what they calculate, and the values that they are given. */
export abstract class CodeLines {
  readonly lines: string[] = [];
  readonly constants: unknown[] = [];
  #names = 0;

  protected emit(line: string): void {
    this.lines.push(line);
  }

  protected name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  protected let(code: string): Value {
    const name = this.name('t');
    this.emit(`let ${name} = ${code};`);
    return { code: name };
  }

  /** The name of a value that the code is given. */
  constant(value: unknown): string {
    return `k${this.constants.push(value) - 1}`;
  }

  protected literal(value: unknown): Value {
    if (typeof value === 'boolean') return { code: String(value), type: 'bool' };
    if (value === null) return { code: 'null' };
    if (typeof value === 'string') return { code: quoted(value) };
    return { code: this.constant(value) };
  }

  protected path(path: string | undefined): string {
    return path === undefined ? 'undefined' : quoted(path);
  }

  protected checked(code: string, fail: Fail): Value {
    const value = this.let(code);
    this.emit(`if (${value.code} instanceof Failure) ${fail(value.code)}`);
    return value;
  }

  /** Writes what a term takes. @returns code for its value */
  abstract value(term: Term, fail: Fail): Value;
}

import { freeCharacters, freeLength, freeToSearch } from './budget.ts';
import type { Term } from './program.ts';
import { freeNative } from './regex.ts';

/** Operators and functions of CEL that JavaScript has as well, for operands of the usual types. */

/** U+2028 and U+2029 end a line in some contexts of JavaScript. */
export const quoted = (text: string): string =>
  JSON.stringify(text).replace(/[\u2028\u2029]/g, (end) =>
    end === '\u2028' ? '\\u2028' : '\\u2029',
  );

export const comparisons: ReadonlyMap<string, string> = new Map([
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

/** A number as code, where a double has the same value. */
export function safeNumber(value: unknown): string | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  if (typeof value === 'bigint' && !Number.isSafeInteger(number)) return undefined;
  return Object.is(number, -0) ? '-0' : `(${number})`;
}

/** The JavaScript type that both sides usually have, if its comparison means the same there. */
export function usualType(left: Term, right: Term, isEquality: boolean): string | undefined {
  const constant = left.kind === 'constant' ? left : right.kind === 'constant' ? right : undefined;
  // Two values of which nothing is known: an order is mostly of numbers, text has an order of its own.
  if (!constant) return isEquality ? 'string' : 'number';
  if (safeNumber(constant.value) !== undefined) return 'number';
  if (!isEquality) return undefined;
  const type = typeof constant.value;
  if (typeof constant.value === 'string' && constant.value.length > freeLength) return undefined;
  return type === 'string' || type === 'boolean' ? type : undefined;
}

interface UsualCall {
  when(operand: string): string;
  /** @param constant name of `constant` */
  code(operand: string, constant: string): string;
  readonly constant: unknown;
  readonly isTest: boolean;
}

/** What JavaScript does by itself where the first operand is of the usual type, and too short to be paid for. */
export function usualCall(term: Extract<Term, { readonly kind: 'call' }>): UsualCall | undefined {
  const isText = (operand: string) => `typeof ${operand} === "string"`;
  if (term.native) {
    return {
      when: (operand) => `${isText(operand)} && ${operand}.length <= ${freeNative}`,
      code: (operand, pattern) => `${pattern}.test(${operand})`,
      constant: term.native,
      isTest: true,
    };
  }
  if (term.among) {
    return {
      when: (operand) => `${isText(operand)} && ${operand}.length <= ${freeLength}`,
      code: (operand, set) => `${set}.has(${operand})`,
      constant: term.among,
      isTest: true,
    };
  }
  const right = term.args[1];
  if (right?.kind !== 'constant') return undefined;
  const { value } = right;
  const test = textTests.get(term.name);
  if (test !== undefined && typeof value === 'string' && value.length <= freeCharacters) {
    const most = freeToSearch(value.length);
    const bound =
      term.name === 'contains' ? (operand: string) => ` && ${operand}.length <= ${most}` : () => '';
    return {
      when: (operand) => `${isText(operand)}${bound(operand)}`,
      code: (operand) => `${operand}.${test}(${quoted(value)})`,
      constant: undefined,
      isTest: true,
    };
  }
  const number = safeNumber(value);
  if (calculations.has(term.name) && number !== undefined) {
    return {
      when: (operand) => `typeof ${operand} === "number"`,
      code: (operand) => `${operand} ${term.name} ${number}`,
      constant: undefined,
      isTest: false,
    };
  }
  return undefined;
}

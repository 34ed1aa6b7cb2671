import { spend } from './budget.ts';
import { order } from './compare.ts';
import { prices } from './prices.ts';
import type { Strict } from './values.ts';
import { Failure, maxInt, maxUint, mismatch, typeError, Uint } from './values.ts';

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint;

/** `math.least` and `math.greatest`: the first of those that are least (-1) or greatest (1). */
const extreme =
  (name: string, sign: -1 | 1): Strict =>
  (...args) => {
    const [list] = args;
    const values: readonly unknown[] =
      args.length === 1 && Array.isArray(list) ? (list as unknown[]) : args;
    spend(values.length * prices.item);
    const stranger = values.findIndex((value) => !isNumber(value));
    if (stranger >= 0) return mismatch(name, values[stranger]);
    if (values.length === 0) return typeError(`${name} of an empty list`);
    let found = values[0];
    for (const value of values) {
      const compared = order(name, value, found);
      if (compared instanceof Failure) return compared;
      if (Number.isNaN(compared)) return typeError(`${name}: NaN has no order`);
      if (compared * sign > 0) found = value;
    }
    return found;
  };

const ofDouble =
  (name: string, run: (value: number) => unknown): Strict =>
  (value) =>
    typeof value === 'number' ? run(value) : mismatch(name, value);

/** Half away from zero. */
const round = (value: number): number =>
  Math.trunc(value) + (Math.abs(value - Math.trunc(value)) >= 0.5 ? Math.sign(value) : 0);

function abs(value: unknown): unknown {
  if (typeof value === 'number') return Math.abs(value);
  if (value instanceof Uint) return value;
  if (typeof value !== 'bigint') return mismatch('math.abs', value);
  spend(prices.integer);
  const magnitude = value < 0n ? -value : value;
  return magnitude > maxInt ? typeError('the result overflows a 64-bit int') : magnitude;
}

function sign(value: unknown): unknown {
  if (typeof value === 'number') return Math.sign(value);
  if (typeof value === 'bigint') return value > 0n ? 1n : value < 0n ? -1n : 0n;
  return value instanceof Uint
    ? new Uint(value.magnitude > 0n ? 1n : 0n)
    : mismatch('math.sign', value);
}

function squareRoot(value: unknown): unknown {
  if (typeof value === 'number') return Math.sqrt(value);
  if (typeof value === 'bigint') return Math.sqrt(Number(value));
  return value instanceof Uint ? Math.sqrt(Number(value.magnitude)) : mismatch('math.sqrt', value);
}

const bits =
  (name: string, run: (a: bigint, b: bigint) => bigint): Strict =>
  (a, b) => {
    spend(prices.integer);
    if (typeof a === 'bigint' && typeof b === 'bigint') return run(a, b);
    return a instanceof Uint && b instanceof Uint
      ? new Uint(run(a.magnitude, b.magnitude))
      : mismatch(name, a, b);
  };

function bitNot(value: unknown): unknown {
  spend(prices.integer);
  if (typeof value === 'bigint') return ~value;
  return value instanceof Uint
    ? new Uint(value.magnitude ^ maxUint)
    : mismatch('math.bitNot', value);
}

/** Of the 64 bits of a number, without its sign: as CEL has it, the places that become free are 0. */
const shifted =
  (name: string, run: (value: bigint, by: bigint) => bigint): Strict =>
  (value, by) => {
    spend(prices.integer);
    const magnitude =
      value instanceof Uint
        ? value.magnitude
        : typeof value === 'bigint'
          ? BigInt.asUintN(64, value)
          : undefined;
    if (magnitude === undefined || typeof by !== 'bigint') return mismatch(name, value, by);
    if (by < 0n) return typeError(`${name} does not accept a negative number of bits`);
    const result = by >= 64n ? 0n : BigInt.asUintN(64, run(magnitude, by));
    return value instanceof Uint ? new Uint(result) : BigInt.asIntN(64, result);
  };

/** Arguments of `math.least` and `math.greatest`; a list takes more. */
const mostCompared = 8;

const compared = Array.from({ length: mostCompared }, (_, i) => i + 1);

/** The functions of `math`, by name and number of arguments. */
export const mathFunctions: readonly (readonly [name: string, run: Strict])[] = [
  ...compared.map((count) => [`math.least/${count}`, extreme('math.least', -1)] as const),
  ...compared.map((count) => [`math.greatest/${count}`, extreme('math.greatest', 1)] as const),
  ['math.ceil/1', ofDouble('math.ceil', Math.ceil)],
  ['math.floor/1', ofDouble('math.floor', Math.floor)],
  ['math.round/1', ofDouble('math.round', round)],
  ['math.trunc/1', ofDouble('math.trunc', Math.trunc)],
  ['math.isNaN/1', ofDouble('math.isNaN', Number.isNaN)],
  ['math.isInf/1', ofDouble('math.isInf', (value) => Math.abs(value) === Infinity)],
  ['math.isFinite/1', ofDouble('math.isFinite', Number.isFinite)],
  ['math.abs/1', abs],
  ['math.sign/1', sign],
  ['math.sqrt/1', squareRoot],
  ['math.bitAnd/2', bits('math.bitAnd', (a, b) => a & b)],
  ['math.bitOr/2', bits('math.bitOr', (a, b) => a | b)],
  ['math.bitXor/2', bits('math.bitXor', (a, b) => a ^ b)],
  ['math.bitNot/1', bitNot],
  ['math.bitShiftLeft/2', shifted('math.bitShiftLeft', (value, by) => value << by)],
  ['math.bitShiftRight/2', shifted('math.bitShiftRight', (value, by) => value >> by)],
];

const numbers = ['int', 'uint', 'double'];

/** What the checker knows of them: parameters and results. */
export const mathSignatures: readonly string[] = [
  ...['least', 'greatest'].flatMap((name) =>
    compared.map((count) => `${name}(${Array(count).fill('dyn').join(', ')}): dyn`),
  ),
  ...['ceil', 'floor', 'round', 'trunc'].map((name) => `${name}(double): double`),
  ...['isNaN', 'isInf', 'isFinite'].map((name) => `${name}(double): bool`),
  ...numbers.flatMap((type) => [
    `abs(${type}): ${type}`,
    `sign(${type}): ${type}`,
    `sqrt(${type}): double`,
  ]),
  ...['int', 'uint'].flatMap((type) => [
    ...['bitAnd', 'bitOr', 'bitXor'].map((name) => `${name}(${type}, ${type}): ${type}`),
    `bitNot(${type}): ${type}`,
    `bitShiftLeft(${type}, int): ${type}`,
    `bitShiftRight(${type}, int): ${type}`,
  ]),
];

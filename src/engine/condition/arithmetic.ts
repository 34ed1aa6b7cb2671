import {
  Duration,
  maxInt,
  maxUint,
  minInt,
  mismatch,
  Timestamp,
  typeError,
  Uint,
} from './values.ts';
import type { Failure } from './values.ts';
import { spend, spendOnEach } from './budget.ts';
import { prices } from './prices.ts';
import { addTime, makeDuration } from './time.ts';

const overflow = (): Failure => typeError('the result overflows a 64-bit int');

const int = (value: bigint): bigint | Failure =>
  value >= minInt && value <= maxInt ? value : overflow();

const uint = (value: bigint): Uint | Failure =>
  value >= 0n && value <= maxUint
    ? new Uint(value)
    : typeError('the result overflows a 64-bit uint');

interface Operation {
  readonly name: string;
  readonly double: (a: number, b: number) => number;
  readonly whole: (a: bigint, b: bigint) => bigint;
}

/**
 * Numbers of the same type as CEL has it. A double and an int calculate as doubles: the numbers of a JSON document are
 * doubles, and `resource.days + 1` is what people write.
 */
function calculate({ name, double, whole }: Operation, a: unknown, b: unknown): unknown {
  if (typeof a === 'number') {
    if (typeof b === 'number') return double(a, b);
    if (typeof b === 'bigint') return double(a, Number(b));
  } else if (typeof a === 'bigint') {
    if (typeof b === 'bigint') {
      spend(prices.integer);
      return int(whole(a, b));
    }
    if (typeof b === 'number') return double(Number(a), b);
  } else if (a instanceof Uint && b instanceof Uint) {
    spend(prices.integer);
    return uint(whole(a.magnitude, b.magnitude));
  }
  return mismatch(name, a, b);
}

const addition: Operation = { name: '+', double: (a, b) => a + b, whole: (a, b) => a + b };
const subtraction: Operation = { name: '-', double: (a, b) => a - b, whole: (a, b) => a - b };
const product: Operation = { name: '*', double: (a, b) => a * b, whole: (a, b) => a * b };
const quotient: Operation = { name: '/', double: (a, b) => a / b, whole: (a, b) => a / b };

/** Characters of a text: what is longer is not made. */
export const maxLength = 1 << 26;

export const tooLong = (): Failure => typeError('the result is too long');

export function add(a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') {
    const length = a.length + b.length;
    spendOnEach(length);
    return length > maxLength ? tooLong() : a + b;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    spend((a.length + b.length) * prices.item);
    return [...(a as unknown[]), ...(b as unknown[])];
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    spendOnEach(a.length + b.length);
    const both = new Uint8Array(a.length + b.length);
    both.set(a, 0);
    both.set(b, a.length);
    return both;
  }
  if (b instanceof Duration) {
    if (a instanceof Timestamp) return addTime(a, b.seconds, b.nanos);
    if (a instanceof Duration) return makeDuration(a.seconds + b.seconds, a.nanos + b.nanos);
  }
  if (a instanceof Duration && b instanceof Timestamp) return addTime(b, a.seconds, a.nanos);
  return calculate(addition, a, b);
}

export function subtract(a: unknown, b: unknown): unknown {
  if (a instanceof Timestamp) {
    if (b instanceof Timestamp) return makeDuration(a.seconds - b.seconds, a.nanos - b.nanos);
    if (b instanceof Duration) return addTime(a, -b.seconds, -b.nanos);
  }
  if (a instanceof Duration && b instanceof Duration) {
    return makeDuration(a.seconds - b.seconds, a.nanos - b.nanos);
  }
  return calculate(subtraction, a, b);
}

export const multiply = (a: unknown, b: unknown): unknown => calculate(product, a, b);

const isZero = (value: unknown): boolean =>
  value === 0n || (value instanceof Uint && value.magnitude === 0n);

export function divide(a: unknown, b: unknown): unknown {
  if (isZero(b) && typeof a !== 'number') return typeError('division by zero');
  return calculate(quotient, a, b);
}

/** The remainder has the sign of `a`. Of whole numbers only, as CEL has it; a JSON number that is whole counts as one. */
export function remainder(a: unknown, b: unknown): unknown {
  spend(prices.integer);
  if (a instanceof Uint && b instanceof Uint) {
    return b.magnitude === 0n ? typeError('modulus by zero') : new Uint(a.magnitude % b.magnitude);
  }
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    return b === 0n ? typeError('modulus by zero') : int(a % b);
  }
  const isMixed = typeof a === 'bigint' || typeof b === 'bigint';
  const isNumber = (value: unknown) => typeof value === 'bigint' || Number.isInteger(value);
  if (isMixed && isNumber(a) && isNumber(b)) {
    return Number(b) === 0 ? typeError('modulus by zero') : Number(a) % Number(b);
  }
  return mismatch('%', a, b);
}

export function negate(a: unknown): unknown {
  if (typeof a === 'number') return -a;
  if (typeof a === 'bigint') return int(-a);
  return mismatch('-', a);
}

export const not = (a: unknown): unknown => (typeof a === 'boolean' ? !a : mismatch('!', a));

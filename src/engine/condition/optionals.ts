import { UnknownValue } from '../../contract/resources.ts';
import { spend } from './budget.ts';
import { isMap, sizeOf } from './compare.ts';
import { prices } from './prices.ts';
import { Duration, Failure, mismatch, newFailure, Optional, Timestamp, Uint } from './values.ts';
import type { Strict } from './values.ts';

export const none = new Optional(false);

/** `optional.of(value)`. */
export function some(value: unknown): Optional {
  spend(prices.item);
  return new Optional(true, value);
}

/** What is expected to be an optional: `optional.of(1)`, `resource.?owner`. */
export const opened = (value: unknown): Optional | Failure =>
  value instanceof Optional ? value : mismatch('an operation on optionals', value);

function isZero(value: unknown): boolean | Failure {
  if (value === null || value === false || value === 0 || value === 0n || value === '') return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.magnitude === 0n;
  if (value instanceof Duration || value instanceof Timestamp) {
    return value.seconds === 0 && value.nanos === 0;
  }
  if (value instanceof Optional) return !value.present;
  if (!Array.isArray(value) && !isMap(value)) return false;
  const size = sizeOf(value);
  return typeof size === 'number' ? size === 0 : size;
}

function nonZero(value: unknown): unknown {
  if (value instanceof UnknownValue) return mismatch('optional.ofNonZeroValue', value);
  const zero = isZero(value);
  if (typeof zero !== 'boolean') return zero;
  return zero ? none : some(value);
}

function hasValue(value: unknown): unknown {
  const optional = opened(value);
  return optional instanceof Failure ? optional : optional.present;
}

function valueOf(value: unknown): unknown {
  const optional = opened(value);
  if (optional instanceof Failure) return optional;
  return optional.present
    ? optional.content
    : newFailure('missing_attribute', 'value() of an empty optional');
}

export const optionalFunctions: readonly (readonly [name: string, run: Strict])[] = [
  ['optional.none/0', () => none],
  ['optional.of/1', some],
  ['optional.ofNonZeroValue/1', nonZero],
];

export const optionalMethods: readonly (readonly [name: string, run: Strict])[] = [
  ['hasValue/1', hasValue],
  ['value/1', valueOf],
];

import { UnknownValue } from '../../contract/resources.ts';
import type { UndecidedReason } from '../../contract/findings.ts';
import { spend } from './budget.ts';
import type { Undecided } from './evaluate.ts';
import { prices } from './prices.ts';

// A CEL value is: null, boolean, string, number (double), bigint (int), Array (list), plain object or CelMap (map),
// Uint8Array (bytes), and the classes below. JSON as `JSON.parse` makes it is a value as it is. An UnknownValue may
// stand anywhere inside a resource. A Failure stands where there is no value; it never gets into a list or a map.

/** Why there is no value: an `Undecided` that runs through an expression, and that `&&`, `||`, `all`, `exists` can absorb. */
export class Failure implements Undecided {
  readonly reason: UndecidedReason;
  readonly path?: string;
  readonly message: string;

  constructor(reason: UndecidedReason, message: string, path?: string) {
    this.reason = reason;
    this.message = message;
    if (path !== undefined) this.path = path;
  }
}

/** A function of values; a Failure where there is no result. It is never given a Failure. */
export type Strict = (...args: unknown[]) => unknown;

// The fields of these classes have names that attributes of resources seldom have: generated code reads those the short way.
export class Uint {
  readonly magnitude: bigint;
  constructor(magnitude: bigint) {
    this.magnitude = magnitude;
  }
}

/** Seconds since the epoch and nanoseconds (0 to 999,999,999) after them. */
export class Timestamp {
  readonly seconds: number;
  readonly nanos: number;
  constructor(seconds: number, nanos: number) {
    this.seconds = seconds;
    this.nanos = nanos;
  }
}

/** Seconds and nanoseconds (0 to 999,999,999) after them, also where it is negative: -0.5s is -1s + 500,000,000ns. */
export class Duration {
  readonly seconds: number;
  readonly nanos: number;
  constructor(seconds: number, nanos: number) {
    this.seconds = seconds;
    this.nanos = nanos;
  }
}

export class TypeValue {
  readonly typeName: string;
  constructor(typeName: string) {
    this.typeName = typeName;
  }
}

/** `optional.of(x)` and `optional.none()`. */
export class Optional {
  readonly content: unknown;
  readonly present: boolean;
  constructor(present: boolean, content?: unknown) {
    this.present = present;
    this.content = content;
  }
}

/** Whether it is open that a value is there at all. */
export const isOpen = (value: unknown): value is UnknownValue =>
  typeof value === 'object' && value instanceof UnknownValue && !value.present;

/** A map made by an expression. Its keys may be int, uint, bool or string; numeric keys meet by value. */
export class CelMap {
  readonly #entries = new Map<unknown, readonly [key: unknown, value: unknown]>();
  /** The first value of which it is open whether it is there. */
  open: UnknownValue | undefined;

  /** Whether the key is one and was not there. */
  add(key: unknown, value: unknown): boolean {
    const by = identity(key);
    if (by === undefined || this.#entries.has(by)) return false;
    this.#entries.set(by, [key, value]);
    if (isOpen(value)) this.open ??= value;
    return true;
  }
  get size(): number {
    return this.#entries.size;
  }
  entry(key: unknown): readonly [key: unknown, value: unknown] | undefined {
    return this.#entries.get(identity(key));
  }
  keys(): unknown[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }
}

/**
 * What two equal keys have in common; undefined for what can't be a key. Numbers are texts here: JavaScript finds numbers by
 * a hash that is the same in every process, so that somebody could choose a thousand that all have to be looked at.
 */
function identity(key: unknown): string | boolean | undefined {
  switch (typeof key) {
    case 'string':
      return key.startsWith('\0') ? `\0"${key}` : key;
    case 'boolean':
      return key;
    case 'bigint':
      return `\0${key}`;
    case 'number':
      return Number.isInteger(key) ? `\0${BigInt(key)}` : undefined;
    default:
      return key instanceof Uint ? `\0${key.magnitude}` : undefined;
  }
}

export const minInt = -(2n ** 63n);
export const maxInt = 2n ** 63n - 1n;
export const maxUint = 2n ** 64n - 1n;

/** An object of a JSON document. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** Whether a value is a map of a JSON document; the other objects have a class of their own. */
export function isJsonMap(value: unknown): value is JsonMap {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The name of a value's type, as `type()` and messages say it. */
export function typeName(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'double';
    case 'bigint':
      return 'int';
    case 'boolean':
      return 'bool';
    default:
  }
  if (value === null) return 'null_type';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Optional) return 'optional_type';
  return 'map';
}

/** A Failure that is made while a condition runs: its message takes time, and a macro can ask for many. */
export function newFailure(reason: UndecidedReason, message: string, path?: string): Failure {
  spend(prices.failure);
  return new Failure(reason, message, path);
}

export const typeError = (message: string): Failure => newFailure('type_error', message);

/** The unknown value itself is the reason: where the resource has it is added by who knows. */
export const unknownFailure = (value: UnknownValue, path?: string): Failure =>
  newFailure('unknown_value', `${path ?? 'a value'} is not known: ${value.expression}`, path);

/** An operator or function does not take these operands: one of them is unknown, or has a type it can't work with. */
export function mismatch(name: string, ...operands: readonly unknown[]): Failure {
  for (const operand of operands)
    if (operand instanceof UnknownValue) return unknownFailure(operand);
  return typeError(`${name} can't be applied to ${operands.map(typeName).join(', ')}`);
}

import { UnknownValue } from '../../../contract/resources.ts';
import { isFields as isObject } from '../../json.ts';
import type { Fields } from '../../json.ts';
import { isUnknown, waitsFor } from '../../attributes/values.ts';

export type { Fields };

/** A map that a template holds, or that is made of one; not what stands for an unknown value. */
export const isFields = (value: unknown): value is Fields => isObject(value) && !isUnknown(value);

/** What references in a template lead to. */
export interface Scope {
  /** Values by parameter or pseudo parameter; an `UnknownValue` where there is none. */
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly mappings: Fields;
  readonly conditions: Fields;
  readonly isResource: (name: string) => boolean;
}

/** Works out values of one template. */
export interface Resolver extends Scope {
  /** The value with every intrinsic function worked out; undefined for `AWS::NoValue`. */
  resolve(value: unknown): unknown;
  /** Whether a declared condition holds. */
  holds(name: string): boolean | UnknownValue;
  /**
   * Takes from what the template may make, in characters; false where that is spent: a page of references can multiply
   * to more than memory holds.
   */
  spend(characters: number): boolean;
  /** What was looked up by a key that is not known, as it looks at everything. */
  readonly lookups: Map<string, unknown>;
}

/** Works out one function, of its argument as written. */
export type Intrinsic = (argument: unknown, resolver: Resolver) => unknown;

/** Characters: as many as a template may have. What would grow beyond is not worked out. */
const maxText = 1_000_000;

/** The text of a scalar; undefined for a list or a map, whose String() may throw: they may have a key `toString`. */
export const scalarText = (value: unknown): string | undefined =>
  (typeof value === 'object' && value !== null) || value === undefined ? undefined : String(value);

/** A value nobody can know, because the template says something that has no meaning. */
export const unclear = (expression: string): UnknownValue =>
  new UnknownValue(expression, { present: false });

/** How an unknown value stands in a text that is known in part. */
const placeholder = (value: UnknownValue): string =>
  value.text ?? `\${${value.expression.replace(/^(?:Ref|GetAtt) /, '')}}`;

/** A text of its pieces; unknown when one of them is. A single piece stays what it is. */
export function composeText(
  pieces: readonly unknown[],
  expression: string,
  { spend }: Pick<Resolver, 'spend'>,
): unknown {
  if (!spend(pieces.length)) return unclear(expression);
  const parts = pieces.map((piece) =>
    typeof piece === 'number' || typeof piece === 'boolean' ? String(piece) : piece,
  );
  const unknowns = parts.filter(isUnknown);
  if (!parts.every((part) => typeof part === 'string' || isUnknown(part))) {
    return unclear(expression);
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const words = parts.map((part) => (isUnknown(part) ? placeholder(part) : String(part)));
  const length = words.reduce((sum, word) => sum + word.length, 0);
  if (!spend(length) || length > maxText) return unclear(expression);
  const text = words.join('');
  if (unknowns.length === 0) return text;
  const targets = new Set(unknowns.flatMap(({ target }) => target ?? []));
  const [target] = targets;
  return new UnknownValue(expression, {
    text,
    ...waitsFor(...unknowns),
    ...(targets.size === 1 && target !== undefined ? { target } : {}),
  });
}

/** A text that was worked out, unless it is too long to be meant. */
export const boundedText = (
  text: string,
  expression: string,
  { spend }: Pick<Resolver, 'spend'>,
): unknown => (!spend(text.length) || text.length > maxText ? unclear(expression) : text);

/**
 * What is known of a value that is one of two: what both have in common. A field that only one has is unknown, and
 * maybe absent.
 * @param chooser what decides which of the two it is, where that is an unknown value
 */
export function either(
  one: unknown,
  other: unknown,
  expression: string,
  chooser?: UnknownValue,
): unknown {
  if (Object.is(one, other)) return one;
  if (isFields(one) && isFields(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    return Object.fromEntries(
      [...keys].map((key) => [key, either(own(one, key), own(other, key), expression, chooser)]),
    );
  }
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.map((item, index) => either(item, other[index], expression, chooser));
  }
  if (isUnknown(one) && isUnknown(other) && one.expression === other.expression) return one;
  return new UnknownValue(expression, {
    present: isPresent(one) && isPresent(other),
    ...waitsFor(chooser),
  });
}

const isPresent = (value: unknown): boolean =>
  isUnknown(value) ? value.present : value !== undefined && value !== null;

export const own = (fields: Fields, key: string): unknown =>
  Object.hasOwn(fields, key) ? fields[key] : undefined;

/** Whether something in it is not known. */
export const holdsUnknown = (value: unknown): boolean => {
  if (isUnknown(value)) return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsUnknown);
};

import { RE2JS } from '@bufbuild/re2';
import { toNativeRegex } from './native-regex.ts';
import { mismatch, typeError } from './values.ts';
import type { Failure } from './values.ts';

/** Tells whether a pattern is found anywhere in a text. */
export type Matcher = (text: string) => boolean;

/** Longer patterns are no policies; each character costs memory while it runs. */
const longestPattern = 10_000;

/** @throws Error with a message when the pattern is not RE2's. */
export function compilePattern(pattern: string): Matcher {
  if (pattern.length > longestPattern) {
    throw new Error(`is longer than ${longestPattern} characters`);
  }
  const native = toNativeRegex(pattern);
  if (native) return (text) => native.test(text);
  const compiled = RE2JS.compile(pattern);
  return (text) => compiled.test(text);
}

/** Patterns that a document brings. The oldest goes when it is full. */
const cache = new Map<string, Matcher | Failure>();
const mostCached = 256;

/** A matcher for a pattern, or why it is none. */
export function matcherOf(pattern: string): Matcher | Failure {
  const known = cache.get(pattern);
  if (known) return known;
  let made: Matcher | Failure;
  try {
    made = compilePattern(pattern);
  } catch (error) {
    // A pattern from a document may be wrong as any value may be.
    made = typeError(describePattern(pattern, error));
  }
  const [oldest] = cache.keys();
  if (cache.size >= mostCached && oldest !== undefined) cache.delete(oldest);
  cache.set(pattern, made);
  return made;
}

export const describePattern = (pattern: string, error: unknown): string =>
  `${JSON.stringify(pattern.slice(0, 60))} is not a regular expression (RE2): ${
    error instanceof Error ? error.message : String(error)
  }`;

/** `text.matches(pattern)` with a pattern that is known only now. */
export function matches(text: unknown, pattern: unknown): boolean | Failure {
  if (typeof text !== 'string' || typeof pattern !== 'string') {
    return mismatch('matches', text, pattern);
  }
  const matcher = matcherOf(pattern);
  return typeof matcher === 'function' ? matcher(text) : matcher;
}

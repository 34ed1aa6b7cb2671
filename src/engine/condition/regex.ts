import { RE2JS } from '@bufbuild/re2';
import { spend, spendOn } from './budget.ts';
import { toNativeRegex } from './native-regex.ts';
import { Failure, mismatch, typeError } from './values.ts';

export interface Pattern {
  /** Whether it is found anywhere in a text. */
  test(text: string): boolean;
  /** Where JavaScript itself can run it, in time that a text's length alone decides. */
  readonly native?: RegExp;
  /** What making it costs, in instructions of RE2. */
  readonly size: number;
}

/** Longer patterns are no policies. */
const longestPattern = 10_000;

/** It takes time to prove that a pattern is linear. */
const longestNative = 500;

/** RE2 takes some 2 µs and 300 bytes for each instruction of a program. */
const largestPattern = 10_000;

/** @throws Error with a message when the pattern is not RE2's. */
export function compilePattern(pattern: string): Pattern {
  if (pattern.length > longestPattern) {
    throw new Error(`is longer than ${longestPattern} characters`);
  }
  const native = pattern.length <= longestNative ? toNativeRegex(pattern) : undefined;
  if (native) {
    const { regex, span, fromStart } = native;
    const test = (text: string) => {
      // Where it may start anywhere, a character is looked at from as many places as the pattern is long.
      spendOn({ length: text.length * (fromStart ? 1 : span) });
      return regex.test(text);
    };
    return { test, ...(fromStart ? { native: regex } : {}), size: pattern.length };
  }
  const size = patternSize(pattern);
  if (size > largestPattern) {
    throw new Error(`repeats make it too large: ${size} parts, at most ${largestPattern}`);
  }
  const compiled = RE2JS.compile(pattern);
  return {
    // At worst each part of the pattern is looked at for each character; it is mostly much faster.
    test: (text) => {
      spend((text.length * size) / 16);
      return compiled.test(text);
    },
    size,
  };
}

/** Patterns that a document brings. The oldest go when they are too many, or too large together. */
const cache = new Map<string, Pattern | Failure>();
const mostCached = 256;
const largestCache = 100_000;
let cached = 0;

/** Of the budget, for each instruction of a new pattern. */
const stepsOfPart = 8;

const sizeOf = (made: Pattern | Failure): number => (made instanceof Failure ? 1 : made.size);

/** A pattern, or why it is none. */
function patternOf(text: string): Pattern | Failure {
  const known = cache.get(text);
  if (known) return known;
  if (text.length > longestPattern) return notPattern();
  spend(stepsOfPart * Math.min(patternSize(text), largestPattern));
  const made = tryPattern(text);
  cached += sizeOf(made);
  cache.set(text, made);
  for (const [oldest, old] of cache) {
    if (cache.size <= mostCached && cached <= largestCache) break;
    cached -= sizeOf(old);
    cache.delete(oldest);
  }
  return made;
}

function tryPattern(text: string): Pattern | Failure {
  try {
    return compilePattern(text);
  } catch {
    // RE2 says by an error that it is none. What a document brings is not shown: it may be a secret.
    return notPattern();
  }
}

const notPattern = (): Failure => typeError('the pattern is not a regular expression (RE2)');

export const describePattern = (pattern: string, error: unknown): string =>
  `${JSON.stringify(pattern.slice(0, 60))} is not a regular expression (RE2): ${
    error instanceof Error ? error.message : String(error)
  }`;

/** `text.matches(pattern)` with a pattern that is known only now. */
export function matches(text: unknown, pattern: unknown): boolean | Failure {
  if (typeof text !== 'string' || typeof pattern !== 'string') {
    return mismatch('matches', text, pattern);
  }
  const found = patternOf(pattern);
  return found instanceof Failure ? found : found.test(text);
}

/** An escape, a class or a repeat; else one character. */
const token =
  /\\[pP](?:\{[^}]*\}|.)|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\[[^]*|\{(\d{1,9})(?:,(\d{0,9}))?\}|[^]/gsu;

/** A class of Unicode has hundreds of ranges. */
const sizeOfUnicodeClass = 100;

/** Parts of a program for a pattern, roughly: each character is one, and a repeat has as many copies as it may take. */
function patternSize(pattern: string): number {
  const open: number[] = [];
  let size = 0;
  let last = 0;
  for (const [found, least, most] of pattern.matchAll(token)) {
    if (found === '(') {
      open.push(size);
      size = 0;
      last = 1;
    } else if (found === ')') {
      last = size + 1;
      size = (open.pop() ?? 0) + last;
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0), 1);
      size += last * (times - 1);
      last *= times;
    } else {
      last = /\\[pP]/.test(found) ? sizeOfUnicodeClass : 1;
      size += last;
    }
  }
  return open.reduce((sum, outer) => sum + outer, size);
}

import { RE2JS } from '@bufbuild/re2';
import { onceForEvaluation, spend } from './budget.ts';
import { toNativeRegex } from './native-regex.ts';
import { prices } from './prices.ts';
import { asksAround, createMachine } from './re2-machine.ts';
import { Failure, mismatch, typeError } from './values.ts';
import { inThrees } from '../../contract/in-threes.ts';

export interface Pattern {
  /** Whether it is found anywhere in a text. */
  test(text: string): boolean;
  /** Where JavaScript itself can run it, in time that a text's length alone decides. */
  readonly native?: RegExp;
}

/** Longer patterns are no policies. */
const longestPattern = 10_000;

/** It takes time to prove that a pattern is linear. */
const longestNative = 500;

/** RE2 takes some 2 µs and 300 bytes for each instruction of a program. */
const largestPattern = 10_000;

/** Parts that patterns have together: what making them may cost. */
export interface PatternRoom {
  left: number;
}

/** For the conditions of one policy in a file, or of one request's body: making so many parts takes some 100 ms. */
export const mostPatternParts = 50_000;

/** Characters times parts that JavaScript's own engine looks at without pay. */
export const freeNative = 64;

/**
 * @param room what the pattern takes is subtracted
 * @throws Error with a message when the pattern is not RE2's, or there is no room for it
 */
export function compilePattern(pattern: string, room?: PatternRoom): Pattern {
  if (pattern.length > longestPattern) {
    throw new Error(`is longer than ${inThrees(longestPattern)} characters`);
  }
  const size = patternSize(pattern);
  if (room) {
    room.left -= workOf(pattern, size);
    if (room.left < 0) {
      throw new Error(
        `exceeds, with the other patterns of these conditions, the limit of ${inThrees(mostPatternParts)} parts in total`,
      );
    }
  }
  const native = pattern.length <= longestNative ? toNativeRegex(pattern) : undefined;
  if (native) {
    const { regex, span, fromStart } = native;
    const test = (text: string) => {
      // Where it may start anywhere, a character is looked at from as many places as the pattern is long.
      const work = text.length * (fromStart ? 1 : span);
      if (work > freeNative) spend(Math.ceil(work / prices.nativeCharacters));
      return regex.test(text);
    };
    return { test, ...(fromStart ? { native: regex } : {}) };
  }
  if (size > largestPattern) {
    throw new Error(
      `has ${inThrees(size)} parts after expanding its repetitions; the maximum is ${inThrees(largestPattern)}`,
    );
  }
  return { test: re2Test(RE2JS.compile(pattern)) };
}

/**
 * States that the package's fast machine may learn of a pattern. They are kept with it, and making one takes the time of
 * the whole pattern, which no evaluation pays; so they are few, and then the pattern is run without.
 */
const mostStates = 100;

function re2Test(compiled: RE2JS): (text: string) => boolean {
  const { re2Input: re2 } = compiled;
  const { prog: program, dfa } = re2;
  const count = program.numInst();
  const run = createMachine(program);
  // Where the fast machine gives up.
  re2._nfaFallback = ({ charSequence }) => run(charSequence);
  dfa.stateLimit = mostStates;
  let isLearning = !asksAround(program);
  return (text) => {
    // At worst each part of the pattern is looked at for each character; it is mostly much faster.
    spend(prices.pattern + Math.ceil((text.length * count) / prices.partsOfPattern));
    // Other characters would each be learnt on their own.
    if (!isLearning || !isAscii(text)) return run(text);
    const isFound = compiled.test(text);
    isLearning = dfa.cacheClears === 0;
    return isFound;
  };
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text);

/** Patterns that a document brings, or `none` for what is none. The oldest go when they are too many, or too large. */
const cache = new Map<string, { readonly made: Pattern | 'none'; readonly size: number }>();
const mostCached = 256;
const largestCache = 100_000;
let cached = 0;

/** A pattern, or why it is none. Each evaluation pays for each of its patterns once, whether or not it is still there. */
function patternOf(text: string): Pattern | Failure {
  if (text.length > longestPattern) return notPattern();
  const made = onceForEvaluation(text, () => {
    spend(text.length);
    const size = Math.min(patternSize(text), largestPattern);
    spend(prices.patternPart * workOf(text, size));
    return cachedPattern(text, size);
  });
  return made === 'none' ? notPattern() : made;
}

function cachedPattern(text: string, size: number): Pattern | 'none' {
  const known = cache.get(text);
  if (known) return known.made;
  const made = tryPattern(text);
  cached += size;
  cache.set(text, { made, size });
  for (const [oldest, old] of cache) {
    if (cache.size <= mostCached && cached <= largestCache) break;
    cached -= old.size;
    cache.delete(oldest);
  }
  return made;
}

function tryPattern(text: string): Pattern | 'none' {
  try {
    return compilePattern(text);
  } catch {
    // RE2 says by an error that it is none. What a document brings is not shown: it may be a secret.
    return 'none';
  }
}

const notPattern = (): Failure => typeError('the pattern is not a valid RE2 regular expression');

export const describePattern = (pattern: string, error: unknown): string =>
  `${JSON.stringify(pattern.slice(0, 60))} is not a valid RE2 regular expression: ${
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

/** Flags, a literal, an escape, a class or a repeat; else one character. A bracket that opens no group must not count as one. */
const token =
  /(\(\?[\w-]*\)|\\Q\\E)|\\Q([^]*?)(?:\\E|$)|\\x\{[^}]*\}|\\[pP](?:\{[^}]*\}|[^])|\\[^]|\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]|\[[^]*|\{(\d{1,9})(?:,(\d{0,9}))?\}|[^]/gu;

/** A class of Unicode has hundreds of ranges. */
const sizeOfUnicodeClass = 100;

/**
 * What making a pattern takes, in parts: RE2's parser takes time with the square of a pattern's length, and the proof that
 * a short one is linear takes that of a few parts for each character.
 */
const workOf = (pattern: string, size: number): number =>
  Math.ceil(
    size +
      pattern.length ** 2 / 1_280 +
      (pattern.length <= longestNative ? 3 * pattern.length : 0) +
      foldedCharacters(pattern) / 6,
  );

/** Ends of a range in a class, from any place on: what `--~` and `\x41-Z` are depends on what stands before. */
const rangeEnds =
  /(?=(\\x\{[\da-f]+\}|\\x[\da-f]{2}|\\[0-7]{1,3}|\\?[^])-(\\x\{[\da-f]+\}|\\x[\da-f]{2}|\\[0-7]{1,3}|\\?[^]))/giu;
/** No character outside of these has another case. */
const folding = { from: 0x41, until: 0x1e943 };

/** Characters of ranges in a pattern that may ignore case: RE2 looks for the other case of each. */
function foldedCharacters(pattern: string): number {
  if (!/\(\?[\w-]*i/.test(pattern)) return 0;
  let characters = 0;
  for (const [, from = '', until = ''] of pattern.matchAll(rangeEnds)) {
    const last = Math.min(codeOf(until), folding.until);
    characters += Math.max(last - Math.max(codeOf(from), folding.from), 0);
  }
  return characters;
}

/** The code point of a character as a class has it: itself, or behind a backslash, or by its number. */
function codeOf(character: string): number {
  const [, hex, octal] = /^\\(?:x\{?([\da-f]+)\}?|([0-7]+))$/i.exec(character) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return character.codePointAt(character.length > 1 && character.startsWith('\\') ? 1 : 0) ?? 0;
}

/** Parts of a program for a pattern, roughly: each character is one, and a repeat has as many copies as it may take. */
function patternSize(pattern: string): number {
  const open: number[] = [];
  let size = 0;
  let last = 0;
  for (const [found, nothing, literal, least, most] of pattern.matchAll(token)) {
    // A repeat after it is one of what is before.
    if (nothing !== undefined) continue;
    if (literal !== undefined) {
      last = 1;
      size += literal.length;
    } else if (found === '(') {
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
      last =
        1 + sizeOfUnicodeClass * (found.length > 1 ? (found.match(/\\[pP]/g)?.length ?? 0) : 0);
      size += last;
    }
  }
  return open.reduce((sum, outer) => sum + outer, size);
}

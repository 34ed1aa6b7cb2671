/**
 * Patterns that JavaScript's own RegExp runs in linear time and with RE2's meaning. It takes the few forms that most
 * policies use, and builds the RegExp anew from what it understood, so that nothing is taken over by accident:
 *
 *   [^] part… [$]      part: a character, `.`, a class, or `(abc|def)`; not groups, with `? * + {n} {n,} {n,m}`
 *
 * It is linear since no choice is ever tried twice: what may repeat shares no character with what can follow it, no
 * alternative of a group is a prefix of another, and what repeats without end is anchored at the start of the text or
 * is the last thing to be found. Everything else is RE2's.
 */
export function toNativeRegex(pattern: string): NativeRegex | undefined {
  const read = new Reader(pattern);
  const parts = read.parts();
  if (!parts || !isDeterministic(parts, read)) return undefined;
  const body = parts.map(({ code }) => code).join('');
  const source = `${read.fromStart ? '^' : ''}${body}${read.untilEnd ? '$' : ''}`;
  // With `u` a character is a code point, as in RE2; without it, ASCII alone runs faster.
  const isAscii = parts.every(({ first }) => !first.others);
  return {
    regex: new RegExp(source, isAscii ? '' : 'u'),
    fromStart: read.fromStart,
    span: parts.reduce((sum, { span, most }) => sum + span * Math.min(most, mostRepeats), 0),
  };
}

interface NativeRegex {
  readonly regex: RegExp;
  readonly fromStart: boolean;
  /** Characters that it looks at, at most, from one start; what repeats without end counts as the most it could. */
  readonly span: number;
}

/** A set of characters: one bit for each of ASCII, and all others together. */
interface CharacterSet {
  readonly ascii: bigint;
  readonly others: boolean;
}

interface Part {
  /** As JavaScript writes it. */
  readonly code: string;
  /** What it can begin with. */
  readonly first: CharacterSet;
  readonly least: number;
  readonly most: number;
  /** Characters of one. */
  readonly span: number;
}

const one = (code: number): bigint => 1n << BigInt(code);

function range(from: number, until: number): bigint {
  let bits = 0n;
  for (let code = from; code <= until; code++) bits |= one(code);
  return bits;
}

const all = range(0, 0x7f);
const digits = range(0x30, 0x39);
const word = digits | range(0x41, 0x5a) | range(0x61, 0x7a) | one(0x5f);
// RE2's \s has no vertical tab.
const space = one(0x09) | one(0x0a) | one(0x0c) | one(0x0d) | one(0x20);

const named: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', { ascii: digits, others: false }],
  ['w', { ascii: word, others: false }],
  ['s', { ascii: space, others: false }],
  ['D', { ascii: all & ~digits, others: true }],
  ['W', { ascii: all & ~word, others: true }],
  ['S', { ascii: all & ~space, others: true }],
]);

const anything: CharacterSet = { ascii: all & ~one(0x0a), others: true };

const overlaps = (a: CharacterSet, b: CharacterSet): boolean =>
  (a.ascii & b.ascii) !== 0n || (a.others && b.others);

const escaped = (code: number): string => `\\x${code.toString(16).padStart(2, '0')}`;

function codeOf({ ascii, others }: CharacterSet): string {
  let code = '';
  let count = others ? 2 : 0;
  for (let from = 0; from < 0x80; from++) {
    if ((ascii & one(from)) === 0n) continue;
    let until = from;
    while (until < 0x7f && (ascii & one(until + 1)) !== 0n) until++;
    count += until - from + 1;
    code += from === until ? escaped(from) : `${escaped(from)}-${escaped(until)}`;
    from = until;
  }
  if (count === 1) return code;
  return `[${code}${others ? '\\u{80}-\\u{10ffff}' : ''}]`;
}

const literals = /^[\w !"#%&',/:;<=>@`~-]$/;
/** Punctuation that a backslash makes literal, in RE2 as here. */
const punctuation = /^[!-/:-@[-^`{-~]$/;
/** RE2 has a limit of its own; nobody counts this far. */
const mostRepeats = 100;

class Reader {
  readonly fromStart: boolean;
  untilEnd = false;
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.fromStart = pattern.startsWith('^');
    if (this.fromStart) this.#at = 1;
  }

  /** Undefined where anything stands that is not known here. */
  parts(): Part[] | undefined {
    const parts: Part[] = [];
    while (this.#at < this.#pattern.length) {
      if (this.#pattern.slice(this.#at) === '$') {
        this.untilEnd = true;
        return parts;
      }
      const part = this.#peek() === '(' ? this.#group() : this.#repeated();
      if (!part) return undefined;
      parts.push(part);
    }
    return parts;
  }

  #peek(): string {
    return this.#pattern.charAt(this.#at);
  }

  #take(): string {
    return this.#pattern.charAt(this.#at++);
  }

  #repeated(): Part | undefined {
    const set = this.#set();
    if (!set) return undefined;
    const rest = this.#pattern.slice(this.#at, this.#at + 12);
    const [found = ''] = /^(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})/.exec(rest) ?? [];
    this.#at += found.length;
    // What may follow a quantifier here is another meaning of it.
    if (/^[*+?{]/.test(this.#pattern.slice(this.#at, this.#at + 1))) return undefined;
    const [least, most] = boundsOf(found);
    if (least > most || least > mostRepeats) return undefined;
    if (most > mostRepeats && most !== Infinity) return undefined;
    return { code: `${codeOf(set)}${found}`, first: set, least, most, span: 1 };
  }

  #set(): CharacterSet | undefined {
    const character = this.#take();
    if (character === '.') return anything;
    if (character === '[') return this.#class();
    if (character === '\\') return this.#escape();
    return literals.test(character) ? only(character) : undefined;
  }

  #escape(): CharacterSet | undefined {
    const character = this.#take();
    return named.get(character) ?? (punctuation.test(character) ? only(character) : undefined);
  }

  #class(): CharacterSet | undefined {
    const isNegated = this.#peek() === '^';
    if (isNegated) this.#at++;
    let ascii = 0n;
    let others = false;
    for (let isFirst = true; this.#peek() !== ']' || isFirst; isFirst = false) {
      const set = this.#member();
      if (!set) return undefined;
      ascii |= set.ascii;
      others ||= set.others;
    }
    this.#at++;
    return isNegated ? { ascii: all & ~ascii, others: !others } : { ascii, others };
  }

  /** A character, a range, or a named set, in a class. */
  #member(): CharacterSet | undefined {
    const from = this.#take();
    if (from === '\\') return this.#escape();
    if (!/^[\w !"#%&',/:;<=>@`~.*+?$(){}|-]$/.test(from)) return undefined;
    const isRange = this.#peek() === '-' && this.#pattern.charAt(this.#at + 1) !== ']';
    if (!isRange) return only(from);
    this.#at++;
    const until = this.#take();
    return /^\w$/.test(from) && /^\w$/.test(until) && from <= until
      ? { ascii: range(from.charCodeAt(0), until.charCodeAt(0)), others: false }
      : undefined;
  }

  #group(): Part | undefined {
    const rest = this.#pattern.slice(this.#at);
    const [whole, inner = ''] =
      /^\((?:\?:)?((?:[\w !"#%&',/:;<=>@`~-]|\\[.\-/])+(?:\|(?:[\w !"#%&',/:;<=>@`~-]|\\[.\-/])+)*)\)/.exec(
        rest,
      ) ?? [];
    if (whole === undefined) return undefined;
    this.#at += whole.length;
    if (/^[*+?{]/.test(this.#pattern.slice(this.#at, this.#at + 1))) return undefined;
    const words = inner.split('|').map((text) => text.replaceAll('\\', ''));
    const isAmbiguous = words.some((text, i) =>
      words.some((other, j) => i !== j && other.startsWith(text)),
    );
    if (isAmbiguous) return undefined;
    const first = words.reduce((bits, text) => bits | one(text.charCodeAt(0)), 0n);
    const code = words.map((text) => Array.from(text, (c) => escaped(c.charCodeAt(0))).join(''));
    return {
      code: `(?:${code.join('|')})`,
      first: { ascii: first, others: false },
      least: 1,
      most: 1,
      span: Math.max(...words.map(({ length }) => length)),
    };
  }
}

const only = (character: string): CharacterSet => ({
  ascii: one(character.charCodeAt(0)),
  others: false,
});

function boundsOf(quantifier: string): readonly [least: number, most: number] {
  if (quantifier === '') return [1, 1];
  if (quantifier === '?') return [0, 1];
  if (quantifier === '*') return [0, Infinity];
  if (quantifier === '+') return [1, Infinity];
  const [least = '', most] = quantifier.slice(1, -1).split(',');
  return [
    Number(least),
    most === undefined ? Number(least) : most === '' ? Infinity : Number(most),
  ];
}

function isDeterministic(
  parts: readonly Part[],
  { fromStart, untilEnd }: { readonly fromStart: boolean; readonly untilEnd: boolean },
): boolean {
  return parts.every((part, i) => {
    if (part.least === part.most) return true;
    const isLast = i === parts.length - 1 && !untilEnd;
    if (part.most === Infinity && !fromStart && !isLast) return false;
    return followers(parts, i).every((next) => !overlaps(part.first, next.first));
  });
}

/** The parts that can come right after one: up to the first that must be there. */
function followers(parts: readonly Part[], after: number): readonly Part[] {
  const rest = parts.slice(after + 1);
  const needed = rest.findIndex(({ least }) => least > 0);
  return needed < 0 ? rest : rest.slice(0, needed + 1);
}

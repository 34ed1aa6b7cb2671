import fc from 'fast-check';

/** What `(?ims)` set. */
interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

const noFlags: Flags = { i: false, m: false, s: false };

/** The places where a match may end, for those where it may begin, in a text's code points. */
type Places = ReadonlySet<number>;

/**
 * A part of a pattern: as RE2 writes it, as JavaScript does where it writes it the same, which places it leads to by its
 * definition, and a text that it is found in.
 */
interface Part {
  readonly re2: string;
  readonly isCommon: boolean;
  ends(text: readonly string[], from: Places, flags: Flags): Places;
  sample(choose: Choose, flags: Flags): string;
}

/** One of so many. */
type Choose = (count: number) => number;

/** With each character all that it is in another case, so that folding stays within. */
export const alphabet = Array.from(
  'abzABZkK\u212asS\u017féÉσςΣǄǅǆ\u{10400}\u{10428}09_-./\\ ]^\0\t\n\v\r\x7f\x85\u2028中٣😀',
).concat('\ud83d', '\ude00');

const folded = new Map(
  alphabet.map((one) => {
    const same = new RegExp(`^${escaped(one)}$`, 'iu');
    return [one, alphabet.filter((other) => same.test(other))];
  }),
);

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

const hex = (character: string) => `\\x${escaped(character).slice(2)}`;

/** A set of characters by its definition, which knows of no case. */
interface CharacterSet {
  readonly re2: string;
  readonly isCommon: boolean;
  has(character: string, flags: Flags): boolean;
}

const isIn =
  (holds: (character: string) => boolean, isNegated = false) =>
  (character: string, { i }: Flags): boolean =>
    // Halves of two characters may have become another one, which has no case.
    (i ? (folded.get(character) ?? [character]) : [character]).some(holds) !== isNegated;

const by = (re2: string, set: RegExp, isCommon: boolean, isNegated = false): CharacterSet => ({
  re2,
  isCommon,
  has: isIn((character) => set.test(character), isNegated),
});

// JavaScript's \s has more characters; its sets that are negated mean something else with `i`.
const named = [
  by('\\d', /[0-9]/, true),
  by('\\D', /[0-9]/, false, true),
  by('\\w', /[0-9A-Za-z_]/, true),
  by('\\W', /[0-9A-Za-z_]/, false, true),
  by('\\s', /[\t\n\f\r ]/, false),
  by('\\S', /[\t\n\f\r ]/, false, true),
  by('\\pL', /\p{L}/u, false),
  by('\\PL', /\p{L}/u, false, true),
  by('\\p{Lu}', /\p{Lu}/u, true),
  by('\\P{Lu}', /\p{Lu}/u, false, true),
  by('\\p{Greek}', /\p{Script=Greek}/u, false),
  by('\\p{^Greek}', /\p{Script=Greek}/u, false, true),
  by('\\pN', /\p{N}/u, false),
  by('\\p{Han}', /\p{Script=Han}/u, false),
];
const posix = [
  by('[:alpha:]', /[A-Za-z]/, false),
  by('[:^alpha:]', /[A-Za-z]/, false, true),
  by('[:space:]', /[\t-\r ]/, false),
  by('[:punct:]', /[!-/:-@[-`{-~]/, false),
  by('[:word:]', /[0-9A-Za-z_]/, false),
  by('[:cntrl:]', /[\0-\x1f\x7f]/, false),
];

const range = (from: string, until: string, isCommon = true): CharacterSet => ({
  re2: `${from}-${until}`,
  isCommon,
  has: isIn((character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= (from.codePointAt(0) ?? 0) && code <= (until.codePointAt(0) ?? 0);
  }),
});

const character = fc.constantFrom(...alphabet);
const single = character.map((one): CharacterSet => ({
  // Bare where it means itself.
  re2: /^[\w é中😀σΣ]$/u.test(one) ? one : hex(one),
  isCommon: /^[\w é中😀σΣ]$/u.test(one),
  has: isIn((other) => other === one),
}));

const characterClass = fc
  .tuple(
    fc.boolean(),
    fc.array(
      fc.oneof(
        single,
        fc.constantFrom(...named, ...posix),
        fc.constantFrom(range('a', 'z'), range('A', 'k'), range('0', '9'), range('é', '中')),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  )
  .map(([isNegated, members]): CharacterSet => ({
    re2: `[${isNegated ? '^' : ''}${members.map(({ re2 }) => re2).join('')}]`,
    isCommon: members.every(({ isCommon }) => isCommon),
    has: (one, flags) => members.some((member) => member.has(one, flags)) !== isNegated,
  }));

const dot: CharacterSet = {
  re2: '.',
  // There, it takes no \r and no U+2028 either.
  isCommon: false,
  has: (one, { s }) => s || one !== '\n',
};

const fromSet = ({ re2, isCommon, has }: CharacterSet): Part => ({
  re2,
  isCommon,
  ends: (text, from, flags) =>
    new Set(
      [...from].filter((at) => at < text.length && has(text[at] ?? '', flags)).map((at) => at + 1),
    ),
  sample(choose, flags) {
    const all = alphabet.filter((one) => has(one, flags));
    return all[choose(all.length)] ?? '';
  },
});

const isWord = (one: string | undefined): boolean => one !== undefined && /^\w$/.test(one);

/** What takes no character: whether it holds before and after two, of which either may be none. */
const fromAnchor = (
  re2: string,
  isCommon: boolean,
  holds: (before: string | undefined, after: string | undefined, flags: Flags) => boolean,
): Part => ({
  re2,
  isCommon,
  ends: (text, from, flags) =>
    new Set([...from].filter((at) => holds(text[at - 1], text[at], flags))),
  sample: () => '',
});

const anchors = [
  fromAnchor('^', false, (before, _, { m }) => before === undefined || (m && before === '\n')),
  fromAnchor('$', false, (_, after, { m }) => after === undefined || (m && after === '\n')),
  fromAnchor('\\A', false, (before) => before === undefined),
  fromAnchor('\\z', false, (_, after) => after === undefined),
  fromAnchor('\\b', true, (before, after) => isWord(before) !== isWord(after)),
  fromAnchor('\\B', true, (before, after) => isWord(before) === isWord(after)),
  fromAnchor('', true, () => true),
];

const chain = (parts: readonly Part[]): Part => ({
  re2: parts.map(({ re2 }) => re2).join(''),
  isCommon: parts.every(({ isCommon }) => isCommon),
  ends: (text, from, flags) => parts.reduce((places, part) => part.ends(text, places, flags), from),
  sample: (choose, flags) => parts.map((part) => part.sample(choose, flags)).join(''),
});

const literal = fc
  .string({ unit: fc.constantFrom('a', 'b', '.', '*', '\\', 'k', '中', '[', '('), maxLength: 4 })
  .filter((text) => !text.includes('\\E') && !text.endsWith('\\'))
  .map((text) => ({
    ...chain(
      Array.from(text, (one) =>
        fromSet({ re2: one, isCommon: false, has: isIn((other) => other === one) }),
      ),
    ),
    re2: `\\Q${text}\\E`,
    isCommon: false,
  }));

const group = (
  open: string,
  part: Part,
  change: (flags: Flags) => Flags = (same) => same,
): Part => ({
  re2: `${open}${part.re2})`,
  isCommon: part.isCommon && (open === '(' || open === '(?:'),
  ends: (text, from, flags) => part.ends(text, from, change(flags)),
  sample: (choose, flags) => part.sample(choose, change(flags)),
});

const either = (parts: readonly Part[]): Part => ({
  re2: `(?:${parts.map(({ re2 }) => re2).join('|')})`,
  isCommon: parts.every(({ isCommon }) => isCommon),
  ends: (text, from, flags) => new Set(parts.flatMap((part) => [...part.ends(text, from, flags)])),
  sample: (choose, flags) => parts[choose(parts.length)]?.sample(choose, flags) ?? '',
});

const repeat = (part: Part, sign: string, least: number, most: number): Part => ({
  re2: `(?:${part.re2})${sign}`,
  // A repeat of repeats may take JavaScript longer than the world has time.
  isCommon: part.isCommon && !/[*+?{]/.test(part.re2.replaceAll('(?:', '')),
  ends(text, from, flags) {
    let places = from;
    for (let n = 0; n < least; n++) places = part.ends(text, places, flags);
    const reached = new Set(places);
    // Once more than there are characters, nothing new is reached.
    for (let n = least; n < Math.min(most, least + text.length + 1); n++) {
      places = part.ends(text, places, flags);
      for (const place of places) reached.add(place);
    }
    return reached;
  },
  sample: (choose, flags) =>
    Array.from({ length: least + choose(Math.min(most - least, 2) + 1) }, () =>
      part.sample(choose, flags),
    ).join(''),
});

const { part } = fc.letrec<{ part: Part; chain: Part }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 4, arbitrary: single.map(fromSet) },
    {
      weight: 3,
      arbitrary: fc.oneof(characterClass, fc.constantFrom(...named, dot, dot)).map(fromSet),
    },
    { weight: 4, arbitrary: fc.constantFrom(...anchors) },
    { weight: 1, arbitrary: literal },
    { weight: 3, arbitrary: fc.array(tie('chain'), { minLength: 1, maxLength: 3 }).map(either) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          tie('chain'),
          fc.constantFrom<readonly [string, number, number]>(
            ['*', 0, Infinity],
            ['+', 1, Infinity],
            ['?', 0, 1],
            ['{0}', 0, 0],
            ['{2}', 2, 2],
            ['{1,}', 1, Infinity],
            ['{0,3}', 0, 3],
            ['{2,3}', 2, 3],
          ),
          fc.constantFrom('', '?'),
        )
        .map(([inner, [sign, least, most], lazy]) => repeat(inner, sign + lazy, least, most)),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie('chain'), fc.constantFrom('i', 'm', 's', '-i', '-s', 'im-s', 'U', ''))
        .map(([inner, signs]) => {
          const [on = '', off = ''] = signs.split('-');
          const set = Object.fromEntries([
            ...Array.from(on, (flag) => [flag, true] as const),
            ...Array.from(off, (flag) => [flag, false] as const),
          ]);
          const change = (flags: Flags) => ({ ...flags, ...set });
          return group(signs === '' ? '(' : `(?${signs}:`, inner, change);
        }),
    },
  ),
  chain: fc.array(tie('part'), { maxLength: 4 }).map(chain),
}));

/** Patterns of the whole of RE2, with what they mean. */
export interface Meaning {
  readonly pattern: string;
  /** By its definition. */
  isFoundIn(text: string): boolean;
  /** The same in JavaScript, where it has one that is written the same. */
  readonly native?: RegExp;
  /** A text that it may be found in. */
  sample(choose: Choose): string;
}

export const meanings: fc.Arbitrary<Meaning> = fc
  .tuple(
    fc.array(part, { minLength: 1, maxLength: 5 }).map(chain),
    fc.subarray(['i', 'm', 's'] as const),
  )
  .map(([whole, given]) => {
    const flags = { ...noFlags, ...Object.fromEntries(given.map((flag) => [flag, true])) };
    const signs = given.join('');
    // \b and \w know ſ and K for letters there, with `i`.
    const isCommon = whole.isCommon && !(flags.i && /\\|\[/.test(whole.re2));
    return {
      pattern: `${signs ? `(?${signs})` : ''}${whole.re2}`,
      isFoundIn(text) {
        const characters = Array.from(text);
        const from = new Set(Array.from({ length: characters.length + 1 }, (_, at) => at));
        return whole.ends(characters, from, flags).size > 0;
      },
      sample: (choose) => whole.sample(choose, flags),
      ...(isCommon ? { native: new RegExp(whole.re2, `u${signs}`) } : {}),
    };
  });

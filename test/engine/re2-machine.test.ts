import { RE2JS } from '@bufbuild/re2';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startEvaluation } from '../../src/engine/condition/budget.ts';
import { createMachine } from '../../src/engine/condition/re2-machine.ts';
import { compilePattern } from '../../src/engine/condition/regex.ts';
import { alphabet, meanings } from './re2-arbitrary.ts';
import type { Meaning } from './re2-arbitrary.ts';

/** GOVCTL_ATTACKS=20 takes twenty times as many. */
const times = Number(process.env.GOVCTL_ATTACKS ?? 1);

/** What is to find a text: the machine alone, and a pattern as conditions have it. */
function finders(
  pattern: string,
  compiled = RE2JS.compile(pattern),
): (readonly [name: string, test: (text: string) => boolean])[] {
  const made = compilePattern(pattern);
  const asPattern = (text: string) => {
    startEvaluation();
    return made.test(text);
  };
  return [
    ['machine', createMachine(compiled.re2Input.prog)],
    ['pattern', asPattern],
  ];
}

const shown = (text: string) => JSON.stringify(text);

/** A text that a pattern is found in, or nearly: something put before, behind, taken out. */
function near({ sample }: Meaning, seeds: readonly number[]): string {
  let next = 0;
  const choose = (count: number) => (seeds[next++ % seeds.length] ?? 0) % Math.max(count, 1);
  const one = () => alphabet[choose(alphabet.length)] ?? '';
  const text = sample(choose);
  const at = choose(text.length + 1);
  switch (choose(6)) {
    case 0:
      return `${text.slice(0, at)}${one()}${text.slice(at)}`;
    case 1:
      return `${text.slice(0, at)}${one()}${text.slice(at + 1)}`;
    case 2:
      return `${one()}${text}${one()}`;
    case 3:
      return `a\n${text}\nb`;
    default:
      return text;
  }
}

const seeds = fc.array(fc.nat(10_000), { minLength: 7, maxLength: 30 });
const texts = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 8 });

describe('a pattern of RE2', () => {
  it('is found where its definition, the package and JavaScript find it, the second time too', () => {
    const count = { found: 0, not: 0, native: 0 };
    fc.assert(
      fc.property(
        meanings,
        fc.array(seeds, { minLength: 4, maxLength: 8 }),
        fc.array(texts, { minLength: 2, maxLength: 4 }),
        (meaning, all, others) => {
          const { pattern } = meaning;
          const theirs = RE2JS.compile(pattern);
          const tests = finders(pattern, theirs);
          const tried = [...all.map((one) => near(meaning, one)), ...others, ''];
          for (const text of [...tried, ...tried]) {
            const expected = meaning.isFoundIn(text);
            if (expected) count.found++;
            else count.not++;
            const where = `${shown(pattern)} in ${shown(text)}`;
            for (const [name, test] of tests)
              expect(test(text), `${name}: ${where}`).toBe(expected);
            // It looks for a literal in UTF-16, so that half of a character is found in it.
            if (!/\\x\{d(?:83d|e00)\}/.test(pattern)) {
              expect(theirs.test(text), `package: ${where}`).toBe(expected);
            }
            if (!meaning.native) continue;
            count.native++;
            expect(meaning.native.test(text), `JavaScript: ${where}`).toBe(expected);
          }
        },
      ),
      { numRuns: 500 * times },
    );
    for (const reached of Object.values(count)) expect(reached).toBeGreaterThan(100);
  });

  it('is found where JavaScript finds it after it has learnt more than it keeps', () => {
    const pattern = '(a|b)*a(a|b){9}c';
    const tests = finders(pattern);
    const native = /[ab]*a[ab]{9}c/;
    let random = 1;
    for (let run = 0; run < 300; run++) {
      const text = Array.from({ length: 30 }, () => {
        random = (random * 48_271) % 2_147_483_647;
        return 'abbaabac'[random % 8];
      }).join('');
      for (const [name, test] of tests) {
        expect(test(text), `${name} in ${text}`).toBe(native.test(text));
      }
    }
  });

  it.each([
    ['', ['', 'a'], []],
    ['a', ['a', 'bab'], ['', 'b', 'A']],
    ['^$', [''], ['\n', 'a']],
    ['(?m)^$', ['', 'a\n', '\na', 'a\n\nb'], ['a', 'a\nb']],
    ['(?m)^b$', ['a\nb\nc', 'b', 'b\n'], ['a\r\nb\r\n', 'ab']],
    ['^^a$$', ['a'], ['aa', 'a\n']],
    ['a$', ['a', '\na'], ['a\n']],
    ['\\Aa\\z', ['a'], ['a\n', '\na']],
    ['(?m)\\Aa\\z', ['a'], ['a\n', '\na']],
    ['\\b', ['a', ' a', 'a ', '_', '0'], ['', ' ', '-', 'é']],
    ['\\B', ['', ' ', 'ab', 'é', 'a  '], ['a', '_']],
    ['\\bx\\b', ['x', 'a x b', 'x-', 'éxé'], ['xx', '_x', 'x0']],
    ['\\Bx\\B', ['axa', '_x0'], ['x', 'ax', 'xa', 'éxé']],
    ['\\b\\b\\bx', ['x'], ['ax']],
    ['\\b\\B', [], ['', 'a', ' ', 'a b']],
    ['(?:^|\\b)(?:$|\\b)', ['', 'a'], [' ', '  ']],
    ['(|a)*', ['', 'a', 'b'], []],
    ['^(|a)*$', ['', 'a', 'aaa'], ['b', 'aab']],
    ['^(|a)+$', ['', 'a', 'aaa'], ['b', 'aab']],
    ['^(a*)*$', ['', 'aaa'], ['aab']],
    ['^(a*)+$', ['', 'aaa'], ['aab']],
    ['^(?:(?:^a)*|b)*$', ['', 'a', 'b', 'abb'], ['aa', 'ba']],
    ['^(a|b)*abb$', ['abb', 'aabb', 'babb'], ['', 'ab', 'abba']],
    ['^(?:a|ab)(?:c|bcd)(?:d*)$', ['abcd', 'ac', 'acd', 'abbcd'], ['ab', 'abbc']],
    ['(?:)', ['', 'a'], []],
    ['a||b', ['', 'c'], []],
    ['^(?:a||b)$', ['', 'a', 'b'], ['c', 'ab']],
    ['\\Qa.b\\E', ['a.b', 'xa.bx'], ['acb', 'ab']],
    ['\\Qa.b', ['a.b'], ['acb']],
    ['\\Q\\E', ['', 'a'], []],
    ['^a\\Q+*\\E+$', ['a+*', 'a+**'], ['a+', 'a+*+*', 'aa']],
    ['[[:alpha:]]', ['a', 'Z', '0a'], ['', '0', '_', 'é']],
    ['^[[:^alpha:]]$', ['0', 'é', '\n'], ['a', '']],
    ['^[^[:space:]\\d]+$', ['abc', 'é'], ['a b', 'a1', '\v']],
    ['^\\s$', [' ', '\f'], ['\v', '\xa0', '\u2028', '\x85']],
    ['[]a]', [']', 'a'], ['[', 'b']],
    ['[^]a]', ['[', 'b', '\n'], [']', 'a', '']],
    ['^[-a]$', ['-', 'a'], ['b']],
    ['^[a-]$', ['-', 'a'], ['b']],
    ['^x{0}$', [''], ['x']],
    ['^x{0,0}y$', ['y'], ['xy']],
    ['^x{2}$', ['xx'], ['', 'x', 'xxx']],
    ['^x{2,}$', ['xx', 'xxxx'], ['x']],
    ['^x{2,3}?$', ['xx', 'xxx'], ['x', 'xxxx']],
    ['^(?:x{2}){2}$', ['xxxx'], ['xx', 'xxx', 'xxxxx']],
    ['^a{,2}$', ['a{,2}'], ['a', 'aa']],
    ['.', ['a', '\r', '\u2028', '😀'], ['', '\n', '\n\n']],
    ['(?s).', ['a', '\n'], ['']],
    ['(?s)^.$', ['\n', '😀', '\ud83d'], ['\r\n', '\ud83d\ud83d']],
    ['^..$', ['😀a', '\ude00\ud83d'], ['😀', 'a']],
    ['^\\x{1F600}$', ['😀'], ['\ud83d', '\ude00']],
    ['^[\\x{1F5FF}-\\x{1F601}]$', ['😀'], ['\ud83d']],
    ['\\x{d83d}', ['\ud83d', 'a\ud83d'], ['😀', '\ude00']],
    ['^\\x41\\101\\a\\f\\v$', ['AA\x07\f\v'], ['AA']],
    ['(?i)k', ['k', 'K', '\u212a'], ['x']],
    ['(?i)^ſ$', ['s', 'S', 'ſ'], ['x']],
    ['(?i)^[^k]$', ['x'], ['k', 'K', '\u212a']],
    ['(?i)^ΣΣΣ$', ['σςΣ'], ['σς']],
    ['(?i)^[k-k]$', ['K', '\u212a'], ['l']],
    ['(?i)a(?-i)b', ['Ab', 'ab'], ['aB', 'AB']],
    ['(?i:a)b', ['Ab', 'ab'], ['aB', 'AB']],
    ['^(?:(?i)a|b)$', ['A', 'B', 'a'], ['c']],
    ['(?U)^a+$', ['aaa'], ['']],
    ['^\\pL\\PL$', ['é0', '中-'], ['0é', 'aa']],
    ['^\\p{Greek}\\P{Greek}\\p{^Greek}$', ['σab'], ['aσb', 'σσσ']],
    ['^[\\p{Lu}\\d]+$', ['A1É'], ['a', '٣']],
    ['^[^\\pN]$', ['a'], ['1', '٣']],
    ['[^\\s\\S]', [], ['', 'a', '\n']],
    ['(?P<name>a)(?<other>b)', ['ab'], ['ba']],
    ['a+?b??$', ['a', 'ab', 'aaab'], ['b', 'abb']],
  ])('means what RE2 says: %s', (pattern, found, not) => {
    for (const [name, test] of finders(pattern)) {
      for (const text of found) expect(test(text), `${name} in ${shown(text)}`).toBe(true);
      for (const text of not) expect(test(text), `${name} in ${shown(text)}`).toBe(false);
    }
  });

  it.each([
    ...['\\C', 'a**', 'a*+', 'a{2}{3}', 'a*{2}', '*a', 'a|*', '(a', 'a)', '[a', '[z-a]', '[a-\\d]'],
    ...[
      'x{2,1}',
      'x{1001}',
      '(?:x{40}){40}',
      '(?=a)',
      '(?!a)',
      '(?<=a)',
      '\\1',
      '\\Z',
      '\\G',
      '\\',
    ],
    ...[
      '\\E',
      '\\é',
      '\\x4',
      '\\x{110000}',
      '\\p{Nobody}',
      '[[:nobody:]]',
      '(?i',
      '(?P<n>a)(?P<n>b)',
    ],
  ])('is none where RE2 has none: %s', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow();
  });

  it.each([
    '\\x{10428}',
    '[\\x{10400}-\\x{10428}]{3}',
    '\\Qa{99999}\\E',
    '\\Q{1000}{1000}\\E{3}',
    '[{1000}]{3}',
  ])('is not larger for what only looks like a repeat: %s', (pattern) => {
    const room = { left: 1_000 };
    compilePattern(pattern, room);
    expect(room.left).toBeGreaterThan(0);
  });

  // RE2 looks for the other case of each character of a range.
  it.each([
    ...[
      'B-\u{1e942}',
      '--\u{1e942}',
      '^--\u{1e942}',
      'B-\\x{1e942}',
      '\\x42-\u{1e942}',
      'a\\--\u{1e942}',
    ],
    ...['\\x{0042}-\u{1e942}', '\\101-\u{1e942}', '\\n-\u{1e942}', 'a-b--\u{1e942}', ']-\u{1e942}'],
  ])('pays for a class that ignores case by its characters: [%s]', (members) => {
    for (const flag of ['(?i)', '(?si:)(?m-i)', 'a(?U:b(?mi:', '']) {
      const close = flag.endsWith(':') ? '))' : '';
      const room = { left: 50_000 };
      compilePattern(`${flag}[${members}]${close}`, room);
      if (flag === '') expect(room.left).toBeGreaterThan(49_000);
      else expect(room.left).toBeLessThan(32_000);
    }
  });

  it('pays little for classes of letters that ignore case', () => {
    const room = { left: 1_000 };
    compilePattern('(?i)^[a-z0-9._-]+-[A-Z]{2}[^\\x00-\\x1f]$', room);
    expect(room.left).toBeGreaterThan(500);
  });

  // A bracket that opens no group, or what stands between a group and its repeat.
  it.each([
    ...[
      '(?:AA\\Q(\\E){1000}',
      '(?:AA\\()(?i){1000}',
      '(?:AA)(?i)(?m-s){1000}',
      '(?:AA)\\Q\\E{1000}',
    ],
    ...[
      '(?:AA[\\\n(]){1000}',
      '[\\\n](?:AA]){1000}',
      '(?:AA[[:^alpha:](]){1000}',
      '(?:AA[](]){1000}',
    ],
    ...['(?:AA[^](]){1000}', '(?:AA\\Q\\Q(\\E){1000}', '(?:AA(?P<a>b)){1000}', '(?:AA){0,1000}'],
  ])('is as large as its program, however it is written: %s', (form) => {
    const room = { left: 1_000_000 };
    const make = (count: number) =>
      compilePattern(form.replace('AA', 'a'.repeat(40)).replaceAll('1000', String(count)), room);
    make(100);
    expect(room.left).toBeLessThan(1_000_000 - 40 * 100);
    expect(() => make(1_000)).toThrow(/after expanding its repetitions/);
  });
});

import { RE2JS } from '@bufbuild/re2';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCpuTime } from '../support/cpu-time.ts';
import { toNativeRegex } from '../../src/engine/condition/native-regex.ts';

const alphabet = [
  'a',
  'b',
  'Z',
  '0',
  '9',
  '-',
  '_',
  '.',
  ':',
  '/',
  ' ',
  '\n',
  '\v',
  '\r',
  '\u2028',
  'é',
  '😀',
  '\ud83d',
  '[',
  '\\',
];

const setOf = fc.constantFrom(
  'a',
  'b',
  '0',
  '-',
  ':',
  '/',
  '.',
  '\\.',
  '\\d',
  '\\w',
  '\\s',
  '\\D',
  '\\W',
  '\\S',
  '[a-z]',
  '[^a-z]',
  '[a-z0-9-]',
  '[^/]',
  '[-a]',
  '[\\w.]',
  '[^\\s:]',
  '[A-Za-z0-9_.]',
  '[.*]',
  '[^\\D]',
);
const quantifier = fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{1,3}', '{2,}', '{0,1}');
const group = fc.constantFrom('(a|b)', '(?:ab|ba)', '(dev|prod)', '(a|ab)', '(0)', '(a\\.b|-)');
const part = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(setOf, quantifier).map((both) => both.join('')) },
  { weight: 1, arbitrary: group },
);
const patterns = fc
  .tuple(fc.constantFrom('', '^'), fc.array(part, { maxLength: 5 }), fc.constantFrom('', '$'))
  .map(([start, parts, end]) => `${start}${parts.join('')}${end}`);
const texts = fc.array(fc.constantFrom(...alphabet), { maxLength: 8 }).map((all) => all.join(''));

describe('a pattern that runs on the native engine', () => {
  it('means what it means to RE2', () => {
    let compared = 0;
    fc.assert(
      fc.property(patterns, fc.array(texts, { minLength: 5, maxLength: 20 }), (pattern, all) => {
        const native = toNativeRegex(pattern);
        if (!native) return;
        compared++;
        const re2 = RE2JS.compile(pattern);
        for (const text of all) {
          expect(native.regex.test(text), `${pattern} on ${JSON.stringify(text)}`).toBe(
            re2.test(text),
          );
        }
      }),
      { numRuns: 3_000 },
    );
    expect(compared).toBeGreaterThan(500);
  });

  it.each([
    '^prod-[a-z]+$',
    '^arn:aws:iam::\\d{12}:role/.+$',
    '^(dev|staging|prod|preprod)-',
    '^[a-z0-9-]+$',
    '\\.internal$',
    '^v\\d+\\.\\d+\\.\\d+$',
    '^s3://[^/]+/logs/',
    'TLSv1\\.[23]',
  ])('is one of the usual: %s', (pattern) => {
    expect(toNativeRegex(pattern)?.regex).toBeInstanceOf(RegExp);
  });

  it.each([
    '(a+)+$',
    '^(a|a)*$',
    '^a*a*$',
    '^.*foo',
    'a*b',
    '[a-z]+-x',
    '^a?ab',
    '(a|ab)c',
    '(?i)abc',
    'a|b',
    '\\bword',
    'é',
    '[[:alpha:]]',
    '[]a]',
    'a**',
    'a+?',
    'a{2}{3}',
    'a{,3}',
    'x{200}',
    '(ab)?',
    '(?P<x>a)',
    '\\x41',
    '\\pL',
    'a^b',
    'a$b',
    '[z-a]',
    '[a-\\d]',
    '^[a',
    '(a',
    '\\',
  ])('is none that could be slow, or mean something else: %s', (pattern) => {
    expect(toNativeRegex(pattern)).toBeUndefined();
  });

  it('takes time in proportion to the text, matching or not', () => {
    const milliseconds = (pattern: string, text: string): number => {
      const native = toNativeRegex(pattern);
      const cpuTime = startCpuTime();
      for (let i = 0; i < 5; i++) native?.regex.test(text);
      return cpuTime();
    };
    for (const pattern of ['^[a-z]+-[0-9]+-[a-z]+$', '^[^/]*/[^/]*/x$', 'ab{1,50}c', 'abc[a-z]+']) {
      const text = (length: number) => 'ab'.repeat(length / 2);
      milliseconds(pattern, text(1_000));
      expect(milliseconds(pattern, text(1_000_000)), pattern).toBeLessThan(1_000);
    }
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatApplySource, parseApplySource } from '../../src/contract/apply-source.ts';

const commit = fc.string({
  unit: fc.constantFrom(...'0123456789abcdef'),
  minLength: 40,
  maxLength: 40,
});

test('the source of an apply is read as it was written, whatever the name of its branch', () => {
  fc.assert(
    fc.property(
      fc.record(
        {
          commit,
          branch: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
          dirty: fc.constant(true),
        },
        { requiredKeys: ['commit'] },
      ),
      (source) => {
        const header = formatApplySource(source);
        expect(header).toMatch(/^[ -~]+$/);
        expect(parseApplySource(header)).toEqual(source);
      },
    ),
  );
});

test.each([
  '',
  'x',
  'commit',
  'commit="main"',
  `commit=${'a'.repeat(40)}`,
  `branch="main"`,
  `commit="${'a'.repeat(40)}", branch="%"`,
  `commit="${'a'.repeat(40)}", branch`,
  `commit="${'a'.repeat(40)}", branch=""`,
  `commit="${'a'.repeat(40)}", branch="${'b'.repeat(257)}"`,
  `commit="${'a'.repeat(40)}", dirty=("yes")`,
])('is none: %s', (header) => {
  expect(parseApplySource(header)).toBeUndefined();
});

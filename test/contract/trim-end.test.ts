import fc from 'fast-check';
import { expect, test } from 'vitest';
import { trimEnd } from '../../src/contract/trim-end.ts';

test('takes off what the pattern does', () => {
  const texts = fc.string({ unit: fc.constantFrom('/', '\n', 'a'), maxLength: 8 });
  fc.assert(
    fc.property(texts, (text) => {
      expect(trimEnd(text, '/')).toBe(text.replace(/\/+$/, ''));
      expect(trimEnd(text, '\n')).toBe(text.replace(/\n*$/, ''));
    }),
  );
});

test('takes no time for a run in the middle, however long', () => {
  const text = `${'/'.repeat(10_000_000)}a`;
  expect(trimEnd(text, '/')).toBe(text);
});

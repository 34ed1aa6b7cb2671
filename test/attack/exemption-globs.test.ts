import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchesId } from '../../src/engine/exempt.ts';

it('a glob that repeats itself is compared with an id that does in time that is that of their lengths', () => {
  const run = 'a'.repeat(200_000);
  // With the lengths multiplied this takes minutes.
  expect(matchesId(`*${run}b${run}*`, 'a'.repeat(4_000_000))).toBe(false);
  expect(matchesId(`*${run}b${run}*`, `a${run}b${run}a`)).toBe(true);
});

it('long pieces of globs are found where they are', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 200, maxLength: 400 });
  const id = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 400, maxLength: 3_000 });
  fc.assert(
    fc.property(letters, id, fc.nat(3_000), (piece, text, at) => {
      const held = text.slice(0, at) + piece + text.slice(at);
      expect(matchesId(`*${piece}*`, held)).toBe(true);
      expect(matchesId(`*${piece}*`, text)).toBe(text.includes(piece));
      const twice = held.indexOf(piece, held.indexOf(piece) + piece.length) >= 0;
      expect(matchesId(`*${piece}*${piece}*`, held)).toBe(twice);
    }),
    { numRuns: 200 },
  );
});

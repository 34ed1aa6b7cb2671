import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffSequences } from '../../../src/project/compare/sequence-diff.ts';

describe('differences of sequences', () => {
  it('turn the one into the other, with nothing removed and added that both have in order', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, (before, after) => {
        const steps = diffSequences(before, after);
        const without = (kind: string) =>
          steps.filter((step) => step.kind !== kind).map(({ value }) => value);
        expect(without('added')).toEqual(before);
        expect(without('removed')).toEqual(after);
      }),
    );
  });

  it('do not blow up on long texts that share nothing', () => {
    const long = (word: string) => Array.from({ length: 5_000 }, (_, index) => `${word}${index}`);
    expect(diffSequences(long('a'), long('b'))).toHaveLength(10_000);
  });
});

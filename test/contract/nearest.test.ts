import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSuggester, nearestWord } from '../../src/contract/nearest.ts';

describe('the nearest word', () => {
  const fields = ['name', 'severity', 'enabled', 'resource_type', 'rules', 'tags'];

  it.each([
    ['severty', 'severity'],
    ['Severity', 'severity'],
    ['resource_tpye', 'resource_type'],
    ['tag', 'tags'],
    ['resourcetype', 'resource_type'],
  ])('of %s is %s', (written, nearest) => {
    expect(nearestWord(written, fields)).toBe(nearest);
  });

  it.each(['owner', 'x', '', 'a'.repeat(10_000), '__proto__'])('of %s is none', (written) => {
    expect(nearestWord(written, fields)).toBeUndefined();
  });

  it('is that of the whole table of distances, whatever the words', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 6 }), (written, candidates) => {
        const found = candidates
          .map((candidate) => ({ candidate, distance: distanceOf(written, candidate) }))
          .filter(({ candidate, distance }) => {
            const length = Math.max(written.length, candidate.length);
            return distance <= Math.max(1, Math.floor(length / 3));
          })
          .sort((a, b) => a.distance - b.distance)[0]?.candidate;
        expect(nearestWord(written, candidates)).toBe(found);
      }),
    );
  });
});

/** Optimal string alignment, by its definition. */
function distanceOf(a: string, b: string): number {
  const row = new Map<string, number>();
  const at = (i: number, j: number): number => row.get(`${i} ${j}`) ?? Infinity;
  for (let i = 0; i <= a.length; i++) {
    for (let j = 0; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost];
      const value = Math.min(...ways, isSwapped ? at(i - 2, j - 2) + 1 : Infinity);
      row.set(`${i} ${j}`, i + j === 0 ? 0 : value);
    }
  }
  return at(a.length, b.length);
}

describe('a suggester', () => {
  it('compares fewer words the longer they are', () => {
    let compared = 0;
    class Counted extends Set<string> {
      override *[Symbol.iterator]() {
        for (const word of super.values()) {
          compared += 1;
          yield word;
        }
        return undefined;
      }
    }
    const comparedOf = (length: number): number => {
      const words = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(length, 'x'));
      const suggest = createSuggester(new Counted(words));
      compared = 0;
      for (let n = 0; n < 1_000; n++) suggest('y'.repeat(length));
      return compared;
    };
    // A million pairs of words would be 4,096 million pairs of characters.
    expect(comparedOf(64)).toBeLessThan(10_000);
    expect(comparedOf(8)).toBeGreaterThan(100_000);
  });
});

import { describe, expect, it } from 'vitest';
import { createIdSet, hashId } from '../../../src/project/check/id-set.ts';

describe('the set of ids', () => {
  it('knows every id of two hundred thousand again, and takes none for another', () => {
    const ids = createIdSet();
    const count = 200_000;
    const idOf = (n: number): string => `arn:aws:s3:::bucket-${n}`;
    let added = 0;
    for (let n = 0; n < count; n++) if (ids.add(...hashId(idOf(n)))) added++;
    expect(added).toBe(count);
    for (let n = 0; n < count; n += 97) expect(ids.add(...hashId(idOf(n)))).toBe(false);
    expect(ids.add(...hashId(idOf(count)))).toBe(true);
  });

  it('keeps the hash that is zero', () => {
    const ids = createIdSet();
    expect([ids.add(0, 0), ids.add(0, 0), ids.add(5, 0), ids.add(5, 0)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('spreads ids that differ in one character over all bits', () => {
    const halves = Array.from({ length: 4_000 }, (_, n) => hashId(`i-${n}`));
    for (const half of [0, 1] as const) {
      for (let bit = 0; bit < 32; bit++) {
        const set = halves.filter((hash) => (hash[half] >>> bit) & 1).length;
        expect(set).toBeGreaterThan(1_700);
        expect(set).toBeLessThan(2_300);
      }
    }
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareKeys, OrderedView } from '../../../../src/server/store/lowdb/sorted-keys.ts';
import type { Key } from '../../../../src/server/store/lowdb/sorted-keys.ts';

const aKey: fc.Arbitrary<Key> = fc.record({
  value: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
  id: fc.integer({ min: 0, max: 1e9 }).map(String),
});

/** Enough keys for many chunks, so that they split, run empty and are skipped. */
const manyKeys = fc.uniqueArray(aKey, {
  minLength: 2500,
  maxLength: 6000,
  selector: (key) => key.id,
  size: 'max',
});

test('thousands of keys stay in order, at any place, while others come and go', () => {
  fc.assert(
    fc.property(manyKeys, fc.nat(), fc.nat(), fc.boolean(), (keys, cut, place, up) => {
      const half = cut % keys.length;
      const view = new OrderedView(keys.slice(0, half));
      for (const key of keys.slice(half)) view.insert(key);
      const gone = keys.filter((_, at) => at % 3 === 0 || (at > 1000 && at < 2400));
      for (const key of gone) view.remove(key);

      const direction = up ? 'asc' : 'desc';
      const left = new Set(keys);
      for (const key of gone) left.delete(key);
      const sorted = [...left].sort((a, b) => compareKeys(direction, a, b));
      const at = place % sorted.length;
      expect([...view.walk(direction, undefined, at)]).toEqual(sorted.slice(at));
      expect([...view.walk(direction, sorted[at], 0)]).toEqual(sorted.slice(at + 1));
      // A place whose row has gone is still a place.
      const [absent] = gone;
      const after = sorted.filter((key) => absent && compareKeys(direction, key, absent) > 0);
      expect([...view.walk(direction, absent, 0)]).toEqual(after);
    }),
    { numRuns: 12 },
  );
}, 60_000);

test('ascending arrival, the usual case, and descending arrival both keep their order', () => {
  const keys = Array.from({ length: 5000 }, (_, n): Key => ({ value: n, id: `i${n}` }));
  for (const arrival of [keys, [...keys].reverse()]) {
    const view = new OrderedView<Key>([]);
    for (const key of arrival) view.insert(key);
    expect([...view.walk('asc', undefined, 0)]).toEqual(keys);
    expect([...view.walk('desc', undefined, 4990)]).toEqual([...keys].reverse().slice(4990));
  }
});

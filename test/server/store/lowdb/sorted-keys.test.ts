import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareAscending,
  compareKeys,
  OrderedView,
} from '../../../../src/server/store/lowdb/sorted-keys.ts';
import type { Direction, Key } from '../../../../src/server/store/lowdb/sorted-keys.ts';

const aKey: fc.Arbitrary<Key> = fc.record({
  value: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
  id: fc.integer({ min: 0, max: 1e9 }).map(String),
});

const viewOf = (keys: readonly Key[]): OrderedView<Key> => {
  const view = new OrderedView<Key>((key) => key);
  view.append([...keys].sort(compareAscending));
  return view;
};

const walk = (view: OrderedView<Key>, direction: Direction, after?: Key, skip = 0): Key[] =>
  view.take({ direction, after, skip, most: Infinity });

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
      const view = viewOf(keys.slice(0, half));
      for (const key of keys.slice(half)) view.insert(key);
      const gone = keys.filter((_, at) => at % 3 === 0 || (at > 1000 && at < 2400));
      for (const key of gone) view.remove(key);

      const direction = up ? 'asc' : 'desc';
      const left = new Set(keys);
      for (const key of gone) left.delete(key);
      const sorted = [...left].sort((a, b) => compareKeys(direction, a, b));
      const at = place % sorted.length;
      expect(walk(view, direction, undefined, at)).toEqual(sorted.slice(at));
      expect(walk(view, direction, sorted[at])).toEqual(sorted.slice(at + 1));
      // Some of them only, behind a place, without the first, and not all.
      const accepts = (key: Key): boolean => Number(key.id) % 3 === 0;
      const some = { direction, after: sorted[7], accepts, skip: at % 100, most: 40 } as const;
      const accepted = sorted.slice(8).filter(accepts);
      expect(view.take(some)).toEqual(accepted.slice(at % 100, (at % 100) + 40));
      // A place whose row has gone is still a place.
      const [absent] = gone;
      const after = sorted.filter((key) => absent && compareKeys(direction, key, absent) > 0);
      expect(walk(view, direction, absent)).toEqual(after);
    }),
    { numRuns: 12 },
  );
}, 60_000);

test('ascending arrival, the usual case, and descending arrival both keep their order', () => {
  const keys = Array.from({ length: 5000 }, (_, n): Key => ({ value: n, id: `i${n}` }));
  for (const arrival of [keys, [...keys].reverse()]) {
    const view = viewOf([]);
    for (const key of arrival) view.insert(key);
    expect(walk(view, 'asc')).toEqual(keys);
    expect(walk(view, 'desc', undefined, 4990)).toEqual([...keys].reverse().slice(4990));
  }
});

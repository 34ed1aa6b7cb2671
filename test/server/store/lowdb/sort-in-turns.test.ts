import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortInTurns } from '../../../../src/server/store/lowdb/sort-in-turns.ts';
import { compareAscending } from '../../../../src/server/store/lowdb/sorted-keys.ts';
import type { Key } from '../../../../src/server/store/lowdb/sorted-keys.ts';

const aText = fc.oneof(
  fc.constantFrom('', 'OPEN', 'RESOLVED', 'ACKNOWLEDGED', 'arn:aws:s3:::bucket', '\u0000', 'é'),
  fc.integer({ min: 0, max: 999 }).map((n) => `arn:aws:s3:::bucket-${n}`),
  fc.integer({ min: 0, max: 999 }).map((n) => `资源-${n}-zone`),
  fc.string({ unit: 'binary', maxLength: 9 }),
);

const aValue = fc.oneof(
  { weight: 5, arbitrary: aText },
  fc.integer({ min: -5, max: 5 }),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(undefined),
);

const values = fc.oneof(
  fc.array(aValue, { maxLength: 3000, size: 'max' }),
  fc.array(aText, { maxLength: 3000, size: 'max' }),
  fc.array(fc.constantFrom('OPEN', 'RESOLVED'), { maxLength: 3000, size: 'max' }),
);

test('sorts any keys as comparing them two by two does', async () => {
  await fc.assert(
    fc.asyncProperty(values, fc.boolean(), async (all, backwards) => {
      const keys = all.map((value, at): Key => ({
        value,
        id: `id-${backwards ? all.length - at : at}`,
      }));
      const items = Uint32Array.from(keys.keys());
      await sortInTurns(items, (item) => keys[item] as Key);
      expect(Array.from(items, (item) => keys[item])).toEqual([...keys].sort(compareAscending));
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('others have their turn meanwhile', async () => {
  let turns = 0;
  let going = true;
  const count = (): void => {
    turns += 1;
    if (going) setImmediate(count);
  };
  setImmediate(count);
  await sortInTurns(
    Uint32Array.from({ length: 50_000 }, (_, at) => at),
    (item) => ({ value: `value-${(item * 7919) % 50_000}`, id: `id-${item}` }),
  );
  going = false;
  expect(turns).toBeGreaterThan(50);
});

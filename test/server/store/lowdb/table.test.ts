import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Document, Where } from '../../../../src/server/store/store.ts';
import { Bits } from '../../../../src/server/store/lowdb/ordinals.ts';
import { compareKeys } from '../../../../src/server/store/lowdb/sorted-keys.ts';
import type { Direction, Key } from '../../../../src/server/store/lowdb/sorted-keys.ts';
import { Table } from '../../../../src/server/store/lowdb/table.ts';

interface Row extends Document {
  readonly kind: string;
  readonly tags: readonly string[];
  readonly rank?: number;
}

// More than are sorted at once, so that orders are built in slices.
const ROWS = 6000;

const KINDS = ['a', 'a', 'a', 'b', 'b', 'rare'];

/** `turn` makes the same row another one. */
const rowOf = (n: number, turn: number): Row => {
  const mixed = (n * 7919 + turn * 104_729) % 100_003;
  return {
    id: `r${n}`,
    kind: mixed % 500 === 0 ? 'rarest' : (KINDS[mixed % KINDS.length] as string),
    tags: mixed % 3 === 0 ? ['x', 'y'] : mixed % 3 === 1 ? ['x'] : [],
    ...(mixed % 10 > 0 && { rank: mixed % 400 }),
  };
};

const spec = {
  name: 'rows',
  index: { kind: (row: Row) => row.kind, tags: (row: Row) => row.tags },
  order: { rank: (row: Row) => row.rank, id: (row: Row) => row.id },
};

const open = async (): Promise<{ table: Table; rows: Map<string, Row> }> => {
  const rows = new Map(Array.from({ length: ROWS }, (_, n) => [`r${n}`, rowOf(n, 0)]));
  const versions = Array.from(rows.values(), (doc) => ({ doc, revision: 1 }));
  const table = new Table(spec as never);
  await table.fill(versions);
  return { table, rows };
};

const aWrite = fc.record({
  removes: fc.boolean(),
  /** Of rows that are there, and of some that are not yet. */
  from: fc.nat(ROWS + 500),
  step: fc.constantFrom(1, 3, 11),
  count: fc.constantFrom(1, 20, 300),
  turn: fc.integer({ min: 1, max: 5 }),
});

const aScan = fc.record({
  where: fc.record(
    {
      kind: fc.record({
        any: fc.subarray(['a', 'b', 'rare', 'rarest', 'none'], { minLength: 1 }),
      }),
      tags: fc.oneof(
        fc.record({ all: fc.subarray(['x', 'y'], { minLength: 1 }) }),
        fc.record({ any: fc.subarray(['x', 'y', 'none'], { minLength: 1 }) }),
      ),
    },
    { requiredKeys: [] },
  ),
  orderBy: fc.constantFrom('rank' as const, 'id' as const),
  direction: fc.constantFrom<Direction>('asc', 'desc'),
  after: fc.option(fc.nat(ROWS), { nil: undefined }),
  hidden: fc.subarray(['r1', 'r17', 'r500', 'r5000']),
  skip: fc.constantFrom(0, 5, 1000),
  most: fc.integer({ min: 1, max: 30 }),
});

const isIn = ({ kind, tags }: Row, where: Readonly<Record<string, Where>>): boolean =>
  Object.entries(where).every(([index, condition]) => {
    const values = index === 'kind' ? [kind] : tags;
    return 'all' in condition
      ? condition.all.every((value) => values.includes(value))
      : condition.any.some((value) => values.includes(value));
  });

const write = { step: 11, count: 300, turn: 1 } as const;
const page = {
  direction: 'asc',
  after: undefined,
  hidden: [] as string[],
  skip: 0,
  most: 1,
} as const;
/** A row that goes and comes back at another place, while the order of its old place is built: it stands there twice. */
const rowsThatMove: [(typeof aWrite extends fc.Arbitrary<infer W> ? W : never)[], boolean][] = [
  [[], true],
  [
    [
      { ...write, removes: true, from: 246 },
      { removes: false, from: 0, step: 1, count: 1, turn: 1 },
      { ...write, removes: false, from: 1511, turn: 5 },
    ],
    false,
  ],
  [[{ removes: false, from: 2996, step: 3, count: 20, turn: 2 }], false],
];

test('pages of thousands of rows agree with a naive model, while writes come during the build of an order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.array(aWrite, { maxLength: 4 }), fc.boolean()), { maxLength: 6 }),
      fc.array(aScan, { minLength: 1, maxLength: 6 }),
      async (batches, scans) => {
        const { table, rows } = await open();
        const built = [table.prepare(undefined, 'rank'), table.prepare(undefined, 'id')];
        expect(built.every((one) => one instanceof Promise)).toBe(true);
        for (const [writes, waits] of batches) {
          for (const { removes, from, step, count, turn } of writes) {
            for (let n = from; n < from + count * step; n += step) {
              const row = rowOf(n, turn);
              if (removes) {
                rows.delete(row.id);
                table.remove(row.id);
              } else {
                rows.set(row.id, row);
                table.put(row, 2);
              }
            }
          }
          if (waits) await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(built);
        expect(table.snapshot().length).toBe(rows.size);

        for (const { where, orderBy, direction, after: place, hidden: ids, ...page } of scans) {
          const keyOf = (row: Row): Key => ({ value: row[orderBy], id: row.id });
          const after = place === undefined ? undefined : keyOf(rowOf(place, 0));
          const hidden = new Map(ids.map((id) => [id, true]));
          const matching = [...rows.values()].filter((row) => isIn(row, where));
          const keys = matching
            .filter(({ id }) => !hidden.has(id))
            .map(keyOf)
            .filter((key) => !after || compareKeys(direction, key, after) > 0)
            .sort((a, b) => compareKeys(direction, a, b));
          expect(table.prepare(where, orderBy)).toBeUndefined();
          const matches = table.select(where);
          expect(table.count(matches)).toBe(matching.length);
          const scan = { matches, orderBy, direction, after, hidden, ...page };
          expect(table.scan(scan)).toEqual(keys.slice(page.skip, page.skip + page.most));
        }
      },
    ),
    { numRuns: 40, examples: [[rowsThatMove, [{ ...page, where: {}, orderBy: 'rank' }]]] },
  );
}, 120_000);

test('a narrow filter needs no order: its few rows are sorted', async () => {
  const { table } = await open();
  const where = { kind: { any: ['rarest'] } };
  expect(table.select(where)).not.toBeInstanceOf(Bits);
  expect(table.prepare(where, 'rank')).toBeUndefined();
  expect(table.prepare(undefined, 'rank')).toBeInstanceOf(Promise);
});

test('an order that nobody uses is dropped once its upkeep has cost what building it again would', async () => {
  const { table } = await open();
  await table.prepare(undefined, 'rank');
  const writeMany = (): void => {
    for (let n = 0; n < 40_000; n += 1) table.put(rowOf(n % ROWS, n), 2);
  };
  writeMany();
  // Looking at it counts as a use.
  expect(table.prepare(undefined, 'rank')).toBeUndefined();
  writeMany();
  expect(table.prepare(undefined, 'rank')).toBeUndefined();
  writeMany();
  writeMany();
  const again = table.prepare(undefined, 'rank');
  expect(again).toBeInstanceOf(Promise);
  await again;
});

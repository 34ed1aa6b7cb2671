import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreConflict, StoreUnavailable } from '../../../src/server/store/store.ts';
import type { CollectionSpec, PageQuery, Store } from '../../../src/server/store/store.ts';
import { createModel } from './model.ts';

export interface Item {
  readonly id: string;
  readonly name?: string;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly rank?: number | string | boolean;
}

export const items: CollectionSpec<Item> = {
  name: 'items',
  unique: { name: (item) => item.name },
  index: { kind: (item) => item.kind, tags: (item) => item.tags },
  order: { rank: (item) => item.rank, id: (item) => item.id },
};

export const notes: CollectionSpec<{ id: string; text: string }> = {
  name: 'notes',
  order: { id: (note) => note.id },
};

/** A store to test, over {@link items} and {@link notes}, and how to be rid of it. */
export interface TestStore {
  readonly store: Store;
  dispose(): Promise<void>;
}

const item = (id: string, more: Partial<Item> = {}): Item => ({ id, kind: 'a', tags: [], ...more });

/** Fulfils a promise from outside. */
const gate = (): { opened: Promise<void>; open: () => void } => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
};

const conflict = (kind: StoreConflict['kind'], id: string, index?: string): object =>
  expect.objectContaining({ name: 'StoreConflict', kind, id, ...(index && { index }) });

// Few ids and values, so that clashes, moves between chunks and re-use are frequent.
export const anItem = fc.record(
  {
    id: fc.integer({ min: 0, max: 30 }).map((n) => `i${n}`),
    name: fc.constantFrom('n1', 'n2', 'n3', 'n4', '__proto__', ''),
    kind: fc.constantFrom('a', 'b', 'c', 'constructor'),
    tags: fc.array(fc.constantFrom('x', 'y', 'z', '__proto__'), { maxLength: 4 }),
    rank: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom('', 'é', 'z', true, false)),
  },
  { requiredKeys: ['id', 'kind', 'tags'] },
);

export const aStep = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('put' as const), anItem) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('remove' as const), anItem) },
);

export const aQuery: fc.Arbitrary<PageQuery> = fc.record(
  {
    where: fc.record(
      {
        kind: fc.record({ any: fc.array(fc.constantFrom('a', 'b', 'none'), { maxLength: 3 }) }),
        tags: fc.oneof(
          fc.record({ all: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }) }),
          fc.record({ any: fc.array(fc.constantFrom('x', 'z', 'z', '__proto__')) }),
        ),
      },
      { requiredKeys: [] },
    ),
    orderBy: fc.constantFrom('rank', 'id'),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 0, max: 8 }),
    offset: fc.integer({ min: 0, max: 12 }),
  },
  { requiredKeys: ['orderBy', 'direction', 'limit'] },
);

/** All rows of a query, page by page from each page's last place. */
const followPages = async (store: Store, query: PageQuery): Promise<string[]> => {
  const ids: string[] = [];
  const rest = { ...query, limit: Math.max(1, query.limit), offset: 0 };
  let page = await store.page(items, rest);
  for (;;) {
    ids.push(...page.rows.map(({ doc }) => doc.id));
    if (!page.hasMore || !page.last) return ids;
    page = await store.page(items, { ...rest, after: page.last });
  }
};

/** What every store must do; run it with each of them. */
export const describeStore = (name: string, open: () => Promise<TestStore>): void => {
  describe(name, () => {
    let current: TestStore;
    let store: Store;
    beforeEach(async () => {
      current = await open();
      store = current.store;
    });
    afterEach(() => current.dispose());

    test('gives back what was inserted, by id and by unique value, with its revision', async () => {
      const written = await store.transact((tx) => tx.insert(items, item('i1', { name: 'one' })));
      expect(await store.get(items, 'i1')).toEqual(written);
      expect(await store.find(items, 'name', 'one')).toEqual(written);
      expect(await store.get(items, 'i2')).toBeUndefined();
      expect(await store.find(items, 'name', 'two')).toBeUndefined();
      expect(written.revision).toBeGreaterThan(0);
    });

    test('a revision grows with each write of the record, and only then', async () => {
      const first = await store.transact((tx) => tx.insert(items, item('i1')));
      await store.transact((tx) => tx.insert(items, item('i2')));
      expect((await store.get(items, 'i1'))?.revision).toBe(first.revision);
      const second = await store.transact((tx) => tx.replace(items, item('i1', { kind: 'b' })));
      expect(second.revision).toBeGreaterThan(first.revision);
    });

    test('a replace is a whole document: what it leaves out is gone, in the indexes too', async () => {
      await store.transact((tx) =>
        tx.insert(items, item('i1', { name: 'one', tags: ['x'], rank: 1 })),
      );
      await store.transact((tx) => tx.replace(items, item('i1')));
      expect((await store.get(items, 'i1'))?.doc).toEqual(item('i1'));
      expect(await store.find(items, 'name', 'one')).toBeUndefined();
      const tagged = await store.page(items, {
        where: { tags: { any: ['x'] } },
        orderBy: 'id',
        direction: 'asc',
        limit: 5,
      });
      expect(tagged).toEqual({ rows: [], total: 0, hasMore: false });
    });

    test('refuses a second document with an id or a unique value that is taken', async () => {
      await store.transact((tx) => tx.insert(items, item('i1', { name: 'one' })));
      await expect(store.transact((tx) => tx.insert(items, item('i1')))).rejects.toEqual(
        conflict('exists', 'i1'),
      );
      await expect(
        store.transact((tx) => tx.insert(items, item('i2', { name: 'one' }))),
      ).rejects.toEqual(conflict('unique', 'i2', 'name'));
      await store.transact((tx) => tx.insert(items, item('i3', { name: 'three' })));
      await expect(
        store.transact((tx) => tx.replace(items, item('i3', { name: 'one' }))),
      ).rejects.toEqual(conflict('unique', 'i3', 'name'));
      // Its own value is no clash.
      await store.transact((tx) => tx.replace(items, item('i1', { name: 'one', kind: 'b' })));
    });

    test('a unique value is free again after its holder is removed or renamed', async () => {
      await store.transact((tx) => tx.insert(items, item('i1', { name: 'one' })));
      await store.transact((tx) => tx.replace(items, item('i1', { name: 'two' })));
      await store.transact((tx) => tx.insert(items, item('i2', { name: 'one' })));
      await store.transact((tx) => tx.remove(items, 'i1'));
      await store.transact((tx) => tx.insert(items, item('i3', { name: 'two' })));
      expect((await store.find(items, 'name', 'one'))?.doc.id).toBe('i2');
      expect((await store.find(items, 'name', 'two'))?.doc.id).toBe('i3');
    });

    test('two documents can swap their unique values in one transaction', async () => {
      await store.transact(async (tx) => {
        await tx.insert(items, item('i1', { name: 'one' }));
        await tx.insert(items, item('i2', { name: 'two' }));
      });
      await store.transact(async (tx) => {
        await tx.replace(items, item('i1'));
        await tx.replace(items, item('i2', { name: 'one' }));
        await tx.replace(items, item('i1', { name: 'two' }));
      });
      expect((await store.find(items, 'name', 'one'))?.doc.id).toBe('i2');
      expect((await store.find(items, 'name', 'two'))?.doc.id).toBe('i1');
    });

    test('replacing or removing what is not there, or has moved on, is a conflict', async () => {
      await expect(store.transact((tx) => tx.replace(items, item('i1')))).rejects.toEqual(
        conflict('missing', 'i1'),
      );
      await expect(store.transact((tx) => tx.remove(items, 'i1'))).rejects.toEqual(
        conflict('missing', 'i1'),
      );
      const { revision } = await store.transact((tx) => tx.insert(items, item('i1')));
      await store.transact((tx) => tx.replace(items, item('i1'), { ifRevision: revision }));
      await expect(
        store.transact((tx) => tx.replace(items, item('i1'), { ifRevision: revision })),
      ).rejects.toEqual(conflict('revision', 'i1'));
      await expect(
        store.transact((tx) => tx.remove(items, 'i1', { ifRevision: revision })),
      ).rejects.toEqual(conflict('revision', 'i1'));
    });

    test('an error inside a transaction discards all it did and comes out unchanged', async () => {
      const failure = new Error('no');
      await expect(
        store.transact(async (tx) => {
          await tx.insert(items, item('i1', { name: 'one' }));
          await tx.insert(notes, { id: 'n1', text: 'x' });
          await tx.next('s');
          throw failure;
        }),
      ).rejects.toBe(failure);
      expect(await store.get(items, 'i1')).toBeUndefined();
      expect(await store.get(notes, 'n1')).toBeUndefined();
      expect(await store.transact((tx) => tx.next('s'))).toBe(1);
    });

    test('a transaction sees its own writes; nobody else does before it has ended', async () => {
      const written = gate();
      const checked = gate();
      const running = store.transact(async (tx) => {
        await tx.insert(items, item('i1', { name: 'one', rank: 1 }));
        expect((await tx.get(items, 'i1'))?.doc.name).toBe('one');
        expect((await tx.find(items, 'name', 'one'))?.doc.id).toBe('i1');
        const page = await tx.page(items, { orderBy: 'rank', direction: 'asc', limit: 5 });
        expect([page.total, page.rows.length]).toEqual([1, 1]);
        written.open();
        await checked.opened;
      });
      await written.opened;
      expect(await store.get(items, 'i1')).toBeUndefined();
      expect(await store.find(items, 'name', 'one')).toBeUndefined();
      const outside = await store.page(items, { orderBy: 'rank', direction: 'asc', limit: 5 });
      expect(outside.total).toBe(0);
      checked.open();
      await running;
      expect((await store.get(items, 'i1'))?.doc.name).toBe('one');
    });

    test('transactions come one after the other: a counter kept in a document loses nothing', async () => {
      await store.transact((tx) => tx.insert(items, item('i1', { rank: 0 })));
      await Promise.all(
        Array.from({ length: 50 }, () =>
          store.transact(async (tx) => {
            const row = await tx.get(items, 'i1');
            await tx.replace(items, item('i1', { rank: Number(row?.doc.rank) + 1 }));
          }),
        ),
      );
      expect((await store.get(items, 'i1'))?.doc.rank).toBe(50);
    });

    test('a sequence counts in commit order without gaps, whatever fails in between', async () => {
      const drawn = await Promise.allSettled(
        Array.from({ length: 40 }, (_, at) =>
          store.transact(async (tx) => {
            const number = await tx.next('events');
            if (at % 3 === 0) throw new Error('given up');
            return number;
          }),
        ),
      );
      const numbers = drawn.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(numbers).toEqual(Array.from(numbers, (_, at) => at + 1));
      expect(await store.transact((tx) => tx.next('other'))).toBe(1);
    });

    test('a document that is no JSON is refused whole, and the store goes on', async () => {
      const text = 1n as unknown as string;
      await expect(store.transact((tx) => tx.insert(notes, { id: 'n1', text }))).rejects.toThrow();
      expect(await store.get(notes, 'n1')).toBeUndefined();
      await store.transact((tx) => tx.insert(notes, { id: 'n1', text: 'fine' }));
      expect((await store.get(notes, 'n1'))?.doc.text).toBe('fine');
    });

    test('a tx is of no use once its work has ended', async () => {
      const tx = await store.transact(async (inside) => ({ inside }));
      await expect(tx.inside.insert(items, item('i1'))).rejects.toThrow(/after it had ended/);
      expect(await store.get(items, 'i1')).toBeUndefined();
    });

    test('an index or order that was not declared is named in the error', async () => {
      const query = { direction: 'asc', limit: 1 } as const;
      await expect(async () => store.page(items, { ...query, orderBy: 'size' })).rejects.toThrow(
        /size/,
      );
      await expect(async () =>
        store.page(items, { ...query, orderBy: 'id', where: { constructor: { any: ['x'] } } }),
      ).rejects.toThrow(/constructor/);
      await expect(async () => store.find(items, 'kind', 'x')).rejects.toThrow(/kind/);
    });

    test('values that are absent come last in both directions, ties go by id', async () => {
      await store.transact(async (tx) => {
        await tx.insert(items, item('i1'));
        await tx.insert(items, item('i2', { rank: 2 }));
        await tx.insert(items, item('i3', { rank: 1 }));
        await tx.insert(items, item('i4', { rank: 2 }));
        await tx.insert(items, item('i5'));
      });
      const ids = async (direction: 'asc' | 'desc'): Promise<string[]> => {
        const page = await store.page(items, { orderBy: 'rank', direction, limit: 10 });
        return page.rows.map(({ doc }) => doc.id);
      };
      expect(await ids('asc')).toEqual(['i3', 'i2', 'i4', 'i1', 'i5']);
      expect(await ids('desc')).toEqual(['i4', 'i2', 'i3', 'i5', 'i1']);
    });

    test('following pages neither skips nor repeats a row while others come and go', async () => {
      const id = (n: number): string => `i${String(n).padStart(4, '0')}`;
      await store.transact(async (tx) => {
        for (let n = 0; n < 300; n += 1) await tx.insert(items, item(id(n), { rank: n % 7 }));
      });
      const seen: string[] = [];
      let page = await store.page(items, { orderBy: 'rank', direction: 'desc', limit: 10 });
      for (let turn = 0; ; turn += 1) {
        seen.push(...page.rows.map(({ doc }) => doc.id));
        if (!page.last || !page.hasMore) break;
        await store.transact(async (tx) => {
          await tx.insert(items, item(`new${turn}`, { rank: turn % 7 }));
          // The page's own last row goes as well: its place still counts.
          await tx.remove(items, page.rows.at(-1)?.doc.id ?? '');
        });
        page = await store.page(items, {
          orderBy: 'rank',
          direction: 'desc',
          limit: 10,
          after: page.last,
        });
      }
      const old = seen.filter((one) => one.startsWith('i'));
      expect(new Set(seen).size).toBe(seen.length);
      expect(old.length).toBe(300);
    });

    test('the first use of an order over many rows misses no write that comes meanwhile', async () => {
      const id = (n: number): string => `i${String(n).padStart(5, '0')}`;
      const many = 6000;
      await store.transact(async (tx) => {
        for (let n = 0; n < many; n += 1) await tx.insert(items, item(id(n), { rank: many - n }));
      });
      const asked = { orderBy: 'rank', direction: 'asc', limit: 3 } as const;
      const first = store.page(items, asked);
      await store.transact((tx) => tx.insert(items, item('new', { rank: -1 })));
      expect((await first).total).toBeGreaterThanOrEqual(many);
      const ids = async (reader: Pick<Store, 'page'>): Promise<string[]> =>
        (await reader.page(items, asked)).rows.map(({ doc }) => doc.id);
      expect(await ids(store)).toEqual(['new', id(many - 1), id(many - 2)]);
      // In a transaction, with its own writes, deep in the order.
      await store.transact(async (tx) => {
        await tx.remove(items, id(many - 1));
        await tx.insert(items, item('newer', { rank: 5999.5 }));
        expect(await ids(tx)).toEqual(['new', id(many - 2), id(many - 3)]);
        const deep = await tx.page(items, { ...asked, offset: many - 2 });
        expect(deep.rows.map(({ doc }) => doc.id)).toEqual([id(1), 'newer', id(0)]);
        expect([deep.total, deep.hasMore]).toEqual([many + 1, false]);
      });
    });

    test('pages, indexes and transactions agree with a naive model', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.array(aStep, { minLength: 1, maxLength: 6 }), fc.boolean()), {
            maxLength: 25,
          }),
          fc.array(aQuery, { minLength: 1, maxLength: 5 }),
          async (transactions, queries) => {
            const { store: tried, dispose } = await open();
            try {
              const model = createModel();
              for (const [steps, abandon] of transactions) {
                const before = model.copy();
                await tried
                  .transact(async (tx) => {
                    for (const [verb, doc] of steps) {
                      const expected = model.apply(verb, doc);
                      const known = await tx.get(items, doc.id);
                      const done =
                        verb === 'remove'
                          ? tx.remove(items, doc.id)
                          : known
                            ? tx.replace(items, doc)
                            : tx.insert(items, doc);
                      const outcome = await done.then(
                        () => 'done',
                        (error: unknown) =>
                          error instanceof StoreConflict ? error.kind : String(error),
                      );
                      expect(outcome).toBe(expected);
                    }
                    for (const query of queries) {
                      expect(docsOf(await tx.page(items, query))).toEqual(model.page(query));
                    }
                    if (abandon) throw new Error('abandoned');
                  })
                  .catch((error: unknown) => {
                    if (!(error instanceof Error) || error.message !== 'abandoned') throw error;
                    model.restore(before);
                  });
                for (const query of queries) {
                  expect(docsOf(await tried.page(items, query))).toEqual(model.page(query));
                }
              }
              for (const query of queries) {
                expect(await followPages(tried, query)).toEqual(model.all(query));
              }
              for (const name of ['n1', 'n2', '__proto__', '']) {
                const found = await tried.find(items, 'name', name);
                expect(found?.doc).toEqual(model.find(name));
              }
            } finally {
              await dispose();
            }
          },
        ),
        { numRuns: 60 },
      );
    });

    test('after close it takes nothing and says so', async () => {
      await store.transact((tx) => tx.insert(items, item('i1')));
      await store.close();
      await expect(store.transact((tx) => tx.insert(items, item('i2')))).rejects.toBeInstanceOf(
        StoreUnavailable,
      );
      await expect(async () => store.get(items, 'i1')).rejects.toBeInstanceOf(StoreUnavailable);
      expect(store.health().writable).toBe(false);
      await store.close();
    });

    test('close finishes what was begun', async () => {
      const begun = Array.from({ length: 20 }, (_, at) =>
        store.transact((tx) => tx.insert(items, item(`i${at}`))),
      );
      await store.close();
      expect(await Promise.all(begun)).toHaveLength(20);
    });
  });
};

export const docsOf = (page: Awaited<ReturnType<Store['page']>>): object => ({
  docs: page.rows.map(({ doc }) => doc),
  total: page.total,
  hasMore: page.hasMore,
});

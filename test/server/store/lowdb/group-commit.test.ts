import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeFiles } from '../../../../src/server/store/lowdb/file-layer.ts';
import type { FileLayer } from '../../../../src/server/store/lowdb/file-layer.ts';
import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import { StoreConflict } from '../../../../src/server/store/store.ts';
import { until } from '../../../support/until.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { createModel } from '../model.ts';
import { anItem, aQuery, aStep, docsOf, items, notes } from '../store-contract.ts';
import { tempFolder } from './temp-folder.ts';
import type { TempFolder } from './temp-folder.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** A disk whose journal flushes wait until they are let through. */
const heldDisk = (): { files: FileLayer; flushes: () => number; release: () => void } => {
  let flushes = 0;
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const files: FileLayer = {
    ...nodeFiles,
    async open(path, mode) {
      const file = await nodeFiles.open(path, mode);
      if (mode !== 'append') return file;
      let isOpening = true;
      return {
        ...file,
        async sync() {
          // What was there before is synced first.
          if (isOpening) {
            isOpening = false;
            return file.sync();
          }
          flushes += 1;
          await opened;
          await file.sync();
        },
      };
    },
  };
  return { files, flushes: () => flushes, release: open };
};

const openWith = (files: FileLayer): Promise<Store> =>
  openLowdbStore({ dir: folder.path, collections: [items, notes], files });

/** Long enough for whatever doesn't wait for the disk. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

describe('group commit', () => {
  test('answers nobody before the flush, and all that wait share the next one', async () => {
    const disk = heldDisk();
    const store = await openWith(disk.files);
    let answered = 0;
    const insert = async (n: number): Promise<void> => {
      await store.transact((tx) => tx.insert(notes, { id: `n${n}`, text: '' }));
      answered += 1;
    };
    const first = insert(0);
    await until(() => disk.flushes() === 1);
    const others = Array.from({ length: 99 }, (_, at) => insert(at + 1));
    await settle();
    expect([answered, disk.flushes()]).toEqual([0, 1]);
    disk.release();
    await Promise.all([first, ...others]);
    expect([answered, disk.flushes()]).toEqual([100, 2]);
    await store.close();
  });

  test('the next transaction sees what is on its way to the disk; readers don’t, and don’t wait', async () => {
    const disk = heldDisk();
    const store = await openWith(disk.files);
    const query = { orderBy: 'id', direction: 'asc', limit: 10 } as const;
    const insert = store.transact((tx) =>
      tx.insert(items, { id: 'i1', name: 'one', kind: 'a', tags: ['x'] }),
    );
    let seen: unknown[] = [];
    const look = store.transact(async (tx) => {
      seen = [
        (await tx.get(items, 'i1'))?.doc.name,
        (await tx.find(items, 'name', 'one'))?.doc.id,
        (await tx.page(items, { ...query, where: { tags: { all: ['x'] } } })).total,
      ];
      return 'looked';
    });
    const clash = store.transact((tx) =>
      tx.insert(items, { id: 'i2', name: 'one', kind: 'a', tags: [] }),
    );
    await until(() => seen.length > 0);
    await settle();
    expect(seen).toEqual(['one', 'i1', 1]);
    expect(await store.get(items, 'i1')).toBeUndefined();
    expect(await store.find(items, 'name', 'one')).toBeUndefined();
    expect((await store.page(items, query)).total).toBe(0);

    // What rests on an unsaved change, be it an answer or an error, waits for it.
    const early = await Promise.race([look, clash.catch(() => 'clash'), settle()]);
    expect(early).toBeUndefined();
    disk.release();
    await insert;
    expect(await look).toBe('looked');
    await expect(clash).rejects.toBeInstanceOf(StoreConflict);
    expect((await store.get(items, 'i1'))?.doc.name).toBe('one');
    await store.close();
  });

  test('transactions that overlap with flushes agree with a naive model', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anItem, { maxLength: 10 }),
        fc.array(fc.array(aStep, { minLength: 1, maxLength: 5 }), { minLength: 5, maxLength: 40 }),
        fc.array(aQuery, { minLength: 1, maxLength: 4 }),
        async (start, transactions, queries) => {
          const temp = await tempFolder();
          const store = await openLowdbStore({ dir: temp.path, collections: [items, notes] });
          try {
            const model = createModel();
            const put = (steps: (typeof transactions)[number]): Promise<void> =>
              store.transact(async (tx) => {
                for (const [verb, doc] of steps) {
                  const expected = model.apply(verb, doc);
                  const known = await tx.get(items, doc.id);
                  const write = known ? tx.replace.bind(tx) : tx.insert.bind(tx);
                  const outcome = await (
                    verb === 'remove' ? tx.remove(items, doc.id) : write(items, doc)
                  ).then(
                    () => 'done',
                    (error: unknown) =>
                      error instanceof StoreConflict ? error.kind : String(error),
                  );
                  expect(outcome).toBe(expected);
                  for (const query of queries) {
                    expect(docsOf(await tx.page(items, query))).toEqual(model.page(query));
                  }
                }
              });
            await put(start.map((doc) => ['put', doc]));
            await Promise.all(
              transactions.map(async (steps, at) => {
                // In waves, so that some are on disk, some on their way and some just begun.
                for (let wave = at % 4; wave > 0; wave -= 1) {
                  await new Promise((resolve) => setImmediate(resolve));
                }
                await put(steps);
              }),
            );
            for (const query of queries) {
              expect(docsOf(await store.page(items, query))).toEqual(model.page(query));
            }
          } finally {
            await store.close();
            await temp.remove();
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

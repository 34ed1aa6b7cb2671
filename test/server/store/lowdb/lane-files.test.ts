import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeFiles } from '../../../../src/server/store/lowdb/file-layer.ts';
import type { FileLayer } from '../../../../src/server/store/lowdb/file-layer.ts';
import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import { StoreRefusal } from '../../../../src/server/store/store.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { jobs, posts } from '../lane-actions.ts';
import { notes } from '../store-contract.ts';
import { tempFolder } from './temp-folder.ts';
import type { TempFolder } from './temp-folder.ts';

let folder: TempFolder;
let dir: string;
beforeEach(async () => {
  folder = await tempFolder();
  dir = join(folder.path, 'data');
});
afterEach(() => folder.remove());

const open = (more: Partial<Parameters<typeof openLowdbStore>[0]> = {}): Promise<Store> =>
  openLowdbStore({ dir, collections: [notes], lanes: [posts], ...more });

const append = (store: Store, ...works: string[]): Promise<void> =>
  store.transact(async (tx) => {
    for (const work of works) await tx.append(posts, 'a', work);
  });

const worksIn = async (store: Store): Promise<string[]> =>
  (await store.laneWork(posts, { lane: 'a', limit: 100 })).map(({ work }) => work);

const refusalOf = async (opened: Promise<Store>): Promise<string> => {
  const error: unknown = await opened.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreRefusal);
  return (error as StoreRefusal).message; // just looked at
};

describe('the files of lanes', () => {
  test('are plain JSON after a close: a line for each lane', async () => {
    const store = await open();
    await append(store, 'one', 'two');
    await store.transact(async (tx) => {
      await tx.hold(posts, 'b', true);
      await tx.putOff(posts, 'a', 5000);
    });
    await store.close();
    const file = JSON.parse(await readFile(join(dir, 'posts.lanes.json'), 'utf8')) as {
      records: { doc: unknown }[];
    };
    expect(file.records.map(({ doc }) => doc)).toEqual([
      { id: 'a', due_at: 5000, positions: [1, 2], works: ['one', 'two'] },
      { id: 'b', held: true, positions: [], works: [] },
    ]);
  });

  test('may be new to a folder, beside a collection of the same name', async () => {
    let store = await openLowdbStore({ dir, collections: [notes] });
    await store.transact((tx) => tx.insert(notes, { id: 'n1', text: 'x' }));
    await store.close();
    const lanes = [posts, { name: 'notes' }];
    for (const expected of [[], ['one']]) {
      store = await open({ lanes });
      expect(await store.get(notes, 'n1')).toBeDefined();
      expect(await worksIn(store)).toEqual(expected);
      if (expected.length === 0) await append(store, 'one');
      await store.close();
    }
  });

  test('of lanes that this version doesn’t know are not lost: it refuses, before a fold and after', async () => {
    const store = await open({ lanes: [posts, jobs] });
    await append(store, 'one');
    const [journal = ''] = (await readdir(dir)).filter((name) => name.endsWith('.ndjson'));
    const copy = join(folder.path, 'copy');
    await nodeFiles.makeFolder(copy);
    for (const name of ['store.json', journal]) await copyFile(join(dir, name), join(copy, name));
    await store.close();
    const unfolded = await refusalOf(
      openLowdbStore({ dir: copy, collections: [notes], lanes: [jobs] }),
    );
    expect(unfolded).toMatch(/journal.*:2: the lanes "posts" unknown.*newer/s);
    const folded = await refusalOf(open({ lanes: [jobs] }));
    expect(folded).toMatch(/store\.json lists the lanes "posts".*newer/s);
  });

  test('that are damaged or gone are refused by name, and the one before brings all back', async () => {
    let store = await open();
    await append(store, 'one', 'two');
    await store.close();
    store = await open();
    await append(store, 'three');
    await store.close();
    const path = join(dir, 'posts.lanes.json');
    const whole = await readFile(path, 'utf8');
    await writeFile(path, whole.replace('"two"', '"tow"'));
    expect(await refusalOf(open())).toContain(`${path}:2: this line is damaged`);
    await rm(path);
    expect(await refusalOf(open())).toContain(`${path} is missing`);
    await copyFile(`${path}.bak`, path);
    store = await open();
    expect(await worksIn(store)).toEqual(['one', 'two', 'three']);
    await store.close();
    await rm(join(dir, 'store.json'));
    await rm(join(dir, 'store.json.bak'));
    await rm(join(dir, 'notes.json'));
    await rm(join(dir, 'notes.json.bak'));
    expect(await refusalOf(open())).toContain('posts.lanes.json');
  });

  test('a family whose name is no file name, or that is given twice, is a mistake of the program', async () => {
    await expect(open({ lanes: [{ name: '../x' }] })).rejects.toThrow('lanes');
    await expect(open({ lanes: [posts, posts] })).rejects.toThrow('duplicated');
  });
});

/** A disk whose journal flushes wait, each until it is let through. */
const steppedDisk = () => {
  const waiting: (() => void)[] = [];
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
          await new Promise<void>((resolve) => waiting.push(resolve));
          await file.sync();
        },
      };
    },
  };
  const begun = async (): Promise<void> => {
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  return {
    files,
    begun,
    async flush() {
      await begun();
      waiting.shift()?.();
    },
  };
};

test('only durable work is claimed and seen, while transactions see what is on its way', async () => {
  const disk = steppedDisk();
  const store = await open({ files: disk.files });
  const seen = (): Promise<[number, string[]]> =>
    store.transact(async (tx) => {
      const work = await tx.laneWork(posts, { lane: 'a', limit: 100 });
      const state = await tx.laneState(posts, 'a');
      inside = [state.waiting, work.map((one) => one.work)];
      return inside;
    });
  let inside: [number, string[]] | undefined;
  const seenInside = async (): Promise<unknown> => {
    inside = undefined;
    // Its answer waits for the disk, what it saw does not.
    void seen();
    while (!inside) await new Promise((resolve) => setTimeout(resolve, 1));
    return inside;
  };

  const first = append(store, 'one');
  await disk.begun();
  const second = append(store, 'two');
  expect(await seenInside()).toEqual([2, ['one', 'two']]);
  expect(await store.laneState(posts, 'a')).toEqual({ waiting: 0, held: false });
  expect(await store.claim(posts, { now: 0, most: 9 })).toEqual([]);

  await disk.flush();
  await first;
  expect(await seenInside()).toEqual([2, ['one', 'two']]);
  expect(await worksIn(store)).toEqual(['one']);
  const [work] = await store.claim(posts, { now: 0, most: 9 });
  expect(work?.work).toBe('one');

  const done = store.transact(async (tx) => {
    if (work) await tx.complete(posts, work);
    await tx.append(posts, 'a', 'three');
  });
  expect(await seenInside()).toEqual([2, ['two', 'three']]);
  await disk.flush();
  await second;
  expect(await seenInside()).toEqual([2, ['two', 'three']]);
  expect(await worksIn(store)).toEqual(['one', 'two']);
  await disk.flush();
  await done;
  expect(await worksIn(store)).toEqual(['two', 'three']);
  await store.close();
});

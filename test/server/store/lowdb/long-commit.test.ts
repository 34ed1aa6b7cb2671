import { cp, readFile, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeFiles } from '../../../../src/server/store/lowdb/file-layer.ts';
import type { FileLayer } from '../../../../src/server/store/lowdb/file-layer.ts';
import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { notes } from '../store-contract.ts';
import { tempFolder } from './temp-folder.ts';
import type { TempFolder } from './temp-folder.ts';

let folder: TempFolder;
let store: Store;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(async () => {
  await store.close();
  await folder.remove();
});

const open = (name: string, files: FileLayer = nodeFiles): Promise<Store> =>
  openLowdbStore({ dir: join(folder.path, name), collections: [notes], files });

const journalOf = async (name: string): Promise<string> => {
  const dir = join(folder.path, name);
  const [segment] = (await readdir(dir)).filter((each) => each.startsWith('journal-'));
  return join(dir, segment ?? '');
};

/** Some 7 MB of JSON, of characters of one to four bytes. */
const documents = Array.from({ length: 40 }, (_, n) => ({
  id: `long-${n}`,
  text: `${n} "é€😀\u2028\ud800"\n`.repeat(7_000),
}));

const insertAll = (): Promise<void> =>
  store.transact(async (tx) => {
    for (const document of documents) await tx.insert(notes, document);
  });

/** The folder as a kill would leave it now. */
async function copyTo(name: string): Promise<void> {
  await cp(join(folder.path, 'data'), join(folder.path, name), { recursive: true });
  await rm(join(folder.path, name, 'lock'), { force: true });
}

describe('a commit of many megabytes', () => {
  test('is one line of JSON, and is there when the folder is opened after a kill', async () => {
    store = await open('data');
    await insertAll();
    await copyTo('copy');
    const lines = (await readFile(await journalOf('copy'), 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { group: { from: 1, commits: 1 } },
      { commit: 1 },
    ]);

    const opened = await open('copy');
    for (const document of documents) {
      expect((await opened.get(notes, document.id))?.doc).toEqual(document);
    }
    await opened.close();
  });

  test('is not there at all when its end is missing', async () => {
    store = await open('data');
    await insertAll();
    await copyTo('copy');
    const journal = await journalOf('copy');
    await truncate(journal, (await stat(journal)).size - 100_000);
    await rm(join(folder.path, 'copy', 'journal.synced'));
    const opened = await open('copy');
    expect((await opened.page(notes, { orderBy: 'id', direction: 'asc', limit: 1 })).total).toBe(0);
    await opened.close();
  });

  test('lets others have the event loop while it is serialized', async () => {
    let isWritten = false;
    store = await open('data', {
      ...nodeFiles,
      async open(path, mode) {
        const file = await nodeFiles.open(path, mode);
        const write: typeof file.write = (bytes) => {
          isWritten ||= mode === 'append';
          return file.write(bytes);
        };
        return { ...file, write };
      },
    });
    let turns = 0;
    const count = (): void => {
      if (isWritten) return;
      turns += 1;
      setImmediate(count);
    };
    const inserted = insertAll();
    count();
    await inserted;
    expect(turns).toBeGreaterThan(8);
  });

  test('that JSON cannot express changes nothing, and the next one is saved', async () => {
    store = await open('data');
    const endless: { id: string; text: string; self?: unknown } = { id: 'endless', text: '' };
    endless.self = endless;
    const both = store.transact(async (tx) => {
      for (const document of documents) await tx.insert(notes, document);
      await tx.insert(notes, endless);
    });
    await expect(both).rejects.toThrow(TypeError);
    await store.transact((tx) => tx.insert(notes, { id: 'next', text: 'saved' }));
    await copyTo('copy');
    const opened = await open('copy');
    const { total } = await opened.page(notes, { orderBy: 'id', direction: 'asc', limit: 1 });
    expect([total, (await opened.get(notes, 'next'))?.doc.text]).toEqual([1, 'saved']);
    await opened.close();
  });
});

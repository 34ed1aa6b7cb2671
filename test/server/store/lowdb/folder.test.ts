import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { nodeFiles } from '../../../../src/server/store/lowdb/file-layer.ts';
import type { FileLayer } from '../../../../src/server/store/lowdb/file-layer.ts';
import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import { StoreRefusal } from '../../../../src/server/store/store.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { items, notes } from '../store-contract.ts';
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
  openLowdbStore({ dir, collections: [items, notes], ...more });

const addNotes = async (store: Store, from: number, to: number): Promise<void> => {
  for (let n = from; n < to; n += 1) {
    const id = `n${String(n).padStart(5, '0')}`;
    await store.transact((tx) => tx.insert(notes, { id, text: 'é ✓ \u2028 "quoted"\n' }));
  }
};

const countNotes = async (store: Store): Promise<number> =>
  (await store.page(notes, { orderBy: 'id', direction: 'asc', limit: 1 })).total;

describe('the folder of a lowdb store', () => {
  test('is closed to others, and so are its files', async () => {
    const store = await open();
    await addNotes(store, 0, 1);
    await store.close();
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(dir)) {
      expect([name, (await stat(join(dir, name))).mode & 0o777]).toEqual([name, 0o600]);
    }
  });

  test('that was there before and is open to others is warned about', async () => {
    await mkdir(dir, { mode: 0o755 });
    const warnings: string[] = [];
    await (await open({ log: { info: () => {}, warn: (text) => warnings.push(text) } })).close();
    expect(warnings.join()).toContain(`chmod 700 ${dir}`);
  });

  test.skipIf(process.getuid === undefined)(
    'that everybody may write is refused with a file of another user in it, and warned about with files of ours',
    async () => {
      await mkdir(dir);
      await writeFile(join(dir, 'secret.key'), 'planted');
      const warnings: string[] = [];
      const openIn = async (mode: number, uid: number): Promise<void> => {
        await chmod(dir, mode);
        const store = await open({
          files: { ...nodeFiles, owner: () => Promise.resolve(uid) },
          log: { info: () => {}, warn: (text) => warnings.push(text) },
        });
        await store.close();
      };
      const me = process.getuid?.() ?? 0;
      for (const mode of [0o777, 0o1777]) {
        await expect(openIn(mode, me + 1)).rejects.toThrow(
          `${join(dir, 'secret.key')} belongs to another user (${me + 1})`,
        );
        expect(await readdir(dir)).toEqual(['secret.key']);
      }
      warnings.length = 0;
      await openIn(0o777, me);
      await openIn(0o777, 0);
      // Those of the group were let in by who made the folder, as Kubernetes does.
      await openIn(0o770, me + 1);
      expect(
        warnings.join('\n').match(/others can write[^;]*; to prevent this, run "chmod 700/gu),
      ).toHaveLength(3);
      await openIn(0o700, me + 1);
      expect(warnings).toHaveLength(3);
    },
  );

  test('holds, after a close, one plain JSON file per collection and an empty journal', async () => {
    const store = await open();
    await addNotes(store, 0, 3);
    await store.transact((tx) => tx.insert(items, { id: 'i1', kind: 'a', tags: [] }));
    await store.close();
    const file = JSON.parse(await readFile(join(dir, 'notes.json'), 'utf8')) as {
      commit: number;
      records: { revision: number; doc: unknown }[];
    };
    expect(file.commit).toBe(4);
    expect(file.records.map(({ doc }) => doc)).toEqual(
      ['n00000', 'n00001', 'n00002'].map((id) => ({ id, text: 'é ✓ \u2028 "quoted"\n' })),
    );
    const names = await readdir(dir);
    expect(names).toContain('items.json');
    expect(names).not.toContain('lock');
    const journals = names.filter((name) => name.endsWith('.ndjson'));
    expect(journals).toHaveLength(1);
    expect((await stat(join(dir, journals[0] ?? ''))).size).toBe(0);
  });

  test('gives everything back when opened again: documents, revisions, sequences', async () => {
    let store = await open();
    const written = await store.transact(async (tx) => {
      await tx.next('events');
      return tx.insert(items, { id: 'i1', name: 'one', kind: 'a', tags: ['x'], rank: 2 });
    });
    await store.close();
    for (let round = 0; round < 3; round += 1) {
      store = await open();
      expect(await store.get(items, 'i1')).toEqual(written);
      expect((await store.find(items, 'name', 'one'))?.doc.id).toBe('i1');
      expect(await store.transact((tx) => tx.next('events'))).toBe(round + 2);
      await store.close();
    }
  });

  test('that nothing was written to is left as it is', async () => {
    await (await open()).close();
    const before = await readdir(dir);
    await (await open()).close();
    expect(await readdir(dir)).toEqual(before);
  });

  test('folds its journal by itself, while writes go on, and keeps it from growing', async () => {
    const store = await open({ checkpointBytes: 20_000 });
    await Promise.all(
      Array.from({ length: 8 }, (_, at) => addNotes(store, at * 200, (at + 1) * 200)),
    );
    const names = await readdir(dir);
    expect(names).toContain('notes.json');
    const live = names.filter((name) => name.endsWith('.ndjson'));
    const sizes = await Promise.all(live.map(async (name) => (await stat(join(dir, name))).size));
    expect(sizes.reduce((a, b) => a + b)).toBeLessThan(400_000);
    expect(await countNotes(store)).toBe(1600);
    await store.close();
    const again = await open();
    expect(await countNotes(again)).toBe(1600);
    await again.close();
  });

  test('takes a collection that is new to it, and refuses to lose one that this version doesn’t know', async () => {
    let store = await openLowdbStore({ dir, collections: [notes] });
    await addNotes(store, 0, 2);
    await store.close();
    store = await open();
    await store.transact((tx) => tx.insert(items, { id: 'i1', kind: 'a', tags: [] }));
    await store.close();
    const older = openLowdbStore({ dir, collections: [notes] });
    await expect(older).rejects.toBeInstanceOf(StoreRefusal);
    await expect(older).rejects.toThrow(/"items".*newer/s);
    store = await open();
    expect(await countNotes(store)).toBe(2);
    await store.close();
  });

  test('that breaks a unique index which came later is refused, with both ids', async () => {
    const loose = { name: 'notes', order: notes.order ?? {} };
    const store = await openLowdbStore({ dir, collections: [loose] });
    await addNotes(store, 0, 2);
    await store.close();
    const strict = { ...notes, unique: { text: (note: { text: string }) => note.text } };
    await expect(openLowdbStore({ dir, collections: [strict] })).rejects.toThrow(
      /n00001|n00000.*same text/,
    );
  });

  test('leaves other people’s files in it alone', async () => {
    await (await open()).close();
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(dir, 'secret.key'), 'k');
    await writeFile(join(dir, 'mine.tmp'), 'm');
    await (await open()).close();
    expect(await readdir(dir)).toEqual(expect.arrayContaining(['secret.key', 'mine.tmp']));
  });

  test('works on a file system without hard links', async () => {
    const files: FileLayer = {
      ...nodeFiles,
      link: async () => {
        throw Object.assign(new Error('EPERM'), { code: 'EPERM' });
      },
    };
    for (let round = 0; round < 3; round += 1) {
      const store = await open({ files });
      await addNotes(store, round, round + 1);
      await store.close();
    }
    expect(await readdir(dir)).toContain('notes.json.bak');
    const store = await open({ files });
    expect(await countNotes(store)).toBe(3);
    await store.close();
  });

  test('that can’t be made is refused with the reason', async () => {
    const opened = openLowdbStore({ dir: '/dev/null/data', collections: [notes] });
    await expect(opened).rejects.toBeInstanceOf(StoreRefusal);
    await expect(opened).rejects.toThrow(/\/dev\/null\/data cannot be used.*ENOTDIR/s);
  });

  test('a collection whose name is no file name is a mistake of the program', async () => {
    for (const name of ['store', 'lock', '../x', '', 'Notes']) {
      await expect(openLowdbStore({ dir, collections: [{ ...notes, name }] })).rejects.toThrow(
        'collection',
      );
    }
    await expect(openLowdbStore({ dir, collections: [notes, notes] })).rejects.toThrow(
      'duplicated',
    );
  });
});

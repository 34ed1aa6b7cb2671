import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { nodeFiles } from '../../../../src/server/store/lowdb/file-layer.ts';
import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import type { Store } from '../../../../src/server/store/store.ts';
import { StoreRefusal } from '../../../../src/server/store/store.ts';
import { audit, openBank } from '../../../crash/accounts.ts';
import { buildWriter, startWriter } from '../../../crash/writer-process.ts';
import { notes } from '../store-contract.ts';
import { tempFolder } from './temp-folder.ts';
import type { TempFolder } from './temp-folder.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const open = (checkpointBytes?: number, warnings: string[] = []): Promise<Store> =>
  openLowdbStore({
    dir: folder.path,
    collections: [notes],
    ...(checkpointBytes === undefined ? {} : { checkpointBytes }),
    log: { info: () => {}, warn: (message) => warnings.push(message) },
  });

const add = (store: Store, id: string): Promise<unknown> =>
  store.transact((tx) => tx.insert(notes, { id, text: 'x'.repeat(2_000) }));

/** As somebody does who takes it for left over; or a lock of another container, whose process is not seen here. */
const withoutLockFile = (): Promise<void> => rm(join(folder.path, 'lock'));
const withForeignLock = (): Promise<void> =>
  writeFile(
    join(folder.path, 'lock'),
    JSON.stringify({ pid: 2 ** 22 - 1, place: 'elsewhere pid:[1]', since: 0, token: 'theirs' }),
  );

describe('a folder that is open', () => {
  test.each([
    ['removed', withoutLockFile],
    ['that of a process which is not seen from here', withForeignLock],
  ])('lets no second one in where its lock file is %s', async (_, change) => {
    const store = await open();
    await add(store, 'a');
    await change();
    await expect(open()).rejects.toBeInstanceOf(StoreRefusal);
    const found = await readFile(join(folder.path, 'lock'), 'utf8').catch(() => 'none');
    await expect(open()).rejects.toThrow(
      'in use by another process, possibly in another container',
    );
    // What the other one put there is left alone.
    expect(await readFile(join(folder.path, 'lock'), 'utf8').catch(() => 'none')).toBe(found);
    await add(store, 'b');
    await store.close();
    const again = await open();
    expect((await again.page(notes, { orderBy: 'id', direction: 'asc', limit: 9 })).total).toBe(2);
    await again.close();
  });

  test('nor while the journal goes on in new files', async () => {
    const store = await open(1_000);
    for (let n = 0; n < 20; n++) {
      await add(store, `n${n}`);
      await rm(join(folder.path, 'lock'), { force: true });
      await expect(open()).rejects.toThrow('in use');
    }
    await store.close();
    await (await open()).close();
  });

  test('by a process that was killed, is free at once', async () => {
    const script = await buildWriter();
    onTestFinished(() => rm(dirname(script), { recursive: true }));
    const writer = startWriter(process.execPath, [script, folder.path]);
    onTestFinished(() => void writer.process.kill('SIGKILL'));
    await writer.said('ack');
    await withForeignLock();
    await expect(openBank({ dir: folder.path })).rejects.toThrow('in use by another process');
    writer.process.kill('SIGKILL');
    await writer.ended;
    const store = await openBank({ dir: folder.path });
    expect(await audit(store)).toBeGreaterThanOrEqual(Math.max(...writer.acknowledged()));
    await store.close();
  });
});

test('where files cannot be locked, the store opens and says what keeps a second server out', async () => {
  const warnings: string[] = [];
  const store = await openLowdbStore({
    dir: folder.path,
    collections: [notes],
    files: {
      ...nodeFiles,
      async open(path, mode) {
        const file = await nodeFiles.open(path, mode);
        return { ...file, tryLock: () => Promise.resolve('unavailable') };
      },
    },
    log: { info: () => {}, warn: (message) => warnings.push(message) },
  });
  await add(store, 'a');
  expect(warnings).toEqual([expect.stringContaining('files cannot be locked here')]);
  await store.close();
});

import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import { bytesOf, describeBlobs, idsOf, writeBlob } from '../blob-contract.ts';
import { items, notes } from '../store-contract.ts';
import { tempFolder } from './temp-folder.ts';

const open = (dir: string): ReturnType<typeof openLowdbStore> =>
  openLowdbStore({ dir, collections: [items, notes] });

describeBlobs('the blobs of a lowdb store', async () => {
  const folder = await tempFolder();
  const store = await open(folder.path);
  return {
    store,
    async dispose() {
      await store.close();
      await folder.remove();
    },
  };
});

test('a blob is a file under its id, closed to others, and there after the next start', async () => {
  const folder = await tempFolder();
  const inner = join(folder.path, 'blobs');
  let store = await open(folder.path);
  await writeBlob(store.blobs, 'rpt_1.pdf', [Buffer.from('one')]);
  expect((await stat(inner)).mode & 0o777).toBe(0o700);
  expect((await stat(join(inner, 'rpt_1.pdf'))).mode & 0o777).toBe(0o600);
  expect(await readdir(inner)).toEqual(['rpt_1.pdf']);
  await store.close();
  store = await open(folder.path);
  expect(String(await bytesOf(store.blobs, 'rpt_1.pdf'))).toBe('one');
  await store.close();
  await folder.remove();
});

test('what a crash left half written is removed at the next start', async () => {
  const folder = await tempFolder();
  const inner = join(folder.path, 'blobs');
  await mkdir(inner, { mode: 0o700 });
  await writeFile(join(inner, 'rpt_1.pdf~'), 'half');
  await writeFile(join(inner, 'rpt_2.pdf'), 'whole');
  const store = await open(folder.path);
  expect(await readdir(inner)).toEqual(['rpt_2.pdf']);
  expect(await idsOf(store.blobs)).toEqual(['rpt_2.pdf']);
  await store.close();
  await folder.remove();
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../src/server/store/store.ts';
import { StoreUnavailable } from '../../src/server/store/store.ts';
import { bytesOf, idsOf, writeBlob } from '../server/store/blob-contract.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { audit, openBank, transfer } from './accounts.ts';
import { failure, memoryFiles } from './memory-files.ts';
import type { MemoryFiles } from './memory-files.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const open = (files: MemoryFiles): Promise<Store> => openBank({ dir: folder.path, files });

const contentOf = (id: string): Buffer[] => [Buffer.from(`${id} `), Buffer.alloc(50, id)];

/** @returns the ids that were acknowledged, the last of which is removed again unless the disk died before */
const work = async (files: MemoryFiles): Promise<{ kept: string[]; removed: string[] }> => {
  const kept: string[] = [];
  const removed: string[] = [];
  try {
    const store = await open(files);
    try {
      for (const id of ['b1', 'b2', 'b3']) {
        await writeBlob(store.blobs, id, contentOf(id));
        kept.push(id);
      }
      removed.push(...kept.splice(2));
      await store.blobs.remove('b3');
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!String(error).includes('injected')) throw error;
  }
  return { kept, removed };
};

describe('blobs and a disk that fails', () => {
  test('a crash at any step keeps every acknowledged one whole, and shows no half of another', async () => {
    for (let step = 0; ; step += 1) {
      const files = memoryFiles();
      let changes = 0;
      files.before = () => {
        changes += 1;
        if (changes > step) throw failure('EIO');
      };
      const { kept, removed } = await work(files);
      for (const disk of [files.afterKill(), files.afterPowerCut()]) {
        const store = await open(disk);
        const ids = await idsOf(store.blobs);
        expect(ids, `step ${step}`).toEqual(expect.arrayContaining(kept));
        for (const id of ids) {
          expect(await bytesOf(store.blobs, id), `step ${step}`).toEqual(
            Buffer.concat(contentOf(id)),
          );
        }
        expect(disk.names().filter((name) => name.endsWith('~'))).toEqual([]);
        // It is not only readable but usable.
        for (const id of [...kept, ...removed]) await store.blobs.remove(id);
        await writeBlob(store.blobs, 'next', contentOf('next'));
        await store.close();
      }
      if (changes <= step) {
        expect(step).toBeGreaterThan(15);
        break;
      }
    }
  });

  for (const [kind, code] of [
    ['makeFolder', 'EACCES'],
    ['create', 'ENOSPC'],
    ['write', 'ENOSPC'],
    ['sync', 'EIO'],
    ['rename', 'EIO'],
    ['syncFolder', 'EIO'],
  ] as const) {
    test(`a ${kind} that fails (${code}) refuses the blob, leaves nothing of it, and the store goes on`, async () => {
      const files = memoryFiles();
      const store = await open(files);
      files.before = (change, name, inode, bytes) => {
        if (change !== kind || !name.startsWith('blobs')) return;
        inode?.append(bytes?.subarray(0, 3) ?? new Uint8Array());
        throw failure(code);
      };
      const written = writeBlob(store.blobs, 'b1', contentOf('b1'));
      await expect(written).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(written).rejects.toThrow(code);
      expect(files.names().filter((name) => name.startsWith('blobs/'))).toEqual([]);
      expect(store.health()).toEqual({ writable: true });
      expect(await transfer(store, 1)).toBe(1);
      files.before = () => {};
      await writeBlob(store.blobs, 'b1', contentOf('b1'));
      expect(await idsOf(store.blobs)).toEqual(['b1']);
      await store.close();
    });
  }

  test('a store whose journal failed begins no blob', async () => {
    const files = memoryFiles();
    const store = await open(files);
    await writeBlob(store.blobs, 'b1', contentOf('b1'));
    files.before = (change, name) => {
      if (change === 'sync' && name.endsWith('.ndjson')) throw failure('EIO');
    };
    await expect(transfer(store, 1)).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(store.blobs.create('b2')).rejects.toThrow(/read-only/);
    expect(await bytesOf(store.blobs, 'b1')).toEqual(Buffer.concat(contentOf('b1')));
    expect(await audit(store)).toBe(0);
    await store.close();
  });
});

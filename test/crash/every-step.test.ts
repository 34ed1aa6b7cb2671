import { afterEach, beforeEach, describe, expect, test } from 'vitest';
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

/** Small enough that the workload below folds the journal several times. */
const SMALL = 2000;

/** Runs a fixed workload and a close until the disk dies. @returns how many transfers were acknowledged */
const work = async (files: MemoryFiles): Promise<{ acknowledged: number; asked: number }> => {
  let acknowledged = 0;
  let asked = 0;
  try {
    const store = await openBank({ dir: folder.path, files, checkpointBytes: SMALL });
    try {
      for (let round = 0; round < 12; round += 1) {
        const answers = await Promise.allSettled(
          Array.from({ length: 3 }, () => {
            asked += 1;
            return transfer(store, asked, 'x'.repeat(50));
          }),
        );
        for (const answer of answers) {
          if (answer.status === 'fulfilled') acknowledged = Math.max(acknowledged, answer.value);
        }
      }
    } finally {
      await store.close();
    }
  } catch (error) {
    // Opening is refused while the disk is dead; that is one of the steps.
    if (!String(error).includes('injected')) throw error;
  }
  return { acknowledged, asked };
};

/** A disk that does `alive` changes and then none. */
const dyingAfter = (alive: number): { files: MemoryFiles; died: () => boolean } => {
  const files = memoryFiles();
  let changes = 0;
  files.before = async (_, name) => {
    // Folding is slow, so that commits to the next segment come in the middle of it.
    if (name.endsWith('.tmp')) await new Promise((resolve) => setTimeout(resolve, 1));
    changes += 1;
    if (changes > alive) throw failure('EIO');
  };
  return { files, died: () => changes > alive };
};

const recovered = async (files: MemoryFiles): Promise<number> => {
  const store = await openBank({ dir: folder.path, files, checkpointBytes: SMALL });
  try {
    const count = await audit(store);
    // It is not only readable but usable.
    expect(await transfer(store, 1)).toBe(count + 1);
    return count;
  } finally {
    await store.close();
  }
};

describe('a crash at any step', () => {
  test('of writing, folding or closing keeps every acknowledged change, and no half of another', async () => {
    for (let step = 0; ; step += 1) {
      const { files, died } = dyingAfter(step);
      const { acknowledged, asked } = await work(files);
      for (const disk of [files.afterKill(), files.afterPowerCut()]) {
        const count = await recovered(disk);
        expect(count, `step ${step}`).toBeGreaterThanOrEqual(acknowledged);
        expect(count, `step ${step}`).toBeLessThanOrEqual(asked);
        // And once more, from what the recovery itself left.
        expect(await recovered(disk)).toBe(count + 1);
      }
      if (!died()) {
        expect(step).toBeGreaterThan(50);
        break;
      }
    }
  });

  test('of the recovery itself is as harmless', async () => {
    const { files } = dyingAfter(60);
    const { acknowledged } = await work(files);
    const torn = files.afterKill();
    const journal =
      torn
        .names()
        .filter((name) => name.endsWith('.ndjson'))
        .at(-1) ?? '';
    torn.put(journal, Buffer.concat([torn.content(journal), Buffer.from('{"commit":99,"op')]));
    for (let step = 0; ; step += 1) {
      const disk = torn.afterKill();
      let changes = 0;
      disk.before = () => {
        changes += 1;
        if (changes > step) throw failure('EIO');
      };
      await recovered(disk).catch((error: unknown) => {
        if (!/injected|read-only|not saved/.test(String(error))) throw error;
      });
      expect(await recovered(disk.afterKill())).toBeGreaterThanOrEqual(acknowledged);
      expect(await recovered(disk.afterPowerCut())).toBeGreaterThanOrEqual(acknowledged);
      if (changes <= step) break;
    }
  });
});

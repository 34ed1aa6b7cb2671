// A model of what a POSIX file system may leave after a power cut. GOVCTL_POWER_CUTS sets the number of disks that are
// tried: CI tries 20,000.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { isWatched, say } from '../support/progress.ts';
import { audit, openBank, transfer } from './accounts.ts';
import { memoryFiles } from './memory-files.ts';
import type { MemoryFiles } from './memory-files.ts';
import { randomFrom } from './random.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const disks = Number(process.env.GOVCTL_POWER_CUTS ?? 2_000);
const disksPerCut = 20;

interface Cut {
  readonly disk: MemoryFiles;
  readonly acknowledged: number;
  readonly asked: number;
}

/** Several at once, so that flushes have many lines, of up to some pages. */
async function cutsOf(seed: number): Promise<readonly Cut[]> {
  const random = randomFrom(seed);
  const files = memoryFiles();
  let [acknowledged, asked] = [0, 0];
  const cuts: Cut[] = [];
  files.before = () => {
    if (random() < 0.7) return;
    for (let n = 0; n < disksPerCut; n++) {
      cuts.push({ disk: files.afterSomePowerCut(random), acknowledged, asked });
    }
  };
  const store = await openBank({ dir: folder.path, files, checkpointBytes: 20_000 });
  for (let round = 0; round < 6; round++) {
    const atOnce = 1 + Math.floor(random() * 8);
    asked += atOnce;
    await Promise.all(
      Array.from({ length: atOnce }, async (_, n) => {
        const sequence = await transfer(store, n, 'x'.repeat(Math.floor(random() ** 3 * 9_000)));
        acknowledged = Math.max(acknowledged, sequence);
      }),
    );
  }
  await store.close();
  return cuts;
}

test(`${disks} disks that a power cut may leave: nothing acknowledged is lost, nothing is there by half, none is refused`, async () => {
  let tried = 0;
  for (let seed = 1; tried < disks; seed++) {
    for (const { disk, acknowledged, asked } of await cutsOf(seed)) {
      const at = `seed ${seed}, disk ${tried}`;
      const store = await openBank({ dir: folder.path, files: disk }).catch((error: unknown) => {
        throw new Error(at, { cause: error });
      });
      const count = await audit(store);
      expect(count, at).toBeGreaterThanOrEqual(acknowledged);
      expect(count, at).toBeLessThanOrEqual(asked);
      tried += 1;
      if (isWatched && tried % 10_000 === 0) say(`${tried} disks, seed ${seed}`);
      // A store on a disk in memory has nothing to let go of but the lock; closing it takes longer than all the rest.
      if (tried % disksPerCut === 0) await store.close();
      else rmSync(join(folder.path, 'lock'));
    }
  }
  if (isWatched) say(`${tried} disks: none lost anything, had half of it or was refused`);
}, 86_400_000);

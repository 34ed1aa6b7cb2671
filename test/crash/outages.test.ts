// Disks that take no changes for a while: full, read-only, or failing. The store is writable again by itself.
import { rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreUnavailable } from '../../src/server/store/store.ts';
import type { Store } from '../../src/server/store/store.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import type { SmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { audit, letters, openBank, transfer } from './accounts.ts';
import { failure, memoryFiles } from './memory-files.ts';
import type { MemoryFiles } from './memory-files.ts';
import { randomFrom } from './random.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

type Outage = 'none' | 'full' | 'read-only' | 'failing syncs' | 'failing';

/** What each change of a disk in memory meets. A sync that fails is never made good by a later one. */
const meet = (files: MemoryFiles, outage: Outage): void => {
  files.before = (change, _name, inode, bytes) => {
    if (outage === 'read-only') throw failure('EROFS');
    if (outage === 'failing') throw failure('EIO');
    if (outage === 'failing syncs' && change === 'sync') throw failure('EIO');
    if (outage === 'full' && change === 'write') {
      inode?.append(bytes?.subarray(0, bytes.length / 2) ?? new Uint8Array());
      throw failure('ENOSPC');
    }
  };
};

const outages = ['full', 'read-only', 'failing syncs', 'failing'] as const;
const untilWritable = (store: Store): Promise<void> => until(() => store.health().writable);
const open = (files: MemoryFiles, warnings: string[] = []): Promise<Store> =>
  openBank({ dir: folder.path, files, warnings, retryMs: 2, checkpointBytes: 5_000 });

/** What the next start finds. */
const countOn = async (files: MemoryFiles): Promise<number> => {
  const dir = await tempFolder();
  const store = await openBank({ dir: dir.path, files });
  const count = await audit(store);
  await store.close();
  await dir.remove();
  return count;
};

describe('a disk that takes no changes for a while', () => {
  test.each(outages)(
    '(%s) refuses what comes meanwhile, and takes changes again by itself',
    async (outage) => {
      const files = memoryFiles();
      const warnings: string[] = [];
      const store = await open(files, warnings);
      for (let at = 0; at < 3; at += 1) await transfer(store, at);
      for (let times = 0; times < 3; times += 1) {
        const before = await audit(store);
        meet(files, outage);
        const refused = await Promise.allSettled(
          Array.from({ length: 5 }, () => transfer(store, 100)),
        );
        for (const one of refused) {
          expect(one).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
        expect(store.health().writable).toBe(false);
        await expect(transfer(store, 1)).rejects.toThrow(/read-only/);
        // Reads go on, also those in a transaction.
        expect(await audit(store)).toBe(before);
        expect(
          await store.transact((tx) => Promise.resolve(tx.laneWork(letters, { limit: 0 }))),
        ).toEqual([]);
        meet(files, 'none');
        await untilWritable(store);
        expect(await countOn(files.afterPowerCut())).toBe(before);
        for (let at = 0; at < 10; at += 1) expect(await transfer(store, at)).toBe(before + at + 1);
        expect(await countOn(files.afterPowerCut())).toBe(before + 10);
        expect(await countOn(files.afterKill())).toBe(before + 10);
      }
      expect(warnings.filter((text) => text.includes('read-only until'))).toHaveLength(3);
      await store.close();
      expect(await countOn(files.afterPowerCut())).toBe(33);
    },
  );
});

/** A disk with `count` transfers, as a store left it that was closed or killed. */
const diskWith = async (count: number, ended: 'closed' | 'killed'): Promise<MemoryFiles> => {
  const files = memoryFiles();
  const store = await open(files);
  for (let at = 0; at < count; at += 1) await transfer(store, at);
  const killed = files.afterKill();
  await store.close();
  return ended === 'killed' ? killed : files.afterKill();
};

/** As a crash leaves it: the last group is there by half. */
const tear = (files: MemoryFiles): void => {
  const journal = files.names().findLast((name) => name.endsWith('.ndjson')) ?? '';
  const bytes = files.content(journal);
  const group = bytes.subarray(bytes.lastIndexOf('{"group"'));
  files.put(journal, Buffer.concat([bytes, group.subarray(0, group.length - 20)]));
};

describe('a start on a disk that takes no changes', () => {
  for (const outage of ['full', 'read-only'] as const) {
    for (const ended of ['closed', 'killed', 'killed in a write'] as const) {
      test(`(${outage}, after one that was ${ended}) serves what is there, and takes changes by itself later`, async () => {
        const files = await diskWith(7, ended === 'closed' ? ended : 'killed');
        if (ended === 'killed in a write') tear(files);
        meet(files, outage);
        const warnings: string[] = [];
        const store = await open(files, warnings);
        if (outage === 'read-only') expect(store.health().writable).toBe(false);
        expect(await audit(store)).toBe(7);
        await expect(transfer(store, 1)).rejects.toBeInstanceOf(StoreUnavailable);
        expect(await audit(store)).toBe(7);
        expect(store.health().writable).toBe(false);
        meet(files, 'none');
        await untilWritable(store);
        expect(await transfer(store, 1)).toBe(8);
        expect(await countOn(files.afterPowerCut())).toBe(8);
        await store.close();
        expect(await countOn(files.afterKill())).toBe(8);
        expect(warnings.filter((text) => text.includes('read-only until'))).toHaveLength(1);
      });
    }
  }

  test('is refused where the directory is new, or where a sync fails', async () => {
    for (const outage of ['full', 'read-only'] as const) {
      const files = memoryFiles();
      meet(files, outage);
      await expect(open(files)).rejects.toThrow(
        /make sure that the directory is writable and its disk/,
      );
    }
    const files = await diskWith(3, 'killed');
    meet(files, 'failing syncs');
    await expect(open(files)).rejects.toThrow(
      /cannot be used as a data directory: EIO.*\n.*Copy the directory to another disk/,
    );
  });

  test('takes no changes after another server wrote the directory', async () => {
    const files = await diskWith(3, 'closed');
    // As on a file system without locks, or where a lock got lost.
    const unlocked: MemoryFiles = {
      ...files,
      open: async (...args) => ({
        ...(await files.open(...args)),
        tryLock: () => Promise.resolve('unavailable' as const),
      }),
    };
    meet(files, 'read-only');
    const store = await openBank({ dir: folder.path, files: unlocked, retryMs: 200 });
    meet(files, 'none');
    await rm(join(folder.path, 'lock'), { force: true });
    const other = await openBank({ dir: join(folder.path, 'other'), files });
    expect(await transfer(other, 1)).toBe(4);
    await other.close();
    await until(() => store.health().reason?.includes('another server') === true);
    await expect(transfer(store, 1)).rejects.toBeInstanceOf(StoreUnavailable);
    await store.close();
    expect(await countOn(files.afterKill())).toBe(4);
  });
});

describe.skipIf(!canMount)('on a real disk', () => {
  let disk: SmallDisk;
  let dir: string;
  beforeEach(() => {
    disk = mountSmallDisk(join(folder.path, 'disk'), '2m');
    dir = join(disk.dir, 'data');
  });
  afterEach(() => disk.unmount());

  const openReal = (): Promise<Store> => openBank({ dir, retryMs: 50, checkpointBytes: 50_000 });

  test('that gets full and has room again, over and over, nothing is lost and nothing refused is back', async () => {
    const store = await openReal();
    let acknowledged = 0;
    for (let times = 0; times < 5; times += 1) {
      disk.fill();
      for (let isFull = false; !isFull;) {
        await transfer(store, 1, 'x'.repeat(1_000)).then(
          (sequence) => (acknowledged = sequence),
          () => (isFull = true),
        );
      }
      expect(await audit(store)).toBe(acknowledged);
      disk.makeRoom();
      await untilWritable(store);
      acknowledged = await transfer(store, 1);
      // No files of tries that failed, and none of segments that were replaced.
      expect((await readdir(dir)).filter((name) => name.includes('.tmp'))).toEqual([]);
      expect(await audit(store)).toBe(acknowledged);
    }
    await store.close();
    const again = await openReal();
    expect(await audit(again)).toBe(acknowledged);
    await again.close();
  });

  test('that stays full, tries leave nothing on it', async () => {
    const store = await openReal();
    await transfer(store, 1);
    const before = await readdir(dir);
    disk.fill();
    await until(() =>
      transfer(store, 1, 'x'.repeat(1_000)).then(
        () => false,
        () => true,
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    // One may be under way.
    await until(async () => (await readdir(dir)).join() === before.join());
    expect(store.health().writable).toBe(false);
    await store.close();
  });

  test('that is read-only, of two stores that opened one takes changes later, and the other says so', async () => {
    const first = await openReal();
    await transfer(first, 1);
    await first.close();
    disk.setReadOnly(true);
    const stores = [await openReal(), await openReal()];
    for (const store of stores) expect(await audit(store)).toBe(1);
    disk.setReadOnly(false);
    await until(() => stores.some((store) => store.health().writable));
    await until(() =>
      stores.some((store) => store.health().reason?.includes('another server') === true),
    );
    const outcomes = await Promise.allSettled(stores.map((store) => transfer(store, 1)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const store of stores) await store.close();
    const again = await openReal();
    expect(await audit(again)).toBe(2);
    await again.close();
  });

  test.each(['full', 'read-only'] as const)(
    'that is %s at the start, the store opens read-only and takes changes later',
    async (outage) => {
      const first = await openReal();
      for (let at = 0; at < 20; at += 1) await transfer(first, at);
      await first.close();
      const before = await readdir(dir);
      if (outage === 'full') disk.fill();
      else disk.setReadOnly(true);
      const store = await openReal();
      expect(store.health()).toMatchObject({
        writable: false,
        reason: expect.stringContaining(outage === 'full' ? 'ENOSPC' : 'EROFS'),
      });
      expect(await audit(store)).toBe(20);
      await expect(transfer(store, 1)).rejects.toThrow(/read-only/);
      expect(await readdir(dir)).toEqual(before);
      if (outage === 'full') disk.makeRoom();
      else disk.setReadOnly(false);
      // It has the directory, also where its disk let it write no lock.
      await expect(openReal()).rejects.toThrow(/in use by/);
      await untilWritable(store);
      expect(await transfer(store, 1)).toBe(21);
      expect(await readdir(dir)).toContain('lock');
      await store.close();
      const again = await openReal();
      expect(await audit(again)).toBe(21);
      await again.close();
    },
  );
});

/** Disks in memory that a power cut may leave, at any moment of a life with outages. */
const disks = Math.max(200, Number(process.env['GOVCTL_POWER_CUTS'] ?? 0) / 20);
const disksPerCut = 5;

interface Cut {
  readonly disk: MemoryFiles;
  /** Transfers that are there at least, and at most. */
  readonly least: number;
  readonly most: number;
}

async function cutsOf(seed: number): Promise<readonly Cut[]> {
  const random = randomFrom(seed);
  const files = memoryFiles();
  const cuts: Cut[] = [];
  let [acknowledged, asked] = [0, 0];
  const outage = (): Outage =>
    random() < 0.5 ? 'none' : (outages[Math.floor(random() * outages.length)] ?? 'none');
  const cutAt = (): void => {
    if (random() < 0.8) return;
    for (let n = 0; n < disksPerCut; n += 1) {
      // What was refused can be there as long as the disk has not taken changes again.
      const [least, most] = [acknowledged, acknowledged + asked];
      cuts.push({ disk: files.afterSomePowerCut(random), least, most });
    }
  };
  const store = await openBank({ dir: folder.path, files, retryMs: 1, checkpointBytes: 20_000 });
  for (let round = 0; round < 12; round += 1) {
    meet(files, outage());
    const broken = files.before;
    files.before = (...change) => {
      cutAt();
      return random() < 0.5 ? broken(...change) : undefined;
    };
    asked = 1 + Math.floor(random() * 8);
    await Promise.allSettled(
      Array.from({ length: asked }, async (_, n) => {
        const pad = 'x'.repeat(Math.floor(random() ** 3 * 9_000));
        acknowledged = Math.max(acknowledged, await transfer(store, n, pad));
      }),
    );
    files.before = cutAt;
    await untilWritable(store);
    asked = 0;
    cutAt();
  }
  await store.close();
  return cuts;
}

test(`${disks} disks that a power cut may leave among outages: nothing acknowledged is lost, nothing refused is back`, async () => {
  let tried = 0;
  for (let seed = 1; tried < disks; seed += 1) {
    for (const { disk, least, most } of await cutsOf(seed)) {
      const at = `seed ${seed}, disk ${tried}`;
      const store = await openBank({ dir: folder.path, files: disk }).catch((error: unknown) => {
        throw new Error(at, { cause: error });
      });
      const count = await audit(store);
      expect(count, at).toBeGreaterThanOrEqual(least);
      expect(count, at).toBeLessThanOrEqual(most);
      expect(await transfer(store, 1), at).toBe(count + 1);
      tried += 1;
      if (tried % disksPerCut === 0) await store.close();
      else rmSync(join(folder.path, 'lock'));
    }
  }
}, 3_600_000);

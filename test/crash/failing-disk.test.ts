import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { StoreRefusal, StoreUnavailable } from '../../src/server/store/store.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { audit, openBank, transfer } from './accounts.ts';
import { failure, memoryFiles } from './memory-files.ts';
import type { Change, MemoryFiles } from './memory-files.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import { hasTool, runTool } from '../support/system-tool.ts';
import { buildWriter, startWriter } from './writer-process.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** The journal's `nth` change of a kind fails; everything else works. */
const failJournal = (
  files: MemoryFiles,
  kind: Change,
  nth: number,
  fail: (append: (bytes: Uint8Array) => void, bytes: Uint8Array) => never,
): void => {
  let seen = 0;
  files.before = (change, name, inode, bytes) => {
    if (change !== kind || !name.endsWith('.ndjson')) return;
    seen += 1;
    if (seen === nth) fail(inode?.append ?? (() => {}), bytes ?? new Uint8Array());
  };
};

describe('when the disk fails under the journal', () => {
  for (const [what, code, kind] of [
    ['a flush', 'EIO', 'sync'],
    ['a write', 'EIO', 'write'],
    ['a write for want of room, half done,', 'ENOSPC', 'write'],
  ] as const) {
    test(`${what} that fails refuses its changes and keeps the others`, async () => {
      const files = memoryFiles();
      const warnings: string[] = [];
      const store = await openBank({ dir: folder.path, files, warnings });
      for (let at = 0; at < 3; at += 1) await transfer(store, at);
      failJournal(files, kind, 1, (append, bytes) => {
        append(bytes.subarray(0, bytes.length / 2));
        throw failure(code);
      });
      const refused = await Promise.allSettled(
        Array.from({ length: 5 }, () => transfer(store, 100)),
      );
      for (const one of refused) {
        expect(one).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) });
      }
      // Reads go on, over what is durable.
      expect(await audit(store)).toBe(3);
      expect(store.health()).toEqual({ writable: false, reason: expect.stringContaining(code) });
      expect(warnings.join()).toContain('read-only');
      // The disk works again, which the store has not tried yet.
      files.before = () => {};
      await expect(transfer(store, 1)).rejects.toThrow(/read-only/);
      await expect(transfer(store, 1)).rejects.toBeInstanceOf(StoreUnavailable);
      await store.close();

      const again = await openBank({ dir: folder.path, files });
      expect(await audit(again)).toBe(3);
      expect(await transfer(again, 1)).toBe(4);
      await again.close();
    });
  }

  test('a transaction that failed over an unsaved change is told that, not its own error', async () => {
    const files = memoryFiles();
    const store = await openBank({ dir: folder.path, files });
    failJournal(files, 'sync', 1, () => {
      throw failure('EIO');
    });
    const first = transfer(store, 1);
    // It sees the first one's change, which then turns out never to have been made.
    const second = store.transact(async () => {
      throw new Error('there is one already');
    });
    await expect(first).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(second).rejects.toBeInstanceOf(StoreUnavailable);
    await store.close();
  });

  test('a checkpoint that can’t be written is told; the journal goes on and nothing is lost', async () => {
    const files = memoryFiles();
    const warnings: string[] = [];
    const store = await openBank({ dir: folder.path, files, warnings, checkpointBytes: 1000 });
    files.before = (change, name) => {
      if (change === 'write' && name.endsWith('.tmp')) throw failure('ENOSPC');
    };
    for (let at = 0; at < 30; at += 1) await transfer(store, at);
    expect(store.health().writable).toBe(true);
    expect(warnings.join()).toContain('writing the checkpoints failed');
    await store.close();
    const again = await openBank({ dir: folder.path, files: files.afterKill() });
    expect(await audit(again)).toBe(30);
    await again.close();
  });

  test('a segment that can’t be begun leaves the journal in the one before', async () => {
    for (const kind of ['create', 'sync', 'syncFolder'] as const) {
      const files = memoryFiles();
      const store = await openBank({ dir: folder.path, files, checkpointBytes: 1000 });
      let broken = true;
      files.before = (change, name) => {
        if (broken && change === kind && !/-0{16}\./.test(name)) throw failure('EIO');
      };
      for (let at = 0; at < 15; at += 1) await transfer(store, at);
      expect(store.health().writable).toBe(true);
      const killed = await openBank({ dir: join(folder.path, kind), files: files.afterKill() });
      expect(await audit(killed)).toBe(15);
      await killed.close();
      broken = false;
      for (let at = 0; at < 15; at += 1) await transfer(store, at);
      await store.close();
      const again = await openBank({ dir: folder.path, files });
      expect(await audit(again)).toBe(30);
      await again.close();
    }
  });

  test('a folder that can’t be read is a refusal that says so', async () => {
    const files = memoryFiles();
    files.list = async () => {
      throw failure('EACCES');
    };
    const opened = openBank({ dir: folder.path, files });
    await expect(opened).rejects.toBeInstanceOf(StoreRefusal);
    await expect(opened).rejects.toThrow(/cannot be used as a data directory: EACCES/);
  });
});

describe('when a real disk fails', () => {
  let script: string;
  beforeAll(async () => {
    script = await buildWriter();
  });
  afterAll(() => rm(dirname(script), { recursive: true }));

  /** Every caller is refused; readers and the next start see what was acknowledged, and nothing else. */
  const checkRefused = (writer: ReturnType<typeof startWriter>, code: string): number => {
    const lines = writer.lines();
    const acknowledged = writer.acknowledged().length;
    expect(acknowledged).toBeGreaterThan(0);
    expect(lines.filter((line) => line.startsWith('refused StoreUnavailable'))).toHaveLength(8);
    expect(lines).toContain(`holds ${acknowledged}`);
    expect(lines.find((line) => line.startsWith('reason '))).toContain(code);
    expect(lines.at(-1)).toBe('closed');
    return acknowledged;
  };

  const strace = hasTool('strace', () => runTool('strace', '-V'));
  test.skipIf(!strace)(
    'flushes that fail (EIO) lose nothing and show nothing refused',
    async () => {
      const dir = join(folder.path, 'data');
      const journal = join(dir, 'journal-0000000000000000.ndjson');
      const inject = 'inject=fdatasync:error=EIO:when=20+';
      const writer = startWriter('strace', [
        ...['-f', '-o', '/dev/null', '-P', journal, '-e', 'trace=fdatasync', '-e', inject],
        ...[process.execPath, script, dir, '8', '100000000'],
      ]);
      await writer.ended;
      const acknowledged = checkRefused(writer, 'EIO');
      const store = await openBank({ dir });
      expect(await audit(store)).toBe(acknowledged);
      await store.close();
    },
  );

  test.skipIf(!canMount)(
    'a full disk (ENOSPC) loses nothing and shows nothing refused',
    async () => {
      const disk = mountSmallDisk(join(folder.path, 'disk'), '1m');
      const { dir } = disk;
      try {
        const writer = startWriter(process.execPath, [script, dir, '8', '100000000']);
        await writer.ended;
        const acknowledged = checkRefused(writer, 'ENOSPC');
        disk.resize('8m');
        const store = await openBank({ dir });
        expect(await audit(store)).toBe(acknowledged);
        expect(await transfer(store, 1)).toBe(acknowledged + 1);
        await store.close();
      } finally {
        disk.unmount();
      }
    },
  );
});

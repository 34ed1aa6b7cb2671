import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from '../../../../src/server/store/lowdb/lock.ts';
import { StoreRefusal } from '../../../../src/server/store/store.ts';
import { tempFolder } from './temp-folder.ts';
import type { TempFolder } from './temp-folder.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** The lock as this process writes it, changed as a test wants it, and left there. */
const leaveLock = async (changes: object): Promise<void> => {
  const lock = await lockFolder(folder.path);
  const path = join(folder.path, 'lock');
  const holder = JSON.parse(await readFile(path, 'utf8')) as object;
  await lock.release();
  await writeFile(path, JSON.stringify({ ...holder, ...changes }));
};

const canLock = async (): Promise<void> => {
  const lock = await lockFolder(folder.path);
  expect(await readdir(folder.path)).toEqual(['lock']);
  await lock.release();
  expect(await readdir(folder.path)).toEqual([]);
};

describe('the lock of a data folder', () => {
  test('keeps a second opening out, of this process too, until it is released', async () => {
    const lock = await lockFolder(folder.path);
    await expect(lockFolder(folder.path)).rejects.toBeInstanceOf(StoreRefusal);
    await expect(lockFolder(folder.path)).rejects.toThrow(
      `${folder.path} is in use by this process`,
    );
    await lock.release();
    await canLock();
  });

  test('names the live process that holds it', async () => {
    const child = spawn('sleep', ['60']);
    try {
      const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8').catch(() => '');
      const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      await leaveLock({ pid: child.pid, started });
      await expect(lockFolder(folder.path)).rejects.toThrow(`process ${child.pid}`);
    } finally {
      child.kill();
    }
  });

  test('of a killed process that its parent never asked for doesn’t count', async () => {
    // The shell becomes a process that waits for no child.
    const parent = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 60']);
    try {
      const pid = await new Promise<number>((resolve) => {
        parent.stdout.once('data', (text: Buffer) => resolve(Number(text.toString())));
      });
      const stat = (): Promise<string> => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      await expect.poll(async () => (await stat()).replace(/.*\) /s, '')[0]).toBe('Z');
      const fields = (await stat()).replace(/.*\) /s, '').split(' ');
      await leaveLock({ pid, started: fields[19] });
      await canLock();
    } finally {
      parent.kill();
    }
  });

  test('of a process that is gone doesn’t count', async () => {
    const child = spawn('true');
    await new Promise((resolve) => child.on('close', resolve));
    await leaveLock({ pid: child.pid });
    await canLock();
  });

  test('of an earlier boot doesn’t count, even if the number is in use again', async () => {
    await leaveLock({ boot: 'another' });
    await canLock();
  });

  test.runIf(process.platform === 'linux')(
    'of a container that was restarted doesn’t count: same number, started at another time',
    async () => {
      await leaveLock({ started: '1' });
      await canLock();
    },
  );

  test('that can’t be read as one doesn’t count', async () => {
    for (const content of ['', '{"pid":', 'null', '[]', '{"pid":"1"}']) {
      await writeFile(join(folder.path, 'lock'), content);
      await canLock();
    }
  });

  test('where the start time is unknown, the process alone decides', async () => {
    await leaveLock({ started: undefined, boot: undefined });
    await expect(lockFolder(folder.path)).rejects.toThrow('in use');
  });

  test('a takeover that a crash interrupted doesn’t block the next', async () => {
    await leaveLock({ boot: 'another' });
    await writeFile(join(folder.path, 'lock.takeover'), await readFile(join(folder.path, 'lock')));
    await canLock();
  });

  test('of many that come one after the other exactly one takes over a dead one’s', async () => {
    for (let round = 0; round < 20; round += 1) {
      await leaveLock({ boot: 'another' });
      const tries = await Promise.allSettled(
        Array.from({ length: 20 }, async (_, at) => {
          // Some look at the dead one's lock while others are already replacing it.
          await new Promise((resolve) => setTimeout(resolve, at / 4));
          return lockFolder(folder.path);
        }),
      );
      const taken = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(taken).toHaveLength(1);
      await taken[0]?.release();
    }
  });
});

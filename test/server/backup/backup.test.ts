import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFile,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeBackup } from '../../../src/server/backup/backup.ts';
import type { Backup, BackupOptions } from '../../../src/server/backup/backup.ts';
import { readList, writeList } from '../../../src/server/backup/list.ts';
import { restoreBackup } from '../../../src/server/backup/restore.ts';
import { verifyDirectory } from '../../../src/server/backup/verify.ts';
import type { Verified } from '../../../src/server/backup/verify.ts';
import { nodeFiles } from '../../../src/server/store/lowdb/file-layer.ts';
import type { FileLayer } from '../../../src/server/store/lowdb/file-layer.ts';
import { until } from '../../support/until.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';
import type { TempFolder } from '../store/lowdb/temp-folder.ts';
import { isAllowed, runTool } from '../../support/system-tool.ts';
import { change, changesIn, modules, openThings } from './things.ts';

/** More of them in CI. */
const rounds = Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 2);

let folder: TempFolder;
let source: string;
beforeEach(async () => {
  folder = await tempFolder();
  source = path.join(folder.path, 'data');
});
afterEach(() => folder.remove());

const reading = { signal: new AbortController().signal, progress: () => undefined };

const backUp = (target: string, options: Partial<BackupOptions> = {}): Promise<Backup> =>
  makeBackup(
    {
      ...{ ...reading, source, version: '1.2.3', now: Date.now, withSecretKey: true },
      target: path.join(folder.path, target),
      ...options,
    },
    modules,
  );

const verify = (name: string): Promise<Verified> =>
  verifyDirectory({ ...reading, dir: path.join(folder.path, name) }, modules);

const restore = (name: string, target: string, force = false) =>
  restoreBackup(
    {
      ...{ ...reading, force, now: () => Date.UTC(2026, 0, 15, 12) },
      dir: path.join(folder.path, name),
      target: path.join(folder.path, target),
    },
    modules,
  );

/** A data directory with this many changes, of which the last five are in the journal only. */
async function makeData(changes: number): Promise<void> {
  const store = await openThings(source);
  for (let n = 1; n <= changes - 5; n += 1) await change(store, n, Buffer.alloc(300, n));
  await store.close();
  const again = await openThings(source, 1 << 30);
  for (let n = changes - 4; n <= changes; n += 1) await change(again, n, Buffer.alloc(300, n));
  // As a kill leaves it: the store is never closed.
  execFileSync('cp', ['-r', source, `${source}.killed`]);
  await again.close();
  await rm(source, { recursive: true });
  await rename(`${source}.killed`, source);
  await writeFile(path.join(source, 'secret.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`);
  await mkdir(path.join(source, 'uses'));
  await writeFile(path.join(source, 'uses', '2026-01-15.ndjson'), '{"a":1}\n{"a":2}\n{"a"');
}

const filesOf = (dir: string): string[] =>
  execFileSync('find', [dir, '-type', 'f'], { encoding: 'utf8' }).trim().split('\n').sort();

describe('a backup', () => {
  it('taken while a store writes, folds and removes files has every change that was acknowledged before, whole', async () => {
    const store = await openThings(source);
    let acknowledged = 0;
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        await change(store, acknowledged + 1, Buffer.alloc(1_000, acknowledged));
        acknowledged += 1;
      }
    })();
    for (let at = 1; at <= Math.min(20, 3 * rounds); at += 1) {
      const before = acknowledged;
      const backup = await backUp(`b${at}`);
      const after = acknowledged;
      expect(backup.damage).toEqual([]);
      expect(await verify(`b${at}`)).toMatchObject({ kind: 'backup', intact: true, damage: [] });
      expect(await verify('data')).toMatchObject({ kind: 'data_directory', damage: [] });
      await restore(`b${at}`, `r${at}`);
      const restored = await openThings(path.join(folder.path, `r${at}`));
      const changes = await changesIn(restored);
      expect(changes).toBeGreaterThanOrEqual(before);
      expect(changes).toBeLessThanOrEqual(after + 1);
      await change(restored, changes + 1, Buffer.from('it goes on'));
      expect(await changesIn(restored)).toBe(changes + 1);
      await restored.close();
    }
    isOver = true;
    await writing;
    await store.close();
  });

  it('has what a killed server left, the key, and whole lines of the record of uses; readable by the owner only', async () => {
    await makeData(20);
    await appendFile(path.join(source, 'journal-0000000000000015.ndjson'), '{"group":{"fr');
    const before = filesOf(source).map((file) => [file, createHash('sha256')]);
    const backup = await backUp('b');
    expect(filesOf(source)).toHaveLength(before.length);
    expect(backup).toMatchObject({ commit: 20, secret_key: true, records: { things: 11 } });
    const dir = path.join(folder.path, 'b');
    expect(await readFile(path.join(dir, 'uses', '2026-01-15.ndjson'), 'utf8')).toBe(
      '{"a":1}\n{"a":2}\n',
    );
    expect(await readdir(dir)).not.toContain('lock');
    const modes = execFileSync('find', [dir, '-printf', '%y %m\n'], { encoding: 'utf8' });
    expect(new Set(modes.trim().split('\n'))).toEqual(new Set(['d 700', 'f 600']));
    const verified = await verify('b');
    expect(verified).toMatchObject({
      ...{ intact: true, notes: [], last_commit: 20, version: '1.2.3', secret_key: true },
      ...{ files: { count: 10, bytes: 3_000, unused: 0 }, waiting: { lanes: 10 } },
    });
    expect((await verify('data')).notes).toEqual([
      expect.stringContaining('the last 13 bytes belong to a change that is being written'),
    ]);
  });

  it('of a server whose disk failed and works again has what was acknowledged, and nothing that was refused', async () => {
    let isFailing = false;
    const files: FileLayer = {
      ...nodeFiles,
      async open(name, mode) {
        const file = await nodeFiles.open(name, mode);
        const fail = (): void => {
          if (isFailing && name.includes('journal-')) throw new Error('EIO');
        };
        return {
          ...file,
          async sync() {
            fail();
            await file.sync();
          },
          // What was refused stays in the file.
          async truncate(size) {
            fail();
            await file.truncate(size);
          },
        };
      },
    };
    const store = await openThings(source, 1 << 30, files);
    for (let n = 1; n <= 3; n += 1) await change(store, n, Buffer.from('x'));
    isFailing = true;
    await expect(store.transact((tx) => tx.next('things'))).rejects.toThrow(/not saved/);
    isFailing = false;
    await until(() => store.health().writable);
    for (let n = 4; n <= 5; n += 1) await change(store, n, Buffer.from('x'));
    await backUp('b');
    await store.close();
    expect(await verify('b')).toMatchObject({ intact: true, notes: [] });
    await restore('b', 'r');
    const restored = await openThings(path.join(folder.path, 'r'));
    expect(await changesIn(restored)).toBe(5);
    await restored.close();
  });

  it('leaves out the key where that is asked for, and a restore works without it', async () => {
    await makeData(6);
    const backup = await backUp('b', { withSecretKey: false });
    expect(backup.secret_key).toBe(false);
    expect(await readdir(path.join(folder.path, 'b'))).not.toContain('secret.key');
    const { verified } = await restore('b', 'r');
    expect(verified).toMatchObject({ intact: true, secret_key: false });
  });

  it('replaces nothing, is not made inside the data directory, and needs one', async () => {
    await makeData(6);
    await mkdir(path.join(folder.path, 'there'));
    await writeFile(path.join(folder.path, 'there', 'mine'), 'mine');
    await expect(backUp('there')).rejects.toMatchObject({ error: 'file_error' });
    expect(await readdir(path.join(folder.path, 'there'))).toEqual(['mine']);
    await writeFile(path.join(folder.path, 'file'), 'mine');
    await expect(backUp('file')).rejects.toMatchObject({ error: 'file_error' });
    await expect(backUp('data/blobs/b')).rejects.toMatchObject({ error: 'usage_error' });
    await mkdir(path.join(folder.path, 'other.partial'));
    await writeFile(path.join(folder.path, 'other.partial', 'mine'), 'mine');
    await expect(backUp('other')).rejects.toMatchObject({ message: /is in the way/ });
    const empty = path.join(folder.path, 'empty');
    await mkdir(empty);
    await expect(backUp('b', { source: empty })).rejects.toThrow(/is not a govctl data directory/);
    expect((await readdir(folder.path)).sort()).toEqual(
      ['data', 'empty', 'file', 'other.partial', 'there'].sort(),
    );
  });

  it('leaves nothing where it is interrupted, and begins anew where it was killed', async () => {
    await makeData(20);
    const controller = new AbortController();
    const interrupted = backUp('b', {
      signal: controller.signal,
      progress: (_, bytes) => void (bytes > 5_000 && controller.abort()),
    });
    await expect(interrupted).rejects.toThrow();
    expect(await readdir(folder.path)).toEqual(['data']);
    const left = path.join(folder.path, 'b.partial');
    await mkdir(path.join(left, 'blobs'), { recursive: true });
    await writeFile(path.join(left, 'unfinished'), '{"pid":999999999}');
    await writeFile(path.join(left, 'blobs', 'old'), 'old');
    await backUp('b');
    expect((await verify('b')).intact).toBe(true);
    expect(await readdir(folder.path)).toEqual(['b', 'data']);
    // Killed while it took the lock, which has another name at first.
    await mkdir(path.join(folder.path, 'c.partial'));
    await writeFile(path.join(folder.path, 'c.partial', 'unfinished.1f0c'), '{"pid":999999999}');
    await backUp('c');
    expect(await readdir(path.join(folder.path, 'c'))).not.toContain('unfinished.1f0c');
    expect((await verify('c')).intact).toBe(true);
  });

  it('tells of a file that the data directory has lost, and is made all the same', async () => {
    await makeData(20);
    await rm(path.join(source, 'blobs', 'blob_15'));
    await writeFile(path.join(source, 'blobs', 'blob_16'), Buffer.alloc(300));
    const backup = await backUp('b');
    expect(backup.damage).toEqual([
      'blobs/blob_15: missing',
      'blobs/blob_16: does not match its checksum',
    ]);
    expect(await verify('data')).toMatchObject({
      damage: [
        {
          file: 'blobs/blob_15',
          what: 'the file is missing',
          lost: 'a file of thing_15 (things)',
          way_out: 'Stop the server and copy blobs/blob_15 from a backup.',
        },
        { file: 'blobs/blob_16' },
      ],
    });
  });

  it('is no directory for a server, and neither is one that was not completed', async () => {
    await makeData(6);
    await backUp('b');
    const dir = path.join(folder.path, 'b');
    await expect(openThings(dir)).rejects.toThrow(/is a backup, which a server must not change/);
    expect((await verify('b')).intact).toBe(true);
    await writeFile(path.join(dir, 'unfinished'), '{}');
    await expect(openThings(dir)).rejects.toThrow(/is not complete/);
    expect(await verify('b')).toMatchObject({ intact: false, damage: [{ file: 'unfinished' }] });
  });
});

describe('verify', () => {
  it('finds every flipped bit, wherever it is in a backup', async () => {
    await makeData(8);
    await backUp('b');
    const dir = path.join(folder.path, 'b');
    const files = await Promise.all(
      filesOf(dir).map(async (file) => ({ file, size: (await stat(file)).size })),
    );
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const flip = async (at: number, bit: number): Promise<string> => {
      let rest = at;
      const found = files.find(({ size }) => (rest -= size) < 0) ?? { file: '', size: 0 };
      const file = await open(found.file, 'r+');
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, rest + found.size);
      await file.write(Buffer.of((byte[0] ?? 0) ^ (1 << bit)), 0, 1, rest + found.size);
      await file.close();
      return path.relative(dir, found.file);
    };
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes - 1), fc.nat(7), async (at, bit) => {
        const file = await flip(at, bit);
        const { intact, damage } = await verify('b');
        await flip(at, bit);
        expect([intact, damage.map((one) => one.file)]).toEqual([
          false,
          expect.arrayContaining([file]),
        ]);
      }),
      { numRuns: 25 * rounds },
    );
    expect((await verify('b')).intact).toBe(true);
  });

  it('finds each file that is missing, shortened or has more in it', async () => {
    await makeData(6);
    await backUp('b');
    const dir = path.join(folder.path, 'b');
    for (const file of filesOf(dir)) {
      const name = path.relative(dir, file);
      const content = await readFile(file);
      await rm(file);
      // Without its list, it is a data directory.
      const { kind, intact } = await verify('b');
      expect([name, kind === 'backup' && intact]).toEqual([name, false]);
      for (const other of [content.subarray(0, -2), Buffer.concat([content, Buffer.from('x\n')])]) {
        await writeFile(file, other);
        expect([name, (await verify('b')).intact]).toEqual([name, false]);
      }
      await writeFile(file, content);
    }
    await writeFile(path.join(dir, 'mine.txt'), 'mine');
    const { intact, notes } = await verify('b');
    expect([intact, notes]).toEqual([
      true,
      ['mine.txt is not part of the backup; restore ignores it'],
    ]);
  });

  it('says of a damaged data directory which file, which line, what is lost and what to do', async () => {
    await makeData(20);
    const damage = async (name: string, at: number): Promise<void> => {
      const file = path.join(source, name);
      const content = await readFile(file);
      content[at] = (content[at] ?? 0) ^ 1;
      await writeFile(file, content);
    };
    await damage('things.json', 400);
    await damage('others.json', 20);
    const verified = await verify('data');
    expect(verified.damage).toEqual([
      {
        file: 'things.json',
        line: expect.any(Number),
        what: expect.stringContaining('its checksum does not match'),
        lost: 'records: things',
        way_out: expect.stringContaining(`cp ${source}/things.json.bak ${source}/things.json`),
      },
      expect.objectContaining({ file: 'others.json', line: 1 }),
    ]);
    execFileSync('cp', [`${source}/things.json.bak`, `${source}/things.json`]);
    execFileSync('cp', [`${source}/others.json.bak`, `${source}/others.json`]);
    expect((await verify('data')).intact).toBe(true);
    await truncate(path.join(source, 'journal-0000000000000015.ndjson'), 1_000);
    expect((await verify('data')).damage).toMatchObject([{ lost: expect.any(String) }]);
    await expect(backUp('b')).rejects.toThrow(/journal/);
    expect(await readdir(folder.path)).toEqual(['data']);
  });

  it('refuses what is neither a backup nor a data directory', async () => {
    await mkdir(path.join(folder.path, 'mine'));
    await writeFile(path.join(folder.path, 'mine', 'a.json'), '{}');
    await expect(verify('mine')).rejects.toMatchObject({ error: 'file_error' });
  });

  it.each(['secret.key', 'backup.json', 'blobs/blob_15', 'mine.json'])(
    'and a restore wait for no pipe that is called %s',
    async (name) => {
      await makeData(20);
      await backUp('b');
      const pipe = path.join(folder.path, 'b', name);
      await rm(pipe, { force: true });
      runTool('mkfifo', pipe);
      const refusal = { error: 'file_error', message: `${pipe} is not a file` };
      await expect(verify('b')).rejects.toMatchObject(refusal);
      await expect(restore('b', 'r')).rejects.toMatchObject(refusal);
      expect((await readdir(folder.path)).sort()).toEqual(['b', 'data']);
    },
  );

  const mounting = isAllowed('the right to mount a tmpfs', () =>
    runTool('unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'),
  );

  it.skipIf(!mounting)('changes nothing: it works where nothing can be written', async () => {
    await makeData(20);
    await backUp('b');
    const disk = path.join(folder.path, 'disk');
    await mkdir(disk);
    runTool('mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk);
    try {
      execFileSync('cp', ['-r', source, path.join(folder.path, 'b'), disk]);
      runTool('mount', '-o', 'remount,ro', disk);
      expect((await verify('disk/b')).intact).toBe(true);
      expect((await verify('disk/data')).intact).toBe(true);
    } finally {
      runTool('umount', '-l', disk);
    }
  });

  it.skipIf(!mounting)(
    'a disk that is too small for a backup, or a restore, has nothing of it afterwards',
    async () => {
      await makeData(20);
      await backUp('b');
      const disk = path.join(folder.path, 'disk');
      await mkdir(disk);
      for (const size of ['32k', '48k', '64k', '80k']) {
        runTool('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk);
        try {
          await expect(backUp('disk/b2')).rejects.toMatchObject({
            error: 'file_error',
            message: expect.stringContaining('no space left on device'),
          });
          await expect(restore('b', 'disk/r')).rejects.toMatchObject({ error: 'file_error' });
          expect(await readdir(disk)).toEqual([]);
        } finally {
          runTool('umount', '-l', disk);
        }
      }
    },
  );
});

describe('a restore', () => {
  it.each([
    ['above it', '../outside.json'],
    ['below a folder and above it', 'blobs/../../outside.json'],
    ['anywhere', '/tmp/outside.json'],
    ['with a separator of Windows', 'blobs\\..\\..\\outside.json'],
  ])('writes no file %s, whatever a backup lists', async (_, name) => {
    await makeData(20);
    await backUp('from/b');
    const dir = path.join(folder.path, 'from', 'b');
    const bytes = Buffer.from('mine');
    await writeFile(path.join(folder.path, 'from', 'outside.json'), bytes);
    const list = await readList(nodeFiles, dir);
    if (!list) throw new Error('no list');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const files = new Map([...list.files, [name, { size: bytes.length, sha256 }]]);
    await writeList(dir, { ...list, files });
    await expect(restore('from/b', 'to/data')).rejects.toThrow(
      `backup.json:${files.size + 2}: this line is not one of a backup`,
    );
    expect((await readdir(folder.path)).sort()).toEqual(['data', 'from']);
    expect((await verify('from/b')).damage).toMatchObject([
      { file: 'backup.json', line: files.size + 2, what: 'this line is not one of a backup' },
    ]);
  });

  it('refuses a damaged backup, and a directory with anything in it', async () => {
    await makeData(20);
    await backUp('b');
    await symlink('nowhere', path.join(folder.path, 'link'));
    for (const there of ['data', 'link']) {
      await expect(restore('b', there)).rejects.toThrow(`${there} is not an empty directory`);
    }
    await rm(path.join(folder.path, 'link'));
    await expect(restore('data', 'r')).rejects.toThrow(/is not a backup/);
    await appendFile(path.join(folder.path, 'b', 'blobs', 'blob_15'), 'x');
    const { verified, replaced } = await restore('b', 'data', true);
    expect([verified.intact, replaced]).toEqual([false, undefined]);
    expect((await readdir(folder.path)).sort()).toEqual(['b', 'data']);
  });

  it('gives the old directory another name with --force, but never one that a server uses', async () => {
    const store = await openThings(source);
    await change(store, 1, Buffer.from('x'));
    await backUp('b');
    await change(store, 2, Buffer.from('x'));
    await expect(restore('b', 'data', true)).rejects.toThrow(/is in use/);
    await store.close();
    const { replaced } = await restore('b', 'data', true);
    expect(replaced).toBe(`${source}.replaced-20260115120000`);
    const [now, before] = [await openThings(source), await openThings(replaced ?? '')];
    expect([await changesIn(now), await changesIn(before)]).toEqual([1, 2]);
    await now.close();
    await before.close();
  });

  it('that was killed between the two renames keeps a server from starting empty', async () => {
    await makeData(6);
    await backUp('b');
    await restore('b', 'data.partial');
    await writeFile(path.join(folder.path, 'data.partial', 'unfinished'), '{}');
    await rename(source, `${source}.replaced-1`);
    await expect(openThings(source)).rejects.toThrow(/is from an interrupted restore/);
    await restore('b', 'data');
    const store = await openThings(source);
    expect(await changesIn(store)).toBe(6);
    await store.close();
  });
});

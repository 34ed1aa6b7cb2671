import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { takeLock } from '../../src/lock/lock.ts';
import { sealLine } from '../../src/server/store/lowdb/checked-line.ts';
import { nodeFiles } from '../../src/server/store/lowdb/file-layer.ts';
import { StoreRefusal } from '../../src/server/store/store.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { projectRoot, runCli } from '../support/built-cli.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import { hasTool, runTool } from '../support/system-tool.ts';
import { openBank, transfer } from './accounts.ts';
import { failure } from './memory-files.ts';

let folder: TempFolder;
/** As a server left it that was killed. */
let dir: string;
beforeEach(async () => {
  folder = await tempFolder();
  dir = join(folder.path, 'data');
  const lived = join(folder.path, 'lived');
  const store = await openBank({ dir: lived });
  for (let at = 0; at < 5; at += 1) await transfer(store, at);
  await cp(lived, dir, { recursive: true, filter: (path) => !path.endsWith('/lock') });
  await store.close();
});
afterEach(() => folder.remove());

/** All that lies there, with its content: a start that is refused changes nothing. */
const contentOf = async (path: string): Promise<Map<string, string>> =>
  new Map(
    await Promise.all(
      (await readdir(path))
        .sort()
        .map(async (name) => [name, await readFile(join(path, name), 'utf8')] as const),
    ),
  );

const expectRefused = async (message: RegExp, files = nodeFiles): Promise<void> => {
  const before = await contentOf(dir);
  const opened = openBank({ dir, files });
  await expect(opened).rejects.toBeInstanceOf(StoreRefusal);
  await expect(opened).rejects.toThrow(message);
  expect(await contentOf(dir)).toEqual(before);
};

describe('a start that is refused leaves no lock and no half of a file', () => {
  test('where a newer version wrote the directory', async () => {
    const path = join(dir, 'store.json');
    const newer = (await readFile(path, 'utf8'))
      .replace('govctl-store/2', 'govctl-store/9')
      .replace(/,"crc32":.*\n$/, '');
    await writeFile(path, sealLine(newer, '}\n').bytes);
    await expectRefused(/written by a newer version of govctl/);
  });

  test('where the journal is damaged', async () => {
    const path = join(dir, 'journal-0000000000000000.ndjson');
    const lines = (await readFile(path, 'utf8')).split('\n');
    lines[1] = lines[1]?.replace('{', '[') ?? '';
    await writeFile(path, lines.join('\n'));
    await expectRefused(/ndjson:1: from this line on the journal is damaged/);
  });

  test('where files may not be opened', async () => {
    const open: typeof nodeFiles.open = (path, mode) =>
      mode === 'append' ? Promise.reject(failure('EACCES')) : nodeFiles.open(path, mode);
    await expectRefused(/cannot be used as a data directory: EACCES/, { ...nodeFiles, open });
  });

  test('where another server has the directory, whose lock file stays', async () => {
    const store = await openBank({ dir });
    await expectRefused(/in use by this process/);
    expect(await readdir(dir)).toContain('lock');
    await store.close();
    expect(await readdir(dir)).not.toContain('lock');
  });

  test.skipIf(!canMount)('where the disk is full and the directory new', async () => {
    const disk = mountSmallDisk(join(folder.path, 'disk'), '1m');
    try {
      disk.fill();
      const data = join(disk.dir, 'data');
      const { exitCode, stderr } = await runCli(['server', '--port', '0', '--data-dir', data]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`${data} cannot be used as a data directory: ENOSPC`);
      expect(stderr).toContain('make sure that the directory is writable and its disk has space');
      expect(await readdir(data)).toEqual([]);
      await expect(takeLock(join(data, 'lock'))).rejects.toThrow('ENOSPC');
      expect(await readdir(data)).toEqual([]);
    } finally {
      disk.unmount();
    }
  });
});

describe('a directory that is made for the data', () => {
  const strace = hasTool('strace', () => runTool('strace', '-V'));
  test.skipIf(!strace)('has its name on disk, and so have its parents that are new', () => {
    const log = join(folder.path, 'calls');
    const made = join(folder.path, 'a', 'b', 'c');
    // Ends after the directory was made: there is no such address to listen on.
    const server = ['server', '--host', '203.0.113.1', '--data-dir', made];
    const calls = ['-e', 'trace=mkdir,fsync', process.execPath, join(projectRoot, 'bin/govctl.js')];
    expect(() => runTool('strace', '-f', '-y', '-o', log, ...calls, ...server)).toThrow(
      '203.0.113.1',
    );
    const done = readFileSync(log, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, call, path] = /(mkdir|fsync)\((?:"|\d+<)([^">]*)/.exec(line) ?? [];
        return path?.startsWith(folder.path) && line.endsWith('= 0') ? [`${call} ${path}`] : [];
      });
    const { path } = folder;
    expect(
      done.filter((call) => !call.includes(`${made}/`) && !call.endsWith(`fsync ${made}`)),
    ).toEqual([
      ...[`mkdir ${path}/a`, `fsync ${path}`],
      ...[`mkdir ${path}/a/b`, `fsync ${path}/a`],
      ...[`mkdir ${path}/a/b/c`, `fsync ${path}/a/b`],
    ]);
  });
});

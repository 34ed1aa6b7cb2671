import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startServer } from '../../../src/server/start.ts';
import type { Outcome } from '../../support/fake-world.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'govctl-backup-'));
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, store: 'lowdb', allowTargets: [], metrics: false },
    ...{ dataDir: path.join(folder, 'data'), logLevel: 'silent' },
  });
  await server.stop();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (...argv: readonly string[]): Promise<Outcome> =>
  runCommandLine(
    argv,
    createFakeWorld({ cwd: folder, tty: true, columns: 80, env: { NO_COLOR: '1', TERM: 'dumb' } }),
  );

const minute = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/;

it('saves, verifies and restores, and says so in lines of 80 columns', async () => {
  const saved = await run('server', 'backup', 'b', '--data-dir', 'data');
  expect([saved.exitCode, saved.stderr]).toEqual([0, '']);
  expect(saved.stdout).toContain('in b\n');
  expect(saved.stdout).toMatch(minute);
  const verified = await run('server', 'verify', 'b');
  expect([verified.exitCode, verified.stdout.split(' ')[0]]).toEqual([0, expect.stringContaining('Intact')]); // prettier-ignore
  expect(verified.stdout).toContain('audit log    entries 1 to 1, no gap');
  const restored = await run('server', 'restore', 'b', '--data-dir', 'new');
  expect([restored.exitCode, restored.stdout]).toEqual([
    0,
    expect.stringContaining('start with   govctl server --data-dir new\n'),
  ]);
  await writeFile(path.join(folder, 'b', 'store.json'), '{}');
  const damaged = await run('server', 'verify', 'b');
  expect([damaged.exitCode, damaged.stdout]).toEqual([
    1,
    expect.stringContaining('fix      Use a different, intact backup.'),
  ]);
  const refused = await run('server', 'restore', 'b', '--data-dir', 'new2');
  expect([refused.exitCode, refused.stderr]).toEqual([1, 'Nothing was restored.\n']);
  for (const { stdout } of [saved, verified, restored, damaged, refused]) {
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});

it('prints all of it as JSON', async () => {
  const saved = await run('server', 'backup', 'b', '--data-dir', 'data', '-o', 'json');
  expect(JSON.parse(saved.stdout)).toMatchObject({ format_version: 1, dir: 'b', damage: [] });
  const verified = await run('server', 'verify', 'b', '-o', 'json');
  expect(JSON.parse(verified.stdout)).toMatchObject({
    ...{ format_version: 1, dir: 'b', kind: 'backup', intact: true, damage: [], notes: [] },
    ...{ records: { api_keys: 1 }, audit_log: { entries: 1, first: 1, last: 1 } },
  });
  const restored = await run('server', 'restore', 'b', '--data-dir', 'new', '-o', 'json');
  expect(JSON.parse(restored.stdout)).toMatchObject({ restored: true, data_dir: 'new' });
});

it('tells what is missing or does not go together before anything is done', async () => {
  await mkdir(path.join(folder, 'dir'));
  await writeFile(path.join(folder, 'file'), 'x');
  for (const [argv, error] of [
    [['restore', 'dir'], 'dir is a directory: --data-dir is missing'],
    [['restore', 'file', '--data-dir', 'new'], 'file is not a backup: it is not a directory'],
    [['restore', 'nothing', '--data-dir', 'new'], 'nothing does not exist'],
    [
      ['restore', 'dir', '--data-dir', 'new', '--new-secrets'],
      '--new-secrets is only for snapshots',
    ],
    [['restore', 'dir', '--data-dir', 'new'], 'is not a backup'],
    [['verify', 'dir'], 'is neither a backup nor a data directory'],
    [['verify', 'nothing'], '/nothing: no such file or directory'],
    [['backup', 'b', '--data-dir', 'nothing'], '/nothing: no such file or directory'],
    [['backup', 'b', '--data-dir', 'nothing'], 'stores its data in .govctl/data'],
    [['backup', 'b', '--data-dir', 'dir'], 'is not a govctl data directory'],
    [['backup', ''], 'the backup is empty'],
  ] as const) {
    const { exitCode, stderr } = await run('server', ...argv);
    expect([argv, exitCode === 0, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      argv,
      false,
      expect.stringContaining(error),
    ]);
    expect(stderr).not.toMatch(/ENOENT|realpath|lstat/);
  }
});

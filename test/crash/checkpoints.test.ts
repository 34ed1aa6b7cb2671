import { afterEach, beforeEach, expect, test } from 'vitest';
import { serverState } from '../../src/server/keys/collection.ts';
import { systemHandlers } from '../../src/server/observe/health.ts';
import { createMetrics } from '../../src/server/observe/metrics.ts';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import type { Store } from '../../src/server/store/store.ts';
import { collections, lanes } from '../../src/server/wiring/modules.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { noLog } from '../support/no-log.ts';
import { until } from '../support/until.ts';
import { failure, memoryFiles } from './memory-files.ts';
import type { MemoryFiles } from './memory-files.ts';

let folder: TempFolder;
let files: MemoryFiles;
let store: Store;
beforeEach(async () => {
  folder = await tempFolder();
  files = memoryFiles();
  const dir = folder.path;
  store = await openLowdbStore({
    dir,
    collections,
    lanes,
    files,
    retryMs: 1,
    checkpointBytes: 900,
  });
});
afterEach(async () => {
  await store.close();
  await folder.remove();
});

const write = (at: number): Promise<unknown> =>
  store.transact((tx) => tx.insert(serverState, { id: `${at}`, value: 'x'.repeat(500) }));

const ready = async (): Promise<unknown> => {
  const deps = { store, log: noLog, version: '1' } as unknown as Parameters<
    typeof systemHandlers
  >[0];
  const { body } = await systemHandlers(deps, {}).ready({} as never, {} as never);
  return JSON.parse(String(body));
};

const metric = async (): Promise<string | undefined> => {
  const { text } = createMetrics(store, {
    collections: [],
    attempts: { succeeded: 0, failed: 0 },
    reports: { completed: 0, failed: 0, seconds: 0 },
  });
  return /^govctl_store_checkpoints_failing (.*)$/m.exec(await text())?.[1];
};

test('checkpoints that fail are told by /readyz and a metric, and written once there is room, though nothing changes', async () => {
  files.before = (change, name) => {
    if (change === 'write' && name.endsWith('.json.tmp')) throw failure('ENOSPC');
  };
  for (let at = 0; at < 10; at += 1) await write(at);
  await until(() => store.health().checkpoints !== undefined);
  expect(store.health()).toEqual({
    writable: true,
    checkpoints: expect.stringContaining('ENOSPC'),
  });
  expect(await ready()).toEqual({
    status: 'degraded',
    reasons: ['store: the last checkpoints could not be written; see the log'],
  });
  expect(await metric()).toBe('1');
  // What was written of them does not fill the disk.
  await until(() => !files.names().some((name) => name.endsWith('.tmp')));
  files.before = () => {};
  await until(() => store.health().checkpoints === undefined);
  expect(await ready()).toEqual({ status: 'ready' });
  expect(await metric()).toBe('0');
  expect(files.content('server_state.json').toString()).toContain('"id":"9"');
});

test('checkpoints that failed are written when the disk was read-only meanwhile', async () => {
  files.before = () => {
    throw failure('EROFS');
  };
  await expect(write(0)).rejects.toThrow(/EROFS/);
  expect(await ready()).toMatchObject({ status: 'degraded' });
  files.before = (change, name) => {
    if (change === 'write' && name.endsWith('.json.tmp')) throw failure('ENOSPC');
  };
  await until(() => store.health().writable);
  for (let at = 0; at < 10; at += 1) await write(at);
  await until(() => store.health().checkpoints !== undefined);
  files.before = () => {};
  await until(() => store.health().checkpoints === undefined);
  expect(store.health()).toEqual({ writable: true });
});

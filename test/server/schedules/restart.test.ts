import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Clock, Deps } from '../../../src/server/deps.ts';
import { createIds } from '../../../src/server/ids.ts';
import { createLaneRunner } from '../../../src/server/lanes/runner.ts';
import { collections, lanes } from '../../../src/server/wiring/modules.ts';
import { reports } from '../../../src/server/reports/collection.ts';
import { runs } from '../../../src/server/schedules/collection.ts';
import { startScheduleFires } from '../../../src/server/schedules/fire.ts';
import { createSchedule } from '../../../src/server/schedules/service.ts';
import { createSecretBox } from '../../../src/server/keys/secret-box.ts';
import { openLowdbStore } from '../../../src/server/store/lowdb/open.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';

const key = randomBytes(32);
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** A server's life over a folder, from one moment to its stop. */
async function live<R>(dir: string, at: string, work: (deps: Deps) => Promise<R>): Promise<R> {
  const store = await openLowdbStore({ dir, collections, lanes });
  const clock: Clock = { now: () => Date.parse(at), monotonic: () => performance.now() };
  const random = (bytes: number): Uint8Array => randomBytes(bytes);
  const deps: Deps = {
    store,
    clock,
    random,
    ids: createIds(clock, random),
    log: silent,
    secrets: createSecretBox(key, random),
    version: '1.2.3',
  };
  const fires = startScheduleFires(deps, createLaneRunner);
  try {
    const result = await work(deps);
    await fires.idle();
    return result;
  } finally {
    await fires.stop(1_000);
    await store.close();
  }
}

const firesOf = async ({ store }: Deps) => {
  const { rows } = await store.page(runs, { orderBy: 'fire_at', direction: 'asc', limit: 100 });
  return rows.map(({ doc }) => [doc.fire_at, doc.cause]);
};

test('fires that a server missed are made up for at its next start, once', async () => {
  const folder = await tempFolder();
  const actor = { userId: 'user_1', via: 'key_1', requestId: 'req_1' };
  await live(folder.path, '2026-03-01T12:00:00.000Z', (deps) =>
    deps.store.transact((tx) =>
      createSchedule(deps, tx, actor, {
        id: 'sch_1',
        input: {
          name: 'daily',
          schedule: { cron: '0 9 * * *' },
          report_template: { name: '{{date}}', type: 'compliance' },
        },
        security: undefined,
      }),
    ),
  );
  await live(folder.path, '2026-03-06T10:30:00.000Z', () => Promise.resolve());
  // And not again at the one after.
  await live(folder.path, '2026-03-06T11:00:00.000Z', async (deps) => {
    expect(await firesOf(deps)).toEqual([['2026-03-06T09:00:00.000Z', 'missed']]);
  });
  await live(folder.path, '2026-03-07T09:00:20.000Z', () => Promise.resolve());
  await live(folder.path, '2026-03-07T09:01:00.000Z', async (deps) => {
    expect(await firesOf(deps)).toEqual([
      ['2026-03-06T09:00:00.000Z', 'missed'],
      ['2026-03-07T09:00:00.000Z', 'schedule'],
    ]);
    const asked = await deps.store.page(reports, { orderBy: 'id', direction: 'asc', limit: 10 });
    expect(asked.rows.map(({ doc }) => [doc.name, doc.created_by])).toEqual([
      ['2026-03-06', 'user_1'],
      ['2026-03-07', 'user_1'],
    ]);
  });
  await folder.remove();
});

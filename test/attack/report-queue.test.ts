import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { reportLanes, reports } from '../../src/server/reports/collection.ts';
import type { StoredReport } from '../../src/server/reports/collection.ts';
import { reportsAtOnce } from '../../src/server/reports/generation/estimate.ts';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import type { Store } from '../../src/server/store/store.ts';
import { until } from '../support/until.ts';
import { anOrder, composeTiny, idOf, startReports } from '../server/reports/report-world.ts';
import type { Got, TestService } from '../server/test-service.ts';

// Somebody asks for very many large reports. Those of others are generated between them.

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A service whose reports wait to be let through. */
async function slowReports() {
  const begun: string[] = [];
  let goOn = (): void => undefined;
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  const service: TestService = await startReports({
    reports: {
      async compose(deps, evaluation, order, options) {
        begun.push(order.name);
        await gate;
        return composeTiny(deps, evaluation, order, options);
      },
    },
  });
  closing.push(() => service.close());
  const caller = async () => {
    const key = await service.keyWith('governance:read', 'compliance:write');
    return {
      ask: (name: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Got> =>
        service.send('POST', '/v1/reports', { key, body: anOrder({ name, ...fields }) }),
      read: (id: string) => service.send('GET', `/v1/reports/${id}`, { key }),
    };
  };
  return { service, begun, goOn, caller };
}

test('however many reports one caller asks for, another waits for those that are generated already', async () => {
  const { service, begun, goOn, caller } = await slowReports();
  const [flooder, owner] = [await caller(), await caller()];
  for (let at = 0; at < 12; at += 1) await flooder.ask(`flood ${at}`);
  await until(() => begun.length === reportsAtOnce);
  const own = await owner.ask('own');
  expect(own.json.queue_position).toBe(1);
  goOn();
  await service.reportWork.idle();
  expect(begun).toEqual([
    ...Array.from({ length: reportsAtOnce }, (_, at) => `flood ${at}`),
    'own',
    ...Array.from({ length: 12 - reportsAtOnce }, (_, at) => `flood ${at + reportsAtOnce}`),
  ]);
});

test('the places in the queue are those in which reports are begun', async () => {
  const { service, begun, goOn, caller } = await slowReports();
  const callers = [await caller(), await caller(), await caller()];
  const [a, b, c] = callers;
  for (let at = 0; at < reportsAtOnce; at += 1) await a?.ask(`begun ${at}`);
  await until(() => begun.length === reportsAtOnce);
  const asked: [name: string, id: string][] = [];
  for (const [who, name] of [
    [a, 'a1'],
    [a, 'a2'],
    [a, 'a3'],
    [b, 'b1'],
    [b, 'b2'],
    [c, 'c1'],
  ] as const) {
    asked.push([name, idOf((await who?.ask(name)) ?? expect.fail('there are three'))]);
  }
  const told: [name: string, position: unknown][] = [];
  for (const [name, id] of asked) told.push([name, (await a?.read(id))?.json.queue_position]);
  goOn();
  await service.reportWork.idle();
  const order = begun.slice(reportsAtOnce);
  // Who has a report under way comes after those who have none. Where two are generated at once, who ends first is next.
  expect(order.slice(0, 3)).toEqual(['b1', 'c1', 'a1']);
  if (reportsAtOnce === 1) expect(order.slice(3)).toEqual(['b2', 'a2', 'a3']);
  expect(Object.fromEntries(told)).toEqual({ b1: 1, c1: 2, a1: 3, b2: 4, a2: 5, a3: 6 });
});

test('reports that are put off until one time are generated in turn, too', async () => {
  const { service, begun, goOn, caller } = await slowReports();
  const [flooder, owner] = [await caller(), await caller()];
  goOn();
  const later = { delivery: { scheduled_at: '2026-03-01T12:05:00.000Z' } };
  for (let at = 0; at < 6; at += 1) await flooder.ask(`flood ${at}`, later);
  const own = await owner.ask('own', later);
  expect(own.json.queue_position).toBe(2);
  await service.send('POST', '/v1/local/clock/advance', { body: { by: '5m' } });
  await service.reportWork.idle();
  expect(begun.indexOf('own')).toBe(1);
  expect(begun).toHaveLength(7);
});

test('whose turn it is lasts over a restart: what kills the service does not keep others from theirs', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-report-queue-'));
  closing.push(() => rm(folder, { recursive: true }));
  const open = (): Promise<Store> =>
    openLowdbStore({ dir: folder, collections: [reports], lanes: [reportLanes] });
  const at = (minute: number): string => `2026-03-01T12:0${minute}:00.000Z`;
  let store = await open();
  closing.unshift(() => store.close());
  const lay = (id: string, owner: string, begun?: number): Promise<void> =>
    store.transact(async (tx) => {
      await tx.insert(reports, {
        ...(begun !== undefined && { started_at: at(begun) }),
        id,
        created_by: owner,
        updated_at: at(begun ?? 0),
        status: 'pending',
        estimated_ms: 1,
      } as unknown as StoredReport); // all that the line is about
      await tx.append(reportLanes, id, id);
    });
  // The first was begun last, when the service was killed.
  await lay('flood-1', 'flooder', 5);
  for (const id of ['flood-2', 'flood-3']) await lay(id, 'flooder');
  await lay('own-1', 'owner', 4);
  await store.close();
  store = await open();
  const order: string[] = [];
  for (;;) {
    const [work] = await store.claim(reportLanes, { now: Date.parse(at(9)), most: 1 });
    if (!work) break;
    order.push(work.lane);
    await store.transact((tx) => tx.complete(reportLanes, work));
    await store.release(reportLanes, work);
  }
  expect(order).toEqual(['own-1', 'flood-1', 'flood-2', 'flood-3']);
});

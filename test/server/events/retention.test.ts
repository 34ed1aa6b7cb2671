import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultRetention } from '../../../src/server/config/retention.ts';
import { emit } from '../../../src/server/events/emit.ts';
import { areMany, removeOldEvents } from '../../../src/server/events/retention.ts';
import { createStatementKey } from '../../../src/server/keys/statement-key.ts';
import { createUpkeep } from '../../../src/server/wiring/upkeep.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { webhookLanes, webhooks } from '../../../src/server/webhooks/collection.ts';
import { deliveries } from '../../../src/server/webhooks/delivery/collection.ts';
import { eventsOf } from './events-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

const day = 24 * 3_600_000;
let service: TestService;
let events: ReturnType<typeof eventsOf>;
beforeEach(async () => {
  service = await startTestService();
  events = eventsOf(service);
});
afterEach(() => service.close());

const make = (count: number, from = 0): Promise<void> =>
  service.deps.store.transact(async (tx) => {
    for (let at = from; at < from + count; at++) await emit(service.deps, tx, 'user.login', { at });
  });
/** But for those that the upkeep itself makes. */
const left = async (): Promise<number[]> =>
  (await events.all()).flatMap(({ type, sequence }) => (type === 'audit.head' ? [] : [sequence]));
const workIsEvent = (_reader: unknown, { work }: { readonly work: string }): string => work;

describe('events', () => {
  it('are kept for 30 days', async () => {
    await make(3);
    service.advance(29 * day);
    await make(1);
    await service.maintain();
    expect(await left()).toEqual([1, 2, 3, 4, 5]);
    service.advance(day + 1);
    await service.maintain();
    expect(await left()).toEqual([5]);
    await make(1);
    // 6 is the head of the audit log, which the upkeep told.
    expect(await left()).toEqual([5, 7]);
  });

  it('of a delivery that is to be sent again are kept, too', async () => {
    await make(2);
    const [, , again] = await events.all();
    await service.deps.store.transact(async (tx) => {
      await tx.insert(deliveries, {
        id: 'dlv_1',
        webhook_id: 'wh_1',
        event_id: String(again?.id),
        event_type: 'user.login',
        status: 'pending',
        created_at: '2026-03-01T12:00:00.000Z',
        updated_at: '2026-03-01T12:00:00.000Z',
        attempts: [],
      });
      await tx.hold(webhookLanes, 'wh_1', true);
      await tx.append(webhookLanes, 'wh_1', 'dlv_1');
    });
    service.advance(31 * day);
    await service.maintain();
    expect(await left()).toEqual([3]);
  });

  it('that are queued while old ones are being removed are kept', async () => {
    await make(5);
    const [, , third] = await events.all();
    service.advance(31 * day);
    const { store, clock } = service.deps;
    let queued = false;
    // Between the look at the lanes and the removal.
    const late: Store = {
      ...store,
      async transact(work) {
        if (!queued) {
          queued = true;
          await store.transact(async (tx) => {
            await tx.hold(webhookLanes, 'wh_1', true);
            await tx.append(webhookLanes, 'wh_1', String(third?.id));
          });
        }
        return store.transact(work);
      },
    };
    await removeOldEvents({ store: late, clock }, workIsEvent, { keptMs: 30 * day });
    expect(await left()).toEqual([3]);
  });

  it('beyond so many go sooner, the oldest first, but for those that wait', async () => {
    const lane = await events.addWebhook();
    await make(2);
    await events.clear(lane);
    await make(1);
    expect(await events.waiting(lane)).toEqual(['user.login']);
    await service.deps.store.transact((tx) => tx.remove(webhooks, lane));
    await make(110);
    const { store } = service.deps;
    expect(await areMany(store, 0, 100)).toBe(true);
    expect(await removeOldEvents(service.deps, workIsEvent, { most: 100, keptMs: 30 * day })).toBe(
      1,
    );
    const kept = await left();
    // One waits; of the others the newest stay.
    expect(kept.slice(0, 2)).toEqual([4, 15]);
    expect(kept).toHaveLength(101);
    expect(await areMany(store, 0, 100)).toBe(false);
  });
});

describe('the upkeep', () => {
  /** Of a server that keeps 100 events; counts how often it reads all that waits. */
  function upkeep(maintainDeliveries = (): Promise<void> => Promise.resolve()) {
    const { store } = service.deps;
    let looks = 0;
    const counting: Store = {
      ...store,
      laneWork(lanes, query) {
        if (query.lane === undefined) looks += 1;
        return store.laneWork(lanes, query);
      },
    };
    const made = createUpkeep(
      { ...service.deps, store: counting },
      {
        authenticator: { saveLastUses: () => Promise.resolve() },
        signIn: service.signIn,
        uses: service.uses,
        requestCounts: { save: () => Promise.resolve() },
        deliveries: { maintain: maintainDeliveries },
        statementKey: createStatementKey(service.deps),
        methods: new Set(),
        retention: defaultRetention,
        mostEvents: 100,
      },
    );
    const looksOf = async (work: () => Promise<void>): Promise<number> => {
      looks = 0;
      await work();
      return looks;
    };
    return { ...made, looksOf };
  }

  it('leaves events that all wait alone until there are a tenth more than it had to keep', async () => {
    const { trim, maintain, looksOf } = upkeep();
    const lane = await events.addWebhook();
    // With the one of the bootstrap key, which waits for nobody.
    await make(199);
    expect(await looksOf(trim)).toBeGreaterThan(0);
    expect(await left()).toHaveLength(199);
    expect(await looksOf(trim)).toBe(0);
    await make(9);
    expect(await looksOf(trim)).toBe(0);
    await make(1);
    expect(await looksOf(trim)).toBeGreaterThan(0);
    expect(await left()).toHaveLength(209);
    // Delivered: the minute sees that.
    await events.clear(lane);
    expect(await looksOf(trim)).toBe(0);
    await maintain();
    expect(await events.all()).toHaveLength(100);
    await events.clear(lane);
    await make(9);
    expect(await looksOf(trim)).toBe(0);
    await make(1);
    expect(await looksOf(trim)).toBeGreaterThan(0);
  });

  it('does one thing at a time, and the same once', async () => {
    let runs = 0;
    let end = (): void => undefined;
    const { trim, maintain, idle } = upkeep(() => {
      runs += 1;
      return new Promise((resolve) => (end = resolve));
    });
    const ended: string[] = [];
    const first = maintain().then(() => ended.push('maintain'));
    await expect.poll(() => runs).toBe(1);
    await make(200);
    const others = [
      maintain().then(() => ended.push('maintain')),
      trim().then(() => ended.push('trim')),
      idle().then(() => ended.push('idle')),
    ];
    await service.send('GET', '/v1/events');
    expect([runs, ended]).toEqual([1, []]);
    expect(await left()).toHaveLength(201);
    end();
    await Promise.all([first, ...others]);
    expect(ended).toEqual(['maintain', 'maintain', 'trim', 'idle']);
    expect([runs, (await left()).length]).toEqual([1, 100]);
  });

  it('that failed is tried again at the next call', async () => {
    let fails = true;
    const { maintain, trim } = upkeep(() =>
      fails ? Promise.reject(new Error('no disk')) : Promise.resolve(),
    );
    const failed = maintain();
    const trimmed = trim();
    await expect(failed).rejects.toThrow('no disk');
    await trimmed;
    fails = false;
    await maintain();
  });
});

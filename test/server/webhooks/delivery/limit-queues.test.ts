import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnsweredWebhook } from '../../../../src/contract/webhooks.ts';
import { emit } from '../../../../src/server/events/emit.ts';
import { webhookLanes } from '../../../../src/server/webhooks/collection.ts';
import { limitQueues } from '../../../../src/server/webhooks/delivery/limit-queues.ts';
import { eventsOf } from '../../events/events-service.ts';
import type { TestService } from '../../test-service.ts';
import { startTestService } from '../../test-service.ts';

const day = 24 * 3_600_000;
let service: TestService;
let events: ReturnType<typeof eventsOf>;
let answers: (status: number) => void;
beforeEach(async () => {
  let status = 500;
  answers = (next) => void (status = next);
  service = await startTestService({
    receive: () => Promise.resolve({ status, durationMs: 1 }),
    resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  });
  events = eventsOf(service);
});
afterEach(() => service.close());

const make = (count: number): Promise<void> =>
  service.deps.store.transact(async (tx) => {
    for (let at = 0; at < count; at++) await emit(service.deps, tx, 'scan.failed', { at });
  });
const limit = (most: number): Promise<void> =>
  limitQueues(service.deps, { most, keptMs: 30 * day });
async function create(): Promise<string> {
  const got = await service.send('POST', '/v1/webhooks', {
    body: {
      url: 'http://localhost:1/hook',
      events: ['scan.failed'],
      secret: 'whsec_0123456789abcdef0123456789abcdef',
    },
  });
  return String(got.json.id);
}
const read = async (id: string) =>
  (await service.send('GET', `/v1/webhooks/${id}`)).json as unknown as AnsweredWebhook;
const told = async () =>
  (await events.fresh()).filter(({ type }) => type === 'webhook.events.dropped');

describe('the events that wait for a webhook', () => {
  it('are at most so many: the oldest are dropped, counted, and told once', async () => {
    const lane = await events.addWebhook({ name: 'dead', events: ['scan.failed'], active: false });
    await make(100);
    await limit(100);
    expect((await read(lane)).dropped).toBeUndefined();
    await make(7);
    await limit(100);
    const [head] = await service.deps.store.laneWork(webhookLanes, { lane, limit: 1 });
    expect(head?.work).toBe(
      (await events.all()).filter(({ type }) => type === 'scan.failed').at(7)?.id,
    );
    const at = '2026-03-01T12:00:00.000Z';
    const dropped = { events: 7, since: at, last_at: at };
    expect(await read(lane)).toMatchObject({ waiting: 100, dropped });
    expect(await told()).toEqual([
      {
        type: 'webhook.events.dropped',
        data: { webhook: { id: lane, name: 'dead', status: 'disabled', dropped } },
      },
    ]);
    service.advance(1_000);
    await make(3);
    await limit(100);
    expect((await read(lane)).dropped).toEqual({
      events: 10,
      since: at,
      last_at: '2026-03-01T12:00:01.000Z',
    });
    expect(await told()).toEqual([]);
  });

  it('are 100,000, and those of others are untouched', async () => {
    const dead = await events.addWebhook({ events: ['scan.failed'] });
    await service.deps.store.transact(async (tx) => {
      for (let at = 0; at < 105_000; at++) await tx.append(webhookLanes, dead, `evt_${at}`);
    });
    const other = await events.addWebhook({ events: ['scan.failed'] });
    await make(5);
    await service.maintain();
    expect(await read(dead)).toMatchObject({ waiting: 100_000, dropped: { events: 5_005 } });
    expect(await read(other)).toMatchObject({ waiting: 5 });
    expect((await read(other)).dropped).toBeUndefined();
  });

  it('wait for 30 days', async () => {
    const lane = await events.addWebhook({ events: ['scan.failed'] });
    await make(2);
    service.advance(29 * day);
    await make(1);
    await service.maintain();
    expect(await read(lane)).toMatchObject({ waiting: 3 });
    service.advance(day + 1);
    await service.maintain();
    expect(await read(lane)).toMatchObject({ waiting: 1, dropped: { events: 2 } });
    const left = (await events.all()).filter(({ type }) => type === 'scan.failed');
    expect(left).toHaveLength(1);
  });

  it('begin to count anew, and are told anew, after a delivery has succeeded', async () => {
    const id = await create();
    await make(3);
    await service.deliveries?.idle();
    await limit(2);
    expect(await read(id)).toMatchObject({ waiting: 2, dropped: { events: 1 } });
    // What was tried and then dropped has failed, with its attempts; the next is not tried before its time.
    const { json } = await service.send('GET', `/v1/webhooks/${id}/deliveries`);
    expect(json.deliveries).toMatchObject([{ status: 'failed', attempt_count: 1 }]);
    const state = await service.deps.store.laneState(webhookLanes, id);
    expect(state.dueAt).toBeGreaterThan(service.deps.clock.now());
    answers(200);
    service.advance(10_000);
    service.deliveries?.poke();
    await service.deliveries?.idle();
    expect(await read(id)).toMatchObject({
      waiting: 0,
      dropped: { events: 1, ended_at: '2026-03-01T12:00:10.000Z' },
    });
    await told();
    answers(500);
    await make(4);
    await service.deliveries?.idle();
    await limit(2);
    const { dropped } = await read(id);
    expect([dropped?.events, dropped?.ended_at]).toEqual([2, undefined]);
    expect(await told()).toHaveLength(1);
  });

  it('can be sent back as it was read in an update', async () => {
    const id = await create();
    await make(3);
    await limit(1);
    const before = await read(id);
    const got = await service.send('PUT', `/v1/webhooks/${id}`, { body: before });
    expect([got.status, got.json.dropped]).toEqual([200, before.dropped]);
  });
});

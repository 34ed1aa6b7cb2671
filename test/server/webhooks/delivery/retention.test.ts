import { afterEach, beforeEach, expect, test } from 'vitest';
import { answers } from '../../../../src/server/webhooks/delivery/collection.ts';
import type { StoredDelivery } from '../../../../src/server/webhooks/delivery/collection.ts';
import { keepAnswer } from '../../../../src/server/webhooks/delivery/keep-answer.ts';
import { createRetention, keepTest } from '../../../../src/server/webhooks/delivery/retention.ts';
import { answered, hour, ok, openWorld } from './delivery-world.ts';
import type { DeliveryWorld } from './delivery-world.ts';

let world: DeliveryWorld;
beforeEach(async () => void (world = await openWorld()));
afterEach(() => world.close());

const trim = (succeeded: number, failed: number) =>
  createRetention(world.deps, { succeeded, failed }).run();
const eventsOf = async (id: string) => (await world.deliveries(id)).map(({ event_id }) => event_id);

test('each webhook keeps the newest that succeeded and the newest that failed', async () => {
  const [good, bad] = [
    await world.addWebhook(),
    await world.addWebhook({ retry_config: { max_attempts: 1 } }),
  ];
  const long = 'x'.repeat(2_000);
  world.answerWith(({ webhook }) => ({ ...(webhook === bad ? answered(500) : ok), body: long }));
  const ids: string[] = [];
  for (let at = 0; at < 9; at++) {
    ids.push(...(await world.emit()));
    await world.pass(1_000);
  }
  await trim(3, 5);
  expect(await eventsOf(good)).toEqual(ids.slice(-3));
  expect(await eventsOf(bad)).toEqual(ids.slice(-5));
  // Their long answers went with them.
  const all = await world.store.page(answers, { orderBy: 'id', direction: 'asc', limit: 1 });
  expect(all.total).toBe(8);
});

test('what failed is kept for 30 days, what has not ended for as long as it takes', async () => {
  const few = await world.addWebhook({ retry_config: { max_attempts: 1 } });
  const paused = await world.addWebhook();
  world.answerWith(() => answered(500));
  const [old] = await world.emit();
  await world.idle();
  const waiting = (await world.deliveries(paused)).map(({ id }) => id);
  world.setClock(world.now + 29 * 24 * hour);
  await trim(0, 10);
  expect(await eventsOf(few)).toEqual([old]);
  world.setClock(world.now + 25 * hour);
  await trim(0, 10);
  expect(await eventsOf(few)).toEqual([]);
  expect((await world.deliveries(paused)).map(({ id }) => id)).toEqual(waiting);
});

test('a webhook is looked at again once so many of its deliveries have ended', async () => {
  const retention = createRetention(world.deps, { succeeded: 2, failed: 0 });
  const id = await world.addWebhook();
  await retention.run();
  await world.emit(6);
  await world.idle();
  // Nobody said that anything has ended.
  await retention.run();
  expect(await world.deliveries(id)).toHaveLength(6);
  const [one] = await world.deliveries(id);
  if (!one) throw new Error('there is none');
  for (let at = 0; at < 500; at++) retention.ended(one);
  while ((await world.deliveries(id)).length > 2) await new Promise(setImmediate);
});

test('the failed ones are bounded over all webhooks, too', async () => {
  const give = { retry_config: { max_attempts: 1 } };
  const ids = [
    await world.addWebhook(give),
    await world.addWebhook(give),
    await world.addWebhook(),
  ];
  world.answerWith(({ webhook }) => (webhook === ids[2] ? ok : answered(500)));
  const events: string[] = [];
  for (let at = 0; at < 5; at++) {
    events.push(...(await world.emit()));
    await world.pass(1_000);
  }
  const kept = { succeeded: 10, failed: 10, failedInAll: 4 };
  await createRetention(world.deps, kept).run();
  const left = async () => Promise.all(ids.map(eventsOf));
  expect(await left()).toEqual([events.slice(-2), events.slice(-2), events]);
  const retention = createRetention(world.deps, { ...kept, failedInAll: 1 });
  // None of them has so many that it is looked at for itself.
  const each = (await Promise.all(ids.map((id) => world.deliveries(id)))).flatMap(([one]) => one ?? []); // prettier-ignore
  for (let at = 0; at < 500; at++) retention.ended(each[at % 3] as StoredDelivery);
  while ((await left()).flat().length > 6) await new Promise(setImmediate);
});

test('what receivers answered is bounded over all webhooks: the one that has most gives way, and no other', async () => {
  const often = { retry_config: { max_attempts: 20, backoff_multiplier: 1 } };
  const [noisy, good] = [await world.addWebhook(often), await world.addWebhook()];
  const headers = { 'x-much': 'h'.repeat(900) };
  world.answerWith(({ webhook }) =>
    webhook === noisy ? { ...answered(500, headers), body: 'b'.repeat(1_000) } : ok,
  );
  const events: string[] = [];
  for (let at = 0; at < 6; at++) {
    events.push(...(await world.emit()));
    await world.pass(60_000);
  }
  const left = async () => [await eventsOf(noisy), await eventsOf(good)];
  expect(await left()).toEqual([events, events]);
  const kept = { succeeded: 10, failed: 10, characters: 100_000 };
  const retention = createRetention(world.deps, kept);
  // Each has 20 attempts with some 2,100 characters.
  await retention.run();
  expect(await left()).toEqual([events.slice(-2), events]);
  // It is looked at in between, too, and weighed before anything goes.
  events.push(...(await world.emit()));
  await world.pass(60_000);
  const newest = (await world.deliveries(noisy)).at(-1);
  for (let at = 0; at < 500; at++) retention.ended(newest as StoredDelivery);
  while ((await eventsOf(noisy)).length > 2) await new Promise(setImmediate);
  expect(await left()).toEqual([events.slice(-2), events]);
});

test('of tests each webhook keeps the newest, beside what was sent in earnest', async () => {
  const [mine, other] = [await world.addWebhook(), await world.addWebhook()];
  await world.emit();
  await world.idle();
  const keep = (webhook: string, at: number) =>
    world.store.transact((tx) =>
      keepTest(
        tx,
        {
          id: world.deps.ids.next('dlv'),
          webhook_id: webhook,
          event_id: `evt_${at}`,
          event_type: 'user.login',
          status: at % 2 === 0 ? 'succeeded' : 'failed',
          test: true,
          created_at: new Date(at).toISOString(),
          updated_at: new Date(at).toISOString(),
          attempts: [],
        },
        3,
      ),
    );
  for (let at = 0; at < 9; at++) await keep(mine, at);
  await keep(other, 0);
  const testsOf = async (id: string) =>
    (await world.deliveries(id)).flatMap(({ test, event_id: event }) => (test ? [event] : []));
  expect(await testsOf(mine)).toEqual(['evt_6', 'evt_7', 'evt_8']);
  expect(await testsOf(other)).toEqual(['evt_0']);
  expect(await world.deliveries(mine)).toHaveLength(4);
});

test('long answers are bounded for each webhook, and in all', async () => {
  const keep = (webhook: string, at: number) =>
    world.store.transact((tx) =>
      keepAnswer(
        tx,
        { id: `${webhook}.${at}`, webhook_id: webhook, at: new Date(at).toISOString(), body: 'b' },
        { ofWebhook: 3, inAll: 7 },
      ),
    );
  for (let at = 0; at < 20; at++) await keep(`wh_${at % 4}`, at);
  for (let at = 20; at < 24; at++) await keep('wh_0', at);
  const { rows } = await world.store.page(answers, { orderBy: 'at', direction: 'asc', limit: 20 });
  expect(rows.map(({ doc }) => doc.id)).toEqual(['wh_3.15', 'wh_1.17', 'wh_2.18', 'wh_3.19', 'wh_0.21', 'wh_0.22', 'wh_0.23']); // prettier-ignore
});

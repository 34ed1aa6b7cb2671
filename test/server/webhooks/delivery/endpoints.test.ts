import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { webhookLanes } from '../../../../src/server/webhooks/collection.ts';
import { answers, deliveries } from '../../../../src/server/webhooks/delivery/collection.ts';
import type { Outcome, Outgoing } from '../../../../src/server/outbound/send.ts';
import { startTestService } from '../../test-service.ts';
import type { Got, TestService } from '../../test-service.ts';

let service: TestService;
let received: Outgoing[];
let answer: (request: Outgoing) => Outcome;
beforeEach(async () => {
  received = [];
  answer = () => ({ durationMs: 12.3456, status: 200, headers: { server: 'x' }, body: 'thanks' });
  service = await startTestService({
    receive: (request) => {
      received.push(request);
      return Promise.resolve(answer(request));
    },
  });
});
afterEach(() => service.close());

const type = 'policy.violation.created';
const hour = 3_600_000;
const fail = (): Outcome => ({ durationMs: 1, status: 500, body: 'no' });

async function addWebhook(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const created = await service.send('POST', '/v1/webhooks', {
    body: {
      url: 'https://receiver.example/hook',
      events: [type],
      secret: 'a secret of some length',
      retry_config: { max_attempts: 1 },
      ...fields,
    },
  });
  expect(created.status).toBe(201);
  return String(created.json.id);
}

/** @returns the ids of the events */
async function trigger(count = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const { status, json } = await service.send('POST', '/v1/events', { body: { type } });
    expect(status).toBe(201);
    ids.push(String(json.id));
  }
  await service.deliveries?.idle();
  return ids;
}

interface Item {
  readonly id: string;
  readonly event_id: string;
}
const list = async (id: string, query = ''): Promise<Item[]> => {
  const got = await service.send('GET', `/v1/webhooks/${id}/deliveries${query}`);
  expect(got.status).toBe(200);
  return got.json.deliveries as Item[];
};
const errorOf = ({ status, json }: Got) => [status, json.error];

describe('deliveries', () => {
  test('go on behind a cursor of their own webhook, whatever was asked of another', async () => {
    const [one, two] = [await addWebhook(), await addWebhook()];
    await trigger(2);
    await list(one, '?limit=1');
    const { json } = await service.send('GET', `/v1/webhooks/${two}/deliveries?limit=1`);
    const { next_cursor: cursor } = json.pagination as { next_cursor: string };
    expect(await list(two, `?limit=1&cursor=${cursor}`)).toHaveLength(1);
  });

  test('are listed by status and type, and read with each attempt, without a secret', async () => {
    const id = await addWebhook({ headers: { Authorization: 'Bearer of theirs' } });
    const [first = ''] = await trigger();
    answer = fail;
    const [second = ''] = await trigger();
    expect(await list(id, '?order=asc')).toMatchObject([
      {
        event_id: first,
        event_type: type,
        status: 'succeeded',
        attempt_count: 1,
        response_status: 200,
      },
      { event_id: second, status: 'failed', attempt_count: 1, error: 'returned 500' },
    ]);
    const [failed] = await list(id, '?status=failed,pending');
    expect(failed).toMatchObject({ event_id: second });
    expect(await list(id, '?event_type=user.login')).toEqual([]);
    expect(await list(id, `?event_type=user.login,${type}&sort_by=status&limit=1`)).toHaveLength(1);

    const [succeeded] = await list(id, '?status=succeeded');
    const got = await service.send('GET', `/v1/webhooks/${id}/deliveries/${succeeded?.id}`);
    const seconds = String(service.deps.clock.now() / 1000);
    expect(got.json).toMatchObject({
      webhook_id: id,
      attempts: [
        {
          number: 1,
          duration_ms: 12.346,
          response_status: 200,
          response_headers: { server: 'x' },
          response_body: 'thanks',
          request_headers: {
            Authorization: '…',
            'Content-Type': 'application/json',
            'User-Agent': 'govctl-webhooks/1.2.3',
            'X-Service-Timestamp': seconds,
            'X-Service-Webhook-ID': id,
            'X-Service-Event-ID': first,
            'X-Service-Delivery-Attempt': '1',
            'webhook-id': first,
            'webhook-timestamp': seconds,
          },
        },
      ],
    });
    expect(got.text).not.toMatch(/theirs|sha256=|v1,/);
  });

  test('are found only under their own webhook', async () => {
    const [mine, other] = [await addWebhook(), await addWebhook()];
    await trigger();
    const [item] = await list(mine);
    const path = (id: string) => `/v1/webhooks/${id}/deliveries/${item?.id}`;
    expect((await service.send('GET', path(mine))).status).toBe(200);
    expect(errorOf(await service.send('GET', path(other)))).toEqual([404, 'delivery_not_found']);
    expect(errorOf(await service.send('GET', path('wh_none')))).toEqual([404, 'webhook_not_found']);
    expect(errorOf(await service.send('GET', '/v1/webhooks/wh_none/deliveries'))).toEqual([
      404,
      'webhook_not_found',
    ]);
    expect(errorOf(await service.send('POST', `${path(other)}/redeliver`))).toEqual([
      404,
      'delivery_not_found',
    ]);
  });

  test('show long answers whole while those are kept, the newest hundred of a webhook', async () => {
    const id = await addWebhook();
    answer = () => ({ durationMs: 1, status: 200, body: 'é'.repeat(5_000), truncated: true });
    await trigger();
    answer = () => ({ durationMs: 1, status: 200, body: 'b'.repeat(1_025) });
    await trigger(100);
    const items = await list(id, '?order=asc');
    const attemptOf = async (item: Item | undefined) => {
      const got = await service.send('GET', `/v1/webhooks/${id}/deliveries/${item?.id}`);
      return (got.json.attempts as Record<string, unknown>[])[0];
    };
    expect(await attemptOf(items[0])).toMatchObject({
      response_body: 'é'.repeat(1_024),
      response_truncated: true,
    });
    const second = await attemptOf(items[1]);
    expect(second?.response_body).toBe('b'.repeat(1_025));
    expect(second).not.toHaveProperty('response_truncated');
  });
});

test('headers of an answer are kept as far as they tell, a KiB at most, with the date of a failed one', async () => {
  const id = await addWebhook({ retry_config: { max_attempts: 2 } });
  const headers = {
    'set-cookie': 'c'.repeat(1_000),
    date: 'Sun, 01 Mar 2026 12:00:00 GMT',
    connection: 'close',
    'x-long': 'l'.repeat(600),
    'retry-after': 'Sun, 01 Mar 2026 12:00:05 GMT',
  };
  answer = ({ headers: sent }) => ({
    durationMs: 1,
    status: sent['X-Service-Delivery-Attempt'] === '1' ? 503 : 200,
    headers,
  });
  await trigger();
  service.advance(hour);
  service.deliveries?.poke();
  await service.deliveries?.idle();
  const [item] = await list(id);
  const got = await service.send('GET', `/v1/webhooks/${id}/deliveries/${item?.id}`);
  const kept = (got.json.attempts as Record<string, unknown>[]).map((one) => one.response_headers);
  const { date, 'x-long': long, 'retry-after': after } = headers;
  expect(kept).toEqual([
    { date, 'retry-after': after, 'x-long': long },
    { 'retry-after': after, 'x-long': long },
  ]);
});

describe('redelivery', () => {
  test('puts a delivery that has ended behind what waits, and counts its attempts on', async () => {
    const id = await addWebhook();
    answer = fail;
    const [first = ''] = await trigger();
    const [item] = await list(id);
    await service.send('PUT', `/v1/webhooks/${id}`, { body: { active: false } });
    const [second = ''] = await trigger();
    const path = `/v1/webhooks/${id}/deliveries/${item?.id}/redeliver`;
    const queued = await service.send('POST', path);
    expect([queued.status, queued.json]).toMatchObject([202, { id: item?.id, status: 'pending', attempt_count: 1 }]); // prettier-ignore
    expect(errorOf(await service.send('POST', path))).toEqual([409, 'delivery_not_ended']);
    received = [];
    answer = () => ({ durationMs: 1, status: 200 });
    await service.send('PUT', `/v1/webhooks/${id}`, { body: { active: true } });
    await service.deliveries?.idle();
    expect(received.map(({ headers }) => [headers['X-Service-Event-ID'], headers['X-Service-Delivery-Attempt']])).toEqual([[second, '1'], [first, '2']]); // prettier-ignore
    expect(await list(id, '?status=succeeded')).toHaveLength(2);
  });

  test('of all that failed since then keeps the order of their events', async () => {
    const id = await addWebhook();
    answer = fail;
    await trigger(2);
    service.advance(60_000);
    const since = new Date(service.deps.clock.now()).toISOString();
    const later = await trigger(3);
    await service.send('POST', `/v1/webhooks/${id}/test`, { body: { event_type: type } });
    received = [];
    answer = () => ({ durationMs: 1, status: 200 });
    const queued = await service.send('POST', `/v1/webhooks/${id}/redeliver`, { body: { since } });
    expect([queued.status, queued.json]).toEqual([202, { redelivered: 3 }]);
    await service.deliveries?.idle();
    expect(received.map(({ headers }) => headers['X-Service-Event-ID'])).toEqual(later);
    const rest = await service.send('POST', `/v1/webhooks/${id}/redeliver`, { body: {} });
    expect(rest.json).toEqual({ redelivered: 2 });
  });

  test('takes one whose place in the queue is gone for ended', async () => {
    const id = await addWebhook({ retry_config: { max_attempts: 3 } });
    answer = fail;
    await trigger(2);
    const { store } = service.deps;
    const [item] = await list(id, '?status=pending');
    const path = `/v1/webhooks/${id}/deliveries/${item?.id}/redeliver`;
    expect(errorOf(await service.send('POST', path))).toEqual([409, 'delivery_not_ended']);
    await store.transact((tx) => tx.clear(webhookLanes, id));
    answer = () => ({ durationMs: 1, status: 200 });
    expect((await service.send('POST', path)).status).toBe(202);
    await service.deliveries?.idle();
    expect(await list(id)).toMatchObject([{ status: 'succeeded' }]);

    // The place of one that was sent again is found by its id.
    await service.send('PUT', `/v1/webhooks/${id}`, { body: { active: false } });
    await trigger(1);
    expect((await service.send('POST', path)).status).toBe(202);
    expect(errorOf(await service.send('POST', path))).toEqual([409, 'delivery_not_ended']);
    await store.transact((tx) => tx.clear(webhookLanes, id));
    expect((await service.send('POST', path)).status).toBe(202);
  });

  test('of very many lets others have their turn, and counts them all', async () => {
    const id = await addWebhook();
    answer = fail;
    await trigger(250);
    await service.send('PUT', `/v1/webhooks/${id}`, { body: { active: false } });
    const { store } = service.deps;
    let answeredAt = 0;
    const counts: number[] = [];
    const queued = service
      .send('POST', `/v1/webhooks/${id}/redeliver`, { body: {} })
      .finally(() => (answeredAt = counts.length));
    for (let ended = false; !ended;) {
      counts.push((await store.laneState(webhookLanes, id)).waiting);
      await new Promise(setImmediate);
      ended = answeredAt > 0;
    }
    expect((await queued).json).toEqual({ redelivered: 250 });
    expect(counts.some((count) => count > 0 && count < 250)).toBe(true);
    received = [];
    answer = () => ({ durationMs: 1, status: 200 });
    await service.send('PUT', `/v1/webhooks/${id}`, { body: { active: true } });
    await service.deliveries?.idle();
    const sent = received.map(({ headers }) => headers['X-Service-Event-ID']);
    expect(sent).toHaveLength(250);
    expect(sent).toEqual([...sent].sort());
  });

  test('has all attempts of its retries again, and sends the very same body', async () => {
    const id = await addWebhook({ retry_config: { max_attempts: 2 } });
    answer = fail;
    await trigger();
    service.advance(1_000);
    service.deliveries?.poke();
    await service.deliveries?.idle();
    const [item] = await list(id, '?status=failed');
    await service.send('POST', `/v1/webhooks/${id}/deliveries/${item?.id}/redeliver`);
    await service.deliveries?.idle();
    expect(await list(id, '?status=pending')).toMatchObject([{ attempt_count: 3 }]);
    service.advance(1_000);
    service.deliveries?.poke();
    await service.deliveries?.idle();
    expect(await list(id, '?status=failed')).toMatchObject([{ attempt_count: 4 }]);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });
});

describe('a test', () => {
  test('is sent now, also where the webhook is paused and others wait, and kept as a test', async () => {
    const id = await addWebhook({ active: false });
    await trigger(2);
    const sent = await service.send('POST', `/v1/webhooks/${id}/test`, {
      body: { event_type: 'budget.threshold.exceeded' },
    });
    expect([sent.status, sent.json]).toEqual([
      200,
      {
        event_id: expect.stringMatching(/^evt_/) as string,
        delivery_id: expect.stringMatching(/^dlv_/) as string,
        delivered: true,
        response_status: 200,
        duration_ms: 12.346,
      },
    ]);
    expect(received).toHaveLength(1);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      event: 'budget.threshold.exceeded',
      webhook_id: id,
    });
    const path = `/v1/webhooks/${id}/deliveries/${String(sent.json.delivery_id)}`;
    const kept = await service.send('GET', path);
    expect(kept.json).toMatchObject({ test: true, status: 'succeeded', request_body: received[0]?.body }); // prettier-ignore
    const again = await service.send('POST', `${path}/redeliver`);
    expect([again.status, again.json.error_description]).toEqual([
      400,
      expect.stringContaining('is a test') as string,
    ]);
  });

  test('that fails says why, and is no failure of the webhook', async () => {
    const id = await addWebhook();
    answer = () => ({ durationMs: 3, error: 'the connection was refused' });
    const sent = await service.send('POST', `/v1/webhooks/${id}/test`, {
      body: { event_type: type },
    });
    expect(sent.json).toMatchObject({
      delivered: false,
      duration_ms: 3,
      error: 'the connection was refused',
    });
    const webhook = await service.send('GET', `/v1/webhooks/${id}`);
    expect(webhook.json).not.toHaveProperty('failing_since');
    expect(webhook.json).toMatchObject({ last_delivery: { status: 'failed' }, waiting: 0 });
  });

  test('is sent once for an Idempotency-Key', async () => {
    const id = await addWebhook();
    const post = () =>
      service.send('POST', `/v1/webhooks/${id}/test`, {
        body: { event_type: type },
        headers: { 'idempotency-key': 'once' },
      });
    const [first, second] = [await post(), await post()];
    expect(second.json).toEqual(first.json);
    expect(received).toHaveLength(1);
    expect(await list(id)).toHaveLength(1);
  });

  test('is sent once, too, where two with one Idempotency-Key come at the same moment', async () => {
    const id = await addWebhook();
    const post = () =>
      service.send('POST', `/v1/webhooks/${id}/test`, {
        body: { event_type: type },
        headers: { 'idempotency-key': 'once' },
      });
    const [first, second] = await Promise.all([post(), post()]);
    expect(second.json).toEqual(first.json);
    expect(received).toHaveLength(1);
  });
});

test('a deleted webhook takes its deliveries along', async () => {
  const id = await addWebhook();
  answer = () => ({ durationMs: 1, status: 200, body: 'b'.repeat(2_000) });
  await trigger(3);
  const { store } = service.deps;
  const counts = async () => {
    const any = { orderBy: 'id', direction: 'asc', limit: 1 } as const;
    return [(await store.page(deliveries, any)).total, (await store.page(answers, any)).total];
  };
  expect(await counts()).toEqual([3, 3]);
  expect((await service.send('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
  expect(await counts()).toEqual([0, 0]);
});

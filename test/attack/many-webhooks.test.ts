import { afterEach, beforeEach, expect, it } from 'vitest';
import { replay } from '../../src/server/events/replay.ts';
import { policy, startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const most = 250;
const type = 'AWS::S3::Bucket';

const addWebhook = (n: number, events: readonly string[]) =>
  service.send('POST', '/v1/webhooks', {
    body: { url: `https://receiver.test/${n}`, events, secret: 'long enough', active: false },
  });

const importAll = (count: number) =>
  service.send('POST', '/v1/resources/import', {
    text: Array.from({ length: count }, (_, n) =>
      JSON.stringify({ id: `r${n}`, type, name: 'other' }),
    ).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });

const waitingFor = async (id: string) =>
  (await service.send('GET', `/v1/webhooks/${id}`)).json.waiting;

it('as many webhooks as there can be get every event of an import, which takes several transactions', async () => {
  const rules = [{ condition: 'true', effect: 'DENY' }];
  await service.send('POST', '/v1/policies', {
    body: policy('p', { resource_type: type, rules }),
  });
  await service.evaluator.run();
  const events = ['resource.discovered', 'policy.violation.created', 'policy.violation.detected'];
  const ids: string[] = [];
  for (let n = 0; n < most; n += 1) {
    const got = await addWebhook(n, events);
    expect(got.status).toBe(201);
    ids.push(String(got.json.id));
  }
  const refused = await addWebhook(most, events);
  expect([refused.status, refused.json.error]).toEqual([400, 'invalid_webhook']);
  const total = 200;
  let transactions = 0;
  const { transact } = service.deps.store;
  service.deps.store.transact = (work) => {
    transactions += 1;
    return transact(work);
  };
  expect((await importAll(total)).json).toMatchObject({ created: total });
  expect(transactions).toBeGreaterThan(1);
  for (const id of [ids[0], ids[most - 1]]) expect(await waitingFor(String(id))).toBe(3 * total);
});

it('events are queued again as long as a queue has room, however often that is asked for', async () => {
  const id = String((await addWebhook(0, ['scan.failed'])).json.id);
  expect((await importAll(100)).json).toMatchObject({ created: 100 });
  const asked = {
    webhook_id: id,
    since: '2020-01-01T00:00:00Z',
    types: ['resource.discovered' as const],
  };
  const actor = { userId: 'u', via: 'test', requestId: 'r' };
  const principal = {
    kind: 'key' as const,
    userId: 'u',
    via: 'test',
    countedAs: 'test',
    scopes: [],
  };
  const again = () => replay(service.deps, { actor, principal }, asked, 250);
  for (let n = 0; n < 2; n += 1) expect(await again()).toEqual({ events: 100, deliveries: 100 });
  await expect(again()).rejects.toMatchObject({ error: 'unavailable' });
  await expect(again()).rejects.toMatchObject({ error: 'unavailable' });
  // What one transaction queues is queued whole, or not at all.
  expect(await waitingFor(id)).toBe(200);
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventTypes, formBTypes } from '../../../src/contract/events.ts';
import type { EventType } from '../../../src/contract/events.ts';
import { emit } from '../../../src/server/events/emit.ts';
import { sampleData } from '../../../src/server/events/samples.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { webhookLanes } from '../../../src/server/webhooks/collection.ts';
import { eventsOf } from './events-service.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { Got, Sent, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

const minute = 60_000;
let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let events: ReturnType<typeof eventsOf>;
/** Rows of events that pages brought. */
let eventsRead = 0;
beforeEach(async () => {
  service = await startTestService({ wrapStore: countReads });
  inventory = inventoryOf(service);
  events = eventsOf(service);
});
afterEach(() => service.close());

const countReads = (store: Store): Store => ({
  ...store,
  async page(collection, query) {
    const page = await store.page(collection, query);
    if (collection.name === 'events') eventsRead += page.rows.length;
    return page;
  },
});

interface Listed {
  readonly id: string;
  readonly type: string;
  readonly created: string;
  readonly sequence: number;
  readonly data: Record<string, unknown>;
}
const list = async (query = '') => {
  const { json } = await inventory.ok('GET', `/v1/events?${query}`);
  return json as unknown as {
    events: readonly Listed[];
    pagination: { total: number; has_more: boolean; next_cursor?: string };
  };
};
const sequences = async (query: string) => (await list(query)).events.map((one) => one.sequence);
const trigger = (type: EventType, data?: unknown, sent: Sent = {}): Promise<Got> =>
  service.send('POST', '/v1/events', { body: { type, ...(data ? { data } : {}) }, ...sent });
const triggered = async (type: EventType, data?: unknown): Promise<string> => {
  const got = await trigger(type, data);
  expect(got.status, got.text).toBe(201);
  return String(got.json.id);
};

describe('the list of events', () => {
  it('has them in the order in which they happened, with all they say', async () => {
    await inventory.put('b', {});
    const { events: listed, pagination } = await list();
    expect(listed.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['api.key.created', 1],
      ['resource.discovered', 2],
    ]);
    expect(listed[1]).toMatchObject({
      id: expect.stringMatching(/^evt_/) as unknown,
      created: '2026-03-01T12:00:00.000Z',
      data: { resource: { id: 'b' } },
    });
    expect(pagination).toMatchObject({ total: 2, has_more: false });
  });

  it('is filtered by type, and sorted as asked for', async () => {
    for (const id of ['b', 'c', 'd']) await inventory.put(id);
    await inventory.put('b', { public: true });
    expect(await sequences('type=resource.changed')).toEqual([5]);
    expect(await sequences('type=resource.changed,api.key.created')).toEqual([1, 5]);
    expect(await sequences('order=desc&limit=2')).toEqual([5, 4]);
    const wrong = await service.send('GET', '/v1/events?type=resource.moved');
    expect([wrong.status, fieldsOf(wrong)]).toEqual([400, ['type']]);
  });

  it.each(['asc', 'desc'] as const)(
    'begins with the first one of a time, and pages %s through the rest alone',
    async (order) => {
      for (let at = 0; at < 12; at++) {
        service.advance(minute);
        await triggered(at % 3 === 0 ? 'user.login' : 'scan.completed');
      }
      // The sequence of the n-th minute is n + 1; the first event is of minute 0.
      const query = `since=2026-03-01T12:04:00Z&order=${order}`;
      const inOrder = (found: number[]) => (order === 'asc' ? found : found.toReversed());
      const expected = inOrder([5, 6, 7, 8, 9, 10, 11, 12, 13]);
      const seen: number[] = [];
      for (let cursor = ''; ;) {
        const page = await list(`${query}&limit=2${cursor}`);
        expect(page.pagination.total).toBe(9);
        seen.push(...page.events.map(({ sequence }) => sequence));
        if (!page.pagination.has_more) break;
        cursor = `&cursor=${String(page.pagination.next_cursor)}`;
      }
      expect(seen).toEqual(expected);
      expect(await sequences(`${query}&limit=3&offset=4`)).toEqual(expected.slice(4, 7));
      expect(await sequences(`${query}&limit=9`)).toEqual(expected);
      expect((await list(`${query}&limit=9`)).pagination.has_more).toBe(false);
      expect(await sequences(`${query}&type=user.login`)).toEqual(inOrder([5, 8, 11]));
      expect(await sequences(`since=2026-03-01T13:00:00Z&order=${order}`)).toEqual([]);
      expect(await sequences(`since=2025-01-01T00:00:00Z&order=${order}`)).toHaveLength(13);
    },
  );

  it('counts those since a time among very many', async () => {
    await service.deps.store.transact(async (tx) => {
      for (let at = 0; at < 1_000; at++) await emit(service.deps, tx, 'user.login', { at });
    });
    service.advance(minute);
    await service.deps.store.transact(async (tx) => {
      for (let at = 0; at < 777; at++) await emit(service.deps, tx, 'user.login', { at });
    });
    const { pagination, events: page } = await list('since=2026-03-01T12:00:30.000Z&limit=1');
    expect([pagination.total, page[0]?.sequence]).toEqual([777, 1_002]);
  });

  it('takes a time for the order of the sequence only', async () => {
    const got = await service.send('GET', '/v1/events?since=2026-03-01T12:00:00Z&sort_by=type');
    expect([got.status, fieldsOf(got)]).toEqual([400, ['since']]);
  });
});

describe('an event', () => {
  it('is read as its webhook gets it, byte for byte', async () => {
    const data = { user: { id: 'user_1', name: 'Zoë "Z"' } };
    const id = await triggered('user.login', data);
    const got = await service.send('GET', `/v1/events/${id}?webhook_id=wh_1`);
    expect(got.text).toBe(
      `{"id":"${id}","type":"user.login","created":"2026-03-01T12:00:00.000Z","data":{"user":{"id":"user_1","email":"ann@example.com","name":"Zoë \\"Z\\"","roles":["editor"],"scopes":["governance:read","compliance:write"]}}}`,
    );
  });

  it('of the four types of the other form names the webhook that is asked for', async () => {
    for (const type of formBTypes) {
      const id = await triggered(type);
      const shown = { event: type, timestamp: '2026-03-01T12:00:00.000Z' };
      const alone = await service.send('GET', `/v1/events/${id}`);
      expect(alone.text).toBe(JSON.stringify({ ...shown, data: sampleData(type) }));
      const asked = await service.send('GET', `/v1/events/${id}?webhook_id=wh_1`);
      const whole = { ...shown, webhook_id: 'wh_1', data: sampleData(type) };
      expect(asked.text).toBe(JSON.stringify(whole));
    }
  });

  it('that is not there is an error that says how long they are kept', async () => {
    const got = await service.send('GET', '/v1/events/evt_none');
    expect([got.status, got.json.error]).toEqual([404, 'event_not_found']);
    expect(got.json.error_description).toBe(
      'There is no event evt_none; the service deletes old events, and stores at most 100,000',
    );
  });
});

describe('an event that is made up', () => {
  it('has the data of the sample of its type', async () => {
    for (const type of eventTypes) {
      const got = await trigger(type);
      expect(got.json.data).toEqual(sampleData(type));
      expect(got.headers.get('location')).toBe(`/v1/events/${String(got.json.id)}`);
    }
  });

  it('has what is given within what its sample has', async () => {
    const got = await trigger('policy.violation.created', {
      violation: { severity: 'LOW', tags: { team: 'web' }, compliance_frameworks: [] },
      more: 1,
    });
    const { violation } = sampleData('policy.violation.created') as { violation: object };
    expect(got.json.data).toEqual({
      violation: {
        ...violation,
        severity: 'LOW',
        tags: { team: 'web' },
        compliance_frameworks: [],
      },
      more: 1,
    });
  });

  it('takes keys that are prototypes elsewhere as plain ones, and nothing nested without end', async () => {
    const text =
      '{"type":"user.login","data":{"user":{"__proto__":{"admin":true}},"constructor":1}}';
    const got = await service.send('POST', '/v1/events', { text });
    expect(got.status, got.text).toBe(201);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    expect(got.json.data).toMatchObject({
      constructor: 1,
      user: { id: expect.any(String) as unknown },
    });
    const deep = `{"type":"user.login","data":${'{"a":'.repeat(80)}1${'}'.repeat(81)}`;
    const refused = await service.send('POST', '/v1/events', { text: deep });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['data']]);
  });

  it('waits for the webhooks that it is for', async () => {
    const high = await events.addWebhook({ filters: { severity: ['HIGH'] } });
    const low = await events.addWebhook({ filters: { severity: ['LOW'] } });
    await triggered('policy.violation.created', { violation: { severity: 'LOW' } });
    await triggered('policy.violation.detected', { severity: 'high' });
    expect(await events.waiting(high)).toEqual(['policy.violation.detected']);
    expect(await events.waiting(low)).toEqual(['policy.violation.created']);
  });

  it('is refused where others than this machine can connect, and without the scope', async () => {
    const key = await service.keyWith('governance:read');
    expect((await trigger('user.login', undefined, { key })).status).toBe(403);
    const open = await startTestService({ isLocal: false });
    try {
      const got = await open.send('POST', '/v1/events', { body: { type: 'user.login' } });
      expect([got.status, got.json.error]).toEqual([403, 'not_local']);
      expect(await eventsOf(open).all()).toHaveLength(1);
    } finally {
      await open.close();
    }
  });
});

describe('the filters of a webhook', () => {
  const bucket = { public: true, environment: 'Production' };
  // What a webhook with the filters gets of a resource with a violation of a policy of severity HIGH.
  const resource = ['resource.discovered'];
  const violation = ['policy.violation.created', 'policy.violation.detected'];
  const cases = [
    [{ severity: ['HIGH'] }, bucket, [...resource, ...violation]],
    [{ severity: ['LOW', 'CRITICAL'] }, bucket, resource],
    [{ severity: [] }, bucket, [...resource, ...violation]],
    [{ environments: ['production'] }, bucket, [...resource, ...violation]],
    [{ environments: ['production'] }, { public: true }, []],
    [{ environments: ['staging'] }, bucket, []],
    [{ cloud_providers: ['AWS'] }, bucket, [...resource, ...violation]],
    [{ cloud_providers: ['gcp', 'azure'] }, bucket, []],
    [{ cloud_providers: ['aws'], severity: ['LOW'] }, bucket, resource],
  ] as const;
  it.each(cases)('%j let of %j through: %j', async (filters, fields, expected) => {
    await inventory.createPolicy('p', { severity: 'HIGH' });
    const id = await events.addWebhook({ filters: filters as never });
    await inventory.put('b', fields);
    expect(await events.waiting(id)).toEqual(expected);
  });

  it('keep back nothing of a type without what they look at', async () => {
    const id = await events.addWebhook({
      filters: { severity: ['LOW'], environments: ['e'], cloud_providers: ['gcp'] },
    });
    await triggered('scan.completed');
    await triggered('user.login');
    await triggered('compliance.status.changed');
    expect(await events.waiting(id)).toHaveLength(3);
  });

  it('count a policy without a severity as MEDIUM', async () => {
    const medium = await events.addWebhook({ filters: { severity: ['MEDIUM'] } });
    const low = await events.addWebhook({ filters: { severity: ['LOW'] } });
    await inventory.createPolicy('p');
    expect(await events.waiting(medium)).toEqual(['policy.deployment.completed']);
    expect(await events.waiting(low)).toEqual([]);
  });

  it('hold for the types that a webhook asks for alone, and for one that is paused', async () => {
    const id = await events.addWebhook({ active: false, events: ['resource.changed'] });
    await inventory.put('b');
    await inventory.put('b', { public: true });
    expect(await events.waiting(id)).toEqual(['resource.changed']);
  });
});

describe('a replay', () => {
  const replay = (body: unknown, headers = {}) =>
    service.send('POST', '/v1/events/replay', { body, headers });
  const counts = async (body: unknown) => {
    const got = await replay(body);
    expect(got.status, got.text).toBe(202);
    return got.json;
  };

  it('queues events by id in their order, once each, for one webhook whatever it asks for', async () => {
    const first = await triggered('user.login');
    const second = await triggered('scan.completed');
    const id = await events.addWebhook({ events: ['resource.changed'] });
    const asked = { event_ids: [second, first, second], webhook_id: id };
    expect(await counts(asked)).toEqual({ events: 2, deliveries: 2 });
    expect(await events.waiting(id)).toEqual(['user.login', 'scan.completed']);
  });

  it('queues events for all webhooks that they are for, and no others', async () => {
    await inventory.createPolicy('p', { severity: 'HIGH' });
    await inventory.put('b', { public: true, environment: 'production' });
    const here = await events.addWebhook({ filters: { environments: ['production'] } });
    const there = await events.addWebhook({ filters: { environments: ['staging'] } });
    const types = ['policy.violation.created', 'policy.violation.detected'];
    const since = '2026-03-01T00:00:00Z';
    expect(await counts({ since, types })).toEqual({ events: 2, deliveries: 2 });
    expect(await events.waiting(here)).toEqual(types);
    expect(await events.waiting(there)).toEqual([]);
  });

  it('takes a time from and, without it, up to', async () => {
    const id = await events.addWebhook({ events: ['resource.changed'] });
    for (const type of ['user.login', 'scan.completed', 'scan.failed'] as const) {
      service.advance(minute);
      await triggered(type);
    }
    const range = { since: '2026-03-01T12:01:00Z', until: '2026-03-01T12:03:00.000Z' };
    expect(await counts({ ...range, webhook_id: id })).toEqual({ events: 2, deliveries: 2 });
    expect(await events.waiting(id)).toEqual(['user.login', 'scan.completed']);
    const none = { since: '2027-01-01T00:00:00Z', webhook_id: id };
    expect(await counts(none)).toEqual({ events: 0, deliveries: 0 });
  });

  it('of very many queues them in batches, in order, and none that come meanwhile', async () => {
    await service.deps.store.transact(async (tx) => {
      for (let at = 0; at < 450; at++) await emit(service.deps, tx, 'user.login', { at });
    });
    const id = await events.addWebhook({ events: ['resource.changed'] });
    const asked = { since: '2026-01-01T00:00:00Z', types: ['user.login'], webhook_id: id };
    const [first] = await Promise.all([counts(asked), triggered('user.login')]);
    expect(first).toEqual({ events: 450, deliveries: 450 });
    const { sequence: at } = (await list('type=user.login&limit=1')).events[0] ?? {};
    expect(at).toBe(2);
    const audited = await inventory.ok('GET', '/v1/audit-log?action=event.replay');
    expect(audited.json.audit_log).toMatchObject([{ subject: id }]);
  });

  it('finds events by the time they were stamped, in their order, when the clock was set back', async () => {
    const id = await events.addWebhook({ events: ['resource.changed'] });
    const at = async (minutes: number, type: EventType): Promise<void> => {
      service.advance(minutes * minute);
      await triggered(type);
      service.advance(-minutes * minute);
    };
    await at(30, 'user.login');
    await at(10, 'scan.completed');
    await at(50, 'scan.failed');
    await at(20, 'resource.changed');
    await at(5, 'user.login');
    await events.clear(id);
    await service.deps.store.transact((tx) => tx.hold(webhookLanes, id, true));
    const range = { since: '2026-03-01T12:10:00Z', until: '2026-03-01T12:50:00Z' };
    expect(await counts({ ...range, webhook_id: id })).toEqual({ events: 3, deliveries: 3 });
    expect(await events.waiting(id)).toEqual(['user.login', 'scan.completed', 'resource.changed']);
  });

  it('up to a time reads none of the many that came later', async () => {
    await triggered('scan.completed');
    service.advance(minute);
    await service.deps.store.transact(async (tx) => {
      for (let at = 0; at < 3_000; at++) await emit(service.deps, tx, 'user.login', { at });
    });
    const id = await events.addWebhook({ events: ['resource.changed'] });
    eventsRead = 0;
    const range = { since: '2026-03-01T12:00:00Z', until: '2026-03-01T12:01:00Z' };
    expect(await counts({ ...range, webhook_id: id })).toEqual({ events: 2, deliveries: 2 });
    expect(eventsRead).toBeLessThan(1_500);
  });

  it('asked for twice at the same moment with one idempotency key happens once', async () => {
    await service.deps.store.transact(async (tx) => {
      for (let at = 0; at < 250; at++) await emit(service.deps, tx, 'user.login', { at });
    });
    const id = await events.addWebhook({ events: ['resource.changed'] });
    const asked = { since: '2026-01-01T00:00:00Z', types: ['user.login'], webhook_id: id };
    const headers = { 'idempotency-key': 'k' };
    const got = await Promise.all([1, 2, 3].map(() => replay(asked, headers)));
    expect(got.map(({ status, json }) => [status, json])).toEqual(
      Array.from({ length: 3 }, () => [202, { events: 250, deliveries: 250 }]),
    );
    expect(got.filter(({ headers: sent }) => sent.has('idempotent-replayed'))).toHaveLength(2);
    expect(await events.waiting(id)).toHaveLength(250);
  });

  it('that fails lets the next one with its idempotency key act', async () => {
    const id = await events.addWebhook({ events: ['resource.changed'] });
    const headers = { 'idempotency-key': 'k' };
    const [gone, ...others] = await Promise.all([
      replay({ event_ids: ['evt_none'], webhook_id: id }, headers),
      replay({ since: '2026-01-01T00:00:00Z', webhook_id: id }, headers),
      replay({ since: '2026-01-01T00:00:00Z', webhook_id: id }, headers),
    ]);
    expect([gone.status, ...others.map(({ status }) => status)]).toEqual([404, 202, 202]);
    expect(await events.waiting(id)).toEqual(['api.key.created']);
  });

  it('repeated with its idempotency key queues nothing again', async () => {
    const id = await events.addWebhook({ events: ['resource.changed'] });
    const asked = { since: '2026-01-01T00:00:00Z', webhook_id: id };
    const headers = { 'idempotency-key': 'k' };
    const first = await replay(asked, headers);
    const second = await replay(asked, headers);
    expect(second.text).toBe(first.text);
    expect(await events.waiting(id)).toEqual(['api.key.created']);
  });

  it('of an event, or for a webhook, that is not there queues nothing', async () => {
    const known = await triggered('user.login');
    const id = await events.addWebhook({ events: ['resource.changed'] });
    const gone = await replay({ event_ids: [known, 'evt_none'], webhook_id: id });
    expect([gone.status, gone.json.error]).toEqual([404, 'event_not_found']);
    expect(gone.json.error_description).toContain('deletes old events');
    const nobody = await replay({ event_ids: [known], webhook_id: 'wh_none' });
    expect([nobody.status, nobody.json.error]).toEqual([404, 'webhook_not_found']);
    expect(await events.waiting(id)).toEqual([]);
  });

  it.each([
    [{}, 'since'],
    [{ event_ids: ['evt_1'], since: '2026-01-01T00:00:00Z' }, 'since'],
    [{ event_ids: ['evt_1'], types: ['user.login'] }, 'event_ids'],
    [{ event_ids: [] }, 'event_ids'],
    [{ since: 'yesterday' }, 'since'],
  ])('asked for as %j is refused at %s', async (body, field) => {
    const got = await replay(body);
    expect([got.status, fieldsOf(got)]).toEqual([400, [field]]);
  });
});

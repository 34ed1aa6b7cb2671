import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emit } from '../../../src/server/events/emit.ts';
import { webhookLanes, webhooks } from '../../../src/server/webhooks/collection.ts';
import type { StoredWebhook } from '../../../src/server/webhooks/collection.ts';
import type { Outcome, Outgoing } from '../../../src/server/outbound/send.ts';
import type { Got, Sent, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

const hour = 3_600_000;
const input = (fields: Readonly<Record<string, unknown>> = {}) => ({
  url: 'https://hooks.example.com/govctl',
  events: ['scan.completed'],
  secret: 'a-long-enough-secret',
  ...fields,
});

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const send = (method: string, url: string, body?: unknown, sent: Sent = {}): Promise<Got> =>
  service.send(method, url, { ...(body === undefined ? {} : { body }), ...sent });

async function ok(method: string, url: string, body?: unknown, sent: Sent = {}): Promise<Got> {
  const got = await send(method, url, body, sent);
  if (got.status >= 300) throw new Error(`${method} ${url}: ${got.status} ${got.text}`);
  return got;
}

const create = async (fields: Readonly<Record<string, unknown>> = {}): Promise<string> =>
  String((await ok('POST', '/v1/webhooks', input(fields))).json.id);
const read = (id: string): Promise<Got> => ok('GET', `/v1/webhooks/${id}`);
const update = (id: string, body: unknown): Promise<Got> => ok('PUT', `/v1/webhooks/${id}`, body);

const stored = async (id: string): Promise<StoredWebhook> => {
  const row = await service.deps.store.get(webhooks, id);
  if (!row) throw new Error('it is not stored');
  return row.doc;
};

const happen = (data: Readonly<Record<string, unknown>> = { scan: {} }): Promise<unknown> =>
  service.deps.store.transact((tx) => emit(service.deps, tx, 'scan.completed', data));

const lane = (id: string) => service.deps.store.laneState(webhookLanes, id);

describe('a webhook', () => {
  it('is created active, and its secret is never told again', async () => {
    const got = await ok('POST', '/v1/webhooks', input());
    const { id } = got.json;
    expect(got.status).toBe(201);
    expect(got.headers.get('location')).toBe(`/v1/webhooks/${String(id)}`);
    expect(got.headers.get('etag')).toMatch(/^"\d+"$/);
    expect(got.json).toEqual({
      id: expect.stringMatching(/^wh_[0-9a-z]{26}$/) as unknown,
      url: 'https://hooks.example.com/govctl',
      events: ['scan.completed'],
      active: true,
      secret_hint: 'cret',
      status: 'active',
      waiting: 0,
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
      created_by: expect.stringMatching(/^user_/) as unknown,
    });
    const texts = [got, await read(String(id)), await ok('GET', '/v1/webhooks')];
    for (const { text } of texts) expect(text).not.toContain('long-enough');
    const { secret } = await stored(String(id));
    expect(secret).not.toContain('long-enough');
    expect(service.deps.secrets.open(secret, String(id))).toBe('a-long-enough-secret');
  });

  it('keeps all that it was given', async () => {
    const fields = {
      name: 'chat',
      tags: ['team:web'],
      filters: { severity: ['HIGH'], environments: ['prod'], cloud_providers: ['aws'] },
      retry_config: { max_attempts: 3, backoff_multiplier: 1.5 },
      timeout_seconds: 5,
      headers: { 'X-Team': 'web', Authorization: 'Bearer x', constructor: 'yes' },
    };
    expect((await read(await create(fields))).json).toMatchObject(fields);
  });

  it('made twice with one Idempotency-Key is one', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await ok('POST', '/v1/webhooks', input(), { headers });
    const again = await ok('POST', '/v1/webhooks', input(), { headers });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await send('POST', '/v1/webhooks', input({ name: 'x' }), { headers });
    expect(other.status).toBe(409);
  });

  it('takes a scope to change, another one to read', async () => {
    const id = await create();
    const reader = { key: await service.keyWith('governance:read') };
    const writer = { key: await service.keyWith('compliance:write') };
    expect((await send('GET', `/v1/webhooks/${id}`, undefined, reader)).status).toBe(200);
    expect((await send('GET', `/v1/webhooks/${id}`, undefined, writer)).status).toBe(403);
    expect((await send('DELETE', `/v1/webhooks/${id}`, undefined, reader)).status).toBe(403);
    expect((await send('POST', '/v1/webhooks', input(), reader)).status).toBe(403);
  });

  it('sent back as it was read changes nothing, and writes nothing', async () => {
    const id = await create({ filters: { severity: ['LOW'] }, headers: { 'X-A': 'b' } });
    const before = await read(id);
    service.advance(1_000);
    const same = await update(id, before.json);
    expect(same.text).toBe(before.text);
    expect(same.headers.get('etag')).toBe(before.headers.get('etag'));
    const log = await ok('GET', `/v1/audit-log?subject=${id}`);
    expect((log.json.audit_log as unknown[]).length).toBe(1);
  });

  it('changed in part keeps the rest; null clears', async () => {
    const id = await create({ name: 'a', timeout_seconds: 5, filters: { severity: ['LOW'] } });
    const got = await update(id, { timeout_seconds: 7, name: null, filters: { environments: [] } });
    expect(got.json).toMatchObject({ timeout_seconds: 7, filters: { environments: [] } });
    expect(got.json).not.toHaveProperty('name');
    expect(got.json.events).toEqual(['scan.completed']);
    const log = await ok('GET', `/v1/audit-log?subject=${id}&order=desc`);
    expect((log.json.audit_log as unknown[])[0]).toMatchObject({
      action: 'webhook.update',
      changes: ['filters', 'timeout_seconds', 'name'],
    });
    expect(log.text).not.toContain('LOW');
  });

  it('is changed only as it was read, where that is asked for', async () => {
    const id = await create();
    const headers = { 'if-match': (await read(id)).headers.get('etag') ?? '' };
    const change = (fields: object) => send('PUT', `/v1/webhooks/${id}`, fields, { headers });
    expect((await change({ timeout_seconds: 1 })).status).toBe(200);
    expect((await change({ timeout_seconds: 2 })).json.error_code).toBe('REQ_004');
    const deleted = await send('DELETE', `/v1/webhooks/${id}`, undefined, { headers });
    expect(deleted.status).toBe(412);
  });

  it('that is not there is WHK_002', async () => {
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
      const got = await send(method, '/v1/webhooks/wh_none', body);
      expect([got.status, got.json.error_code]).toEqual([404, 'WHK_002']);
    }
  });

  it('deleted is gone with what waits for it', async () => {
    const id = await create();
    await happen();
    expect(await lane(id)).toMatchObject({ waiting: 1 });
    expect((await ok('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    expect((await send('GET', `/v1/webhooks/${id}`)).status).toBe(404);
    expect(await lane(id)).toMatchObject({ waiting: 0 });
    await happen();
    expect(await lane(id)).toMatchObject({ waiting: 0 });
  });

  it('is found in the list by its status', async () => {
    const active = await create({ name: 'b' });
    const paused = await create({ name: 'a', active: false });
    const ids = async (query: string) =>
      ((await ok('GET', `/v1/webhooks?${query}`)).json.webhooks as { id: string }[]).map(
        ({ id }) => id,
      );
    expect(await ids('')).toEqual([paused, active]);
    expect(await ids('status=active')).toEqual([active]);
    expect(await ids('status=disabled')).toEqual([paused]);
    expect(await ids('sort_by=name&order=asc&limit=1')).toEqual([paused]);
    expect((await send('GET', '/v1/webhooks?status=broken')).status).toBe(400);
  });

  it('tells in the list, too, how many events wait for it by now', async () => {
    const id = await create();
    const waiting = async () =>
      ((await ok('GET', '/v1/webhooks')).json.webhooks as { waiting: number }[])[0]?.waiting;
    expect(await waiting()).toBe(0);
    await happen();
    await happen();
    expect(await waiting()).toBe(2);
    expect((await read(id)).json.waiting).toBe(2);
  });
});

describe('a webhook is refused as WHK_001, by its field, with', () => {
  const many = (count: number, length: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'v'.repeat(length)]));

  it.each([
    ['no url', { url: undefined }, 'url'],
    ['http', { url: 'http://hooks.example.com/' }, 'url'],
    ['credentials in the url', { url: 'https://me:pass-word@hooks.example.com/' }, 'url'],
    ['a private address', { url: 'https://10.0.0.1/' }, 'url'],
    ['an address as one number', { url: 'https://167772161/' }, 'url'],
    ['a line break in the url', { url: 'https://hooks.example.com/\r\nX: y' }, 'url'],
    ['no events', { events: [] }, 'events'],
    ['an unknown event', { events: ['scan.complete'] }, 'events[0]'],
    ['an event twice', { events: ['scan.failed', 'scan.failed'] }, 'events'],
    ['a short secret', { secret: 'short' }, 'secret'],
    ['a secret without a key', { secret: 'whsec_==' }, 'secret'],
    ['an unknown field', { evnets: [] }, 'evnets'],
    ['an unknown severity', { filters: { severity: ['high'] } }, 'filters.severity[0]'],
    ['no attempts', { retry_config: { max_attempts: 0 } }, 'retry_config.max_attempts'],
    ['a long timeout', { timeout_seconds: 31 }, 'timeout_seconds'],
    [
      'a header of ours',
      { headers: { 'x-service-signature': 'x' } },
      'headers.x-service-signature',
    ],
    ['a header of Standard Webhooks', { headers: { 'Webhook-Id': 'x' } }, 'headers.Webhook-Id'],
    ['Host', { headers: { HOST: 'x' } }, 'headers.HOST'],
    ['Content-Length', { headers: { 'content-length': '1' } }, 'headers.content-length'],
    ['Connection', { headers: { connection: 'close' } }, 'headers.connection'],
    ['Transfer-Encoding', { headers: { 'transfer-encoding': 'x' } }, 'headers.transfer-encoding'],
    ['Content-Type', { headers: { 'content-type': 'x' } }, 'headers.content-type'],
    ['a header of a proxy', { headers: { 'proxy-auth': 'x' } }, 'headers.proxy-auth'],
    ['a header without a name', { headers: { '': 'x' } }, 'headers.'],
    ['a space in a name', { headers: { 'a b': 'x' } }, 'headers.a b'],
    ['a line break in a name', { headers: { 'a\r\nb': 'x' } }, 'headers.a\r\nb'],
    ['a line break in a value', { headers: { 'x-a': 'b\r\nc: d' } }, 'headers.x-a'],
    ['a NUL in a value', { headers: { 'x-a': 'b\0' } }, 'headers.x-a'],
    ['a value beyond Latin-1', { headers: { 'x-a': '→' } }, 'headers.x-a'],
    ['a value that is no text', { headers: { 'x-a': 1 } }, 'headers.x-a'],
    ['a header twice', { headers: { 'X-A': '1', 'x-a': '2' } }, 'headers.x-a'],
    ['too many headers', { headers: many(51, 1) }, 'headers'],
    ['too large headers', { headers: many(20, 1_000) }, 'headers'],
  ])('%s', async (_, fields, field) => {
    const got = await send('POST', '/v1/webhooks', input(fields));
    expect([got.status, got.json.error_code, fieldsOf(got)]).toEqual([400, 'WHK_001', [field]]);
    expect(got.text).not.toContain('pass-word');
    const id = await create();
    if (Object.values(fields)[0] !== undefined) {
      const changed = await send('PUT', `/v1/webhooks/${id}`, fields);
      expect([changed.status, changed.json.error_code]).toEqual([400, 'WHK_001']);
    }
    expect((await ok('GET', '/v1/webhooks')).json.pagination).toMatchObject({ total: 1 });
  });

  it('a header named __proto__', async () => {
    const text = JSON.stringify(input()).replace(
      '{',
      '{"headers":{"__proto__":"x","constructor":"y"},',
    );
    const got = await service.send('POST', '/v1/webhooks', { text });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['headers.__proto__']]);
  });

  it('another id', async () => {
    const got = await send('PUT', `/v1/webhooks/${await create()}`, { id: 'wh_other' });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['id']]);
  });
});

describe('the host of a webhook', () => {
  it('with a private address is refused on a server for others, as is this machine', async () => {
    await service.close();
    const addresses: Record<string, string> = {
      'inside.example': '192.168.0.7',
      'hooks.example.com': '8.8.8.8',
    };
    service = await startTestService({
      isLocal: false,
      resolve: (host) => {
        const address = addresses[host];
        return address === undefined
          ? Promise.reject(new Error('ENOTFOUND'))
          : Promise.resolve([{ address, family: 4 }]);
      },
    });
    const id = await create();
    for (const url of ['https://inside.example/', 'http://127.0.0.1/', 'https://localhost/']) {
      expect(fieldsOf(await send('POST', '/v1/webhooks', input({ url })))).toEqual(['url']);
      expect(fieldsOf(await send('PUT', `/v1/webhooks/${id}`, { url }))).toEqual(['url']);
    }
    await create({ url: 'https://nowhere.example/' });
    // Its name means another machine by now, but nothing of it is changed.
    addresses['hooks.example.com'] = '10.0.0.1';
    await update(id, (await read(id)).json);
    await update(id, { url: 'https://hooks.example.com/govctl', timeout_seconds: 3 });
  });

  it('may be this machine on a server that only it can reach', async () => {
    await create({ url: 'http://127.0.0.1:3000/hook' });
    await create({ url: 'http://localhost:3000/hook' });
  });
});

describe('the secret of a webhook', () => {
  it('that is followed by another stays in use for a day', async () => {
    const id = await create();
    const got = await update(id, { secret: 'another-secret-42' });
    expect(got.json).toMatchObject({
      secret_hint: 't-42',
      previous_secret_expires_at: '2026-03-02T12:00:00.000Z',
    });
    const { secret, previous_secret: previous = '' } = await stored(id);
    expect(service.deps.secrets.open(secret, id)).toBe('another-secret-42');
    expect(service.deps.secrets.open(previous, id)).toBe('a-long-enough-secret');
    expect(got.text).not.toMatch(/another|long-enough|v1:/);
    service.advance(24 * hour);
    expect((await read(id)).json).not.toHaveProperty('previous_secret_expires_at');
    await update(id, { timeout_seconds: 3 });
    expect(await stored(id)).not.toHaveProperty('previous_secret');
  });

  it('set to what it is changes nothing', async () => {
    const id = await create();
    const before = await read(id);
    service.advance(1_000);
    expect((await update(id, { secret: 'a-long-enough-secret' })).text).toBe(before.text);
  });

  it('does not show in the audit log', async () => {
    const id = await create();
    await update(id, { secret: 'another-secret-42' });
    const { text, json } = await ok('GET', `/v1/audit-log?subject=${id}`);
    expect((json.audit_log as unknown[])[0]).toMatchObject({ changes: ['secret'] });
    expect(text).not.toContain('another');
  });
});

describe('a webhook that is paused', () => {
  it('has its events wait, says since when and why, and goes on when it is let go', async () => {
    const sent: Outgoing[] = [];
    await service.close();
    service = await startTestService({
      receive(outgoing): Promise<Outcome> {
        sent.push(outgoing);
        return Promise.resolve({ durationMs: 1, status: 200, headers: {}, body: '' });
      },
    });
    const id = await create();
    expect((await update(id, { active: false })).json).toMatchObject({
      active: false,
      status: 'disabled',
      disabled_at: '2026-03-01T12:00:00.000Z',
      disabled_reason: 'paused by a user',
    });
    await happen({ scan: { id: 1 } });
    await happen({ scan: { id: 2 } });
    await service.deliveries?.idle();
    expect(sent).toEqual([]);
    expect((await read(id)).json.waiting).toBe(2);
    const resumed = await update(id, { active: true });
    expect(resumed.json).toMatchObject({ active: true, status: 'active' });
    expect(resumed.json).not.toHaveProperty('disabled_at');
    expect(resumed.json).not.toHaveProperty('disabled_reason');
    await service.deliveries?.idle();
    expect(sent.map(({ body }) => (JSON.parse(body) as { data: unknown }).data)).toEqual([
      { scan: { id: 1 } },
      { scan: { id: 2 } },
    ]);
    expect((await read(id)).json).toMatchObject({
      waiting: 0,
      last_delivery: { status: 'succeeded', event_type: 'scan.completed', response_status: 200 },
    });
  });

  it('from its creation on holds its events, and null lets it go', async () => {
    const id = await create({ active: false });
    expect((await read(id)).json).toMatchObject({ disabled_reason: 'paused by a user' });
    expect(await lane(id)).toMatchObject({ held: true });
    expect((await update(id, { active: null })).json.active).toBe(true);
    expect(await lane(id)).toMatchObject({ held: false });
  });

  it('is sent what was queued before its events were changed', async () => {
    const id = await create({ active: false });
    await happen();
    await update(id, { events: ['scan.failed'], filters: { environments: ['prod'] } });
    await happen();
    expect((await read(id)).json.waiting).toBe(1);
  });
});

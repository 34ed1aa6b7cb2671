import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureBootstrapKey } from '../../../src/server/auth/bootstrap.ts';
import { apiKeyStates, apiKeys } from '../../../src/server/auth/collection.ts';
import type { StoredApiKey } from '../../../src/server/auth/collection.ts';
import { completeStore } from '../../../src/server/wiring/modules.ts';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const hour = 3_600_000;
const create = async (body: object = {}, by?: string): Promise<Record<string, unknown>> => {
  const sent = { name: 'ci', scopes: ['governance:read'], ...body };
  const got = await service.send('POST', '/v1/api-keys', {
    body: sent,
    ...(by === undefined ? {} : { key: by }),
  });
  expect(got.status, got.text).toBe(201);
  return got.json;
};
const rotate = (id: unknown, body: object = {}, sent: object = {}): Promise<Got> =>
  service.send('POST', `/v1/api-keys/${String(id)}/rotate`, { body, ...sent });
const read = (key: unknown): Promise<Got> =>
  service.send('GET', '/v1/policies', { key: String(key) });
const shownOf = ({ key: _, ...shown }: Record<string, unknown>) => shown;
const statusOf = async (key: unknown): Promise<number> => (await read(key)).status;

describe('rotating an API key', () => {
  it('answers a new secret once, under the same ID; the old one works for a day more', async () => {
    const before = await create();
    const got = await rotate(before.id);
    expect([got.status, got.headers.get('etag'), got.headers.get('cache-control')]).toEqual([
      200,
      '"2"',
      'no-store',
    ]);
    expect(got.json).toEqual({
      ...before,
      key: expect.stringMatching(/^gk_[\w-]{43}$/) as string,
      key_hint: String(got.json.key).slice(-4),
      rotated_at: '2026-03-01T12:00:00.000Z',
      previous_key_expires_at: '2026-03-02T12:00:00.000Z',
    });
    expect(got.json.key).not.toBe(before.key);
    expect((await service.send('GET', `/v1/api-keys/${String(before.id)}`)).text).not.toContain(
      String(got.json.key),
    );
    expect([await statusOf(before.key), await statusOf(got.json.key)]).toEqual([200, 200]);
    service.advance(24 * hour - 1);
    expect(await statusOf(before.key)).toBe(200);
    service.advance(1);
    const late = await read(before.key);
    expect([late.status, late.json.error]).toEqual([401, 'expired_token']);
    expect(late.json.error_description).toBe(
      'The previous secret of this API key expired at 2026-03-02T12:00:00.000Z; get a new one',
    );
    expect(await statusOf(got.json.key)).toBe(200);
    const shown = await service.send('GET', `/v1/api-keys/${String(before.id)}`);
    expect(shown.json).not.toHaveProperty('previous_key_expires_at');
  });

  it('ends the old secret when it is said to: at once with 0, and at the next rotation', async () => {
    const first = await create();
    const second = (await rotate(first.id, { overlap_seconds: 0 })).json;
    expect([await statusOf(first.key), await statusOf(second.key)]).toEqual([401, 200]);
    expect(second).not.toHaveProperty('previous_key_expires_at');
    const third = (await rotate(first.id, { overlap_seconds: 60 })).json;
    const fourth = (await rotate(first.id, { overlap_seconds: 60 })).json;
    expect([
      await statusOf(second.key),
      await statusOf(third.key),
      await statusOf(fourth.key),
    ]).toEqual([401, 200, 200]);
    service.advance(60_000);
    expect([await statusOf(third.key), await statusOf(fourth.key)]).toEqual([401, 200]);
  });

  it('ends both with the key: when it expires, and when it is revoked', async () => {
    const short = await create({ expires_at: '2026-03-01T13:00:00Z' });
    const next = (await rotate(short.id)).json;
    service.advance(hour);
    expect([await statusOf(short.key), await statusOf(next.key)]).toEqual([401, 401]);
    expect((await rotate(short.id)).json).toMatchObject({ error: 'malformed_request' });
    const revoked = await create();
    const after = (await rotate(revoked.id)).json;
    await service.send('DELETE', `/v1/api-keys/${String(revoked.id)}`);
    expect([await statusOf(revoked.key), await statusOf(after.key)]).toEqual([401, 401]);
  });

  it('leaves an entry in the audit log, and heeds If-Match', async () => {
    const { id } = await create();
    const stale = await rotate(id, {}, { headers: { 'if-match': '"7"' } });
    expect([stale.status, stale.json.error]).toEqual([412, 'precondition_failed']);
    await rotate(id, {}, { headers: { 'if-match': '"1"' } });
    const { json } = await service.send('GET', '/v1/audit-log?action=api_key.rotate');
    expect(json.audit_log).toEqual([expect.objectContaining({ subject: id })]);
  });

  it.each([
    ['an overlap below 0', { overlap_seconds: -1 }, ['overlap_seconds']],
    ['an overlap over 30 days', { overlap_seconds: 2_592_001 }, ['overlap_seconds']],
    ['half a second', { overlap_seconds: 0.5 }, ['overlap_seconds']],
    ['other fields', { scopes: ['admin'] }, ['scopes']],
  ])('is refused with %s', async (_, body, fields) => {
    const { id, key } = await create();
    const got = await rotate(id, body);
    expect([got.status, fieldsOf(got)]).toEqual([400, fields]);
    expect(await statusOf(key)).toBe(200);
  });

  it('takes all scopes that the key has; so does changing it', async () => {
    const { id, key } = await create({ scopes: ['governance:read', 'compliance:write'] });
    const admin = String((await create({ scopes: ['admin', 'governance:read'] })).key);
    for (const got of [
      await rotate(id, {}, { key: admin }),
      await service.send('PUT', `/v1/api-keys/${String(id)}`, { key: admin, body: { name: 'x' } }),
    ]) {
      expect([got.status, got.json.error]).toEqual([403, 'insufficient_scope']);
      expect(got.json.error_description).toContain('compliance:write');
    }
    expect(await statusOf(key)).toBe(200);
    // Less is open to every admin.
    const gone = await service.send('DELETE', `/v1/api-keys/${String(id)}`, { key: admin });
    expect(gone.status).toBe(204);
  });

  it('makes whoever rotates it its holder, not who made it: nobody acts as two people', async () => {
    const maker = await create({ scopes: ['admin', 'governance:read'] });
    const other = await create({ scopes: ['admin', 'governance:read'] });
    const ownedBy = (key: unknown) => create({}, String(key));
    const made = await ownedBy(maker.key);
    expect(made.made_by).toBe(maker.made_by);
    const [operators] = (await service.send('GET', '/v1/api-keys?sort_by=created_at&order=asc'))
      .json.api_keys as { user_id: string }[];
    expect(made.made_by).toBe(operators?.user_id);
    const rotated = await rotate(made.id, {}, { key: other.key });
    expect(rotated.json.made_by).toBe(other.made_by);
  });

  it("of the data folder's own takes that key: nobody else, whatever their scopes, becomes the operator", async () => {
    const { json } = await service.send('GET', '/v1/api-keys');
    const [own] = json.api_keys as { id: string; scopes: string[] }[];
    const { key } = await create({ scopes: own?.scopes });
    const other = { key: String(key) };
    for (const got of [
      await rotate(own?.id, {}, other),
      await service.send('PUT', `/v1/api-keys/${own?.id ?? ''}`, { ...other, body: { name: 'x' } }),
    ]) {
      expect([got.status, got.json.error]).toEqual([403, 'insufficient_scope']);
    }
    const rotated = await rotate(own?.id);
    expect(rotated.json).not.toHaveProperty('bound_to');
    expect([await statusOf(service.key), await statusOf(rotated.json.key)]).toEqual([200, 200]);
  });

  it('leaves the old secret bound to who held it, and the new one to who rotated it', async () => {
    const bound = async (email: string, roles: string[]) => {
      const user = await service.send('POST', '/v1/users', { body: { email, roles } });
      expect(user.status, user.text).toBe(201);
      const { id, key } = await create({ scopes: ['admin', 'governance:read'] });
      await service.deps.store.transact(async (tx) => {
        const row = await tx.get(apiKeys, String(id));
        if (!row) throw new Error('it was just made');
        await tx.replace(apiKeys, { ...row.doc, bound_to: String(user.json.id) });
      });
      return { user: String(user.json.id), key };
    };
    const [ann, bob] = [await bound('ann@x.example', ['admin']), await bound('bob@x.example', ['admin'])]; // prettier-ignore
    const made = await create({}, String(ann.key));
    const rotated = (await rotate(made.id, {}, { key: bob.key })).json;
    expect([await statusOf(made.key), await statusOf(rotated.key)]).toEqual([200, 200]);
    await service.send('POST', `/v1/users/${ann.user}/revoke`);
    expect([await statusOf(made.key), await statusOf(rotated.key)]).toEqual([401, 200]);
    await service.send('POST', `/v1/users/${bob.user}/revoke`);
    expect(await statusOf(rotated.key)).toBe(401);
    const list = await service.send('GET', '/v1/api-keys?sort_by=last_used_at');
    expect(list.json.pagination).toMatchObject({ total: 1 });
  });

  it("gives the data folder's own key back as it was when it is given at a start", async () => {
    const { json } = await service.send('GET', '/v1/api-keys');
    const [own] = json.api_keys as { id: string }[];
    await service.send('PUT', `/v1/api-keys/${own?.id ?? ''}`, {
      body: { ip_allow_list: ['203.0.113.0/24'] },
    });
    expect(await statusOf(service.key)).toBe(403);
    await ensureBootstrapKey(service.deps, service.key);
    expect(await statusOf(service.key)).toBe(200);
    await rotate(own?.id, { overlap_seconds: 0 });
    expect(await statusOf(service.key)).toBe(401);
    await ensureBootstrapKey(service.deps, service.key);
    expect(await statusOf(service.key)).toBe(200);
  });
});

describe('the use of an API key', () => {
  const get = (id: unknown) => service.send('GET', `/v1/api-keys/${String(id)}`);

  it('is written down with its time and address, and changes neither ETag nor revision', async () => {
    const { id, key } = await create();
    const { etag } = { etag: (await get(id)).headers.get('etag') };
    await service.send('GET', '/v1/policies', { key: String(key), from: '203.0.113.9' });
    service.advance(1_000);
    await service.maintain();
    const got = await get(id);
    expect(got.json).toMatchObject({
      last_used_at: '2026-03-01T12:00:00.000Z',
      last_used_ip: '203.0.113.9',
    });
    expect(got.headers.get('etag')).toBe(etag);
    const put = await service.send('PUT', `/v1/api-keys/${String(id)}`, {
      body: got.json,
      headers: { 'if-match': String(etag) },
    });
    expect([put.status, put.headers.get('etag')]).toEqual([200, etag]);
  });

  it('sorts lists, with keys that were never used at the end', async () => {
    const [first, second] = [await create({ name: 'first' }), await create({ name: 'second' })];
    await create({ name: 'never' });
    await service.send('GET', '/v1/policies', { key: String(second.key), from: '203.0.113.8' });
    service.advance(1_000);
    await service.send('GET', '/v1/policies', { key: String(first.key), from: '203.0.113.9' });
    service.advance(1_000);
    await service.maintain();
    const namesBy = async (query: string) => {
      const { json } = await service.send('GET', `/v1/api-keys?${query}`);
      return (json.api_keys as { name: string }[]).map(({ name }) => name);
    };
    expect(await namesBy('sort_by=last_used_at&order=asc')).toEqual(['bootstrap', 'second', 'first', 'never']); // prettier-ignore
    expect(await namesBy('sort_by=last_used_ip&order=desc')).toEqual(['first', 'second', 'never', 'bootstrap']); // prettier-ignore
    const page = await service.send('GET', '/v1/api-keys?sort_by=last_used_at&order=asc&limit=2');
    const { next_cursor: cursor } = page.json.pagination as { next_cursor: string };
    expect(await namesBy(`sort_by=last_used_at&order=asc&limit=2&cursor=${cursor}`)).toEqual([
      'first',
      'never',
    ]);
  });
});

describe('an API key of an earlier version, which had its last use in it', () => {
  it('gets a state beside it, and is told of when it expires', async () => {
    const { store } = service.deps;
    const { id } = await create({ expires_at: '2026-03-11T12:00:00Z' });
    const usedAt = '2026-02-01T00:00:00.000Z';
    await store.transact(async (tx) => {
      const key = await tx.get(apiKeys, String(id));
      if (!key) throw new Error('it was just made');
      await tx.replace(apiKeys, { ...key.doc, last_used_at: usedAt } as StoredApiKey);
      await tx.remove(apiKeyStates, String(id));
    });
    await store.transact(completeStore);
    const got = await service.send('GET', `/v1/api-keys/${String(id)}`);
    expect(got.json).toMatchObject({ last_used_at: usedAt });
    expect((await store.get(apiKeys, String(id)))?.doc).not.toHaveProperty('last_used_at');
    await service.maintain();
    const { json } = await service.send('GET', '/v1/events?type=api.key.expiring');
    expect(json.events).toHaveLength(1);
    const revoked = await service.send('DELETE', `/v1/api-keys/${String(id)}`);
    expect(revoked.status).toBe(204);
  });
});

describe('the expiry of an API key', () => {
  const day = 24 * hour;
  const told = async () => {
    await service.maintain();
    const { json } = await service.send('GET', '/v1/events?type=api.key.expiring');
    return (json.events as { data: { api_key: Record<string, unknown> } }[]).map(
      ({ data }) => data.api_key,
    );
  };

  it('is told of 14 days ahead, once for each expiry', async () => {
    const shown = shownOf(await create({ expires_at: '2026-03-21T12:00:00.000Z' }));
    await create();
    expect(await told()).toEqual([]);
    service.advance(6 * day);
    expect(await told()).toEqual([shown]);
    service.advance(day);
    await service.send('PUT', `/v1/api-keys/${String(shown.id)}`, { body: { name: 'renamed' } });
    await rotate(shown.id);
    expect(await told()).toHaveLength(1);
    const later = { expires_at: '2026-03-28T12:00:00.000Z' };
    await service.send('PUT', `/v1/api-keys/${String(shown.id)}`, { body: later });
    expect(await told()).toHaveLength(1);
    service.advance(6 * day);
    expect(await told()).toEqual([shown, expect.objectContaining({ name: 'renamed', ...later })]);
  });

  it('is not told of once it is over, was taken away, or its key was revoked', async () => {
    const over = await create({ expires_at: '2026-03-21T12:00:00Z' });
    const freed = await create({ expires_at: '2026-03-21T12:00:00Z' });
    const gone = await create({ expires_at: '2026-03-21T12:00:00Z' });
    await service.send('PUT', `/v1/api-keys/${String(freed.id)}`, { body: { expires_at: null } });
    await service.send('DELETE', `/v1/api-keys/${String(gone.id)}`);
    service.advance(21 * day);
    expect(await told()).toEqual([]);
    await service.send('PUT', `/v1/api-keys/${String(over.id)}`, {
      body: { expires_at: '2026-03-25T12:00:00Z' },
    });
    expect(await told()).toHaveLength(1);
  });
});

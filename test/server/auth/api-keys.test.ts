import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureBootstrapKey } from '../../../src/server/auth/bootstrap.ts';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

let service: TestService;
let id: string;
let secret: string;
/** What a creation answers, but for the secret. */
let made: Readonly<Record<string, unknown>>;

const put = (body: object, headers: Readonly<Record<string, string>> = {}): Promise<Got> =>
  service.send('PUT', `/v1/api-keys/${id}`, { body, headers });
const get = (): Promise<Got> => service.send('GET', `/v1/api-keys/${id}`);
const statusWith = async (key: string): Promise<number> =>
  (await service.send('GET', '/v1/policies', { key })).status;

beforeEach(async () => {
  service = await startTestService();
  const created = await service.send('POST', '/v1/api-keys', {
    body: {
      name: 'ci',
      scopes: ['governance:read', 'compliance:write'],
      expires_at: '2026-03-01T13:00:00Z',
    },
  });
  const { key, ...rest } = created.json;
  [id, secret, made] = [String(rest.id), String(key), rest];
  expect([created.headers.get('location'), created.headers.get('etag')]).toEqual([
    `/v1/api-keys/${id}`,
    '"1"',
  ]);
});
afterEach(() => service.close());

describe('an API key', () => {
  it('is read by its id, without the key itself', async () => {
    const got = await get();
    expect([got.status, got.headers.get('etag')]).toEqual([200, '"1"']);
    expect(got.json).toEqual({ ...made, expires_at: '2026-03-01T13:00:00.000Z' });
    expect(got.text).not.toContain(secret);
  });

  it('is renamed, and expires at another time, as the body says; what is left out stays', async () => {
    const renamed = await put({ name: 'deploy' });
    expect([renamed.status, renamed.headers.get('etag')]).toEqual([200, '"2"']);
    expect(renamed.json).toEqual({ ...made, name: 'deploy' });
    const later = await put({ expires_at: '2026-04-01T00:00:00Z' });
    expect(later.json).toEqual({
      ...made,
      name: 'deploy',
      expires_at: '2026-04-01T00:00:00.000Z',
    });
    expect((await get()).json).toEqual(later.json);
    expect(later.text).not.toContain(secret);
    expect(await statusWith(secret)).toBe(200);
  });

  it('never expires once its expiry is null, and works again when that of an expired one is moved', async () => {
    service.advance(3_600_000);
    expect(await statusWith(secret)).toBe(401);
    expect((await put({ expires_at: '2026-03-01T14:00:00.000Z' })).status).toBe(200);
    expect(await statusWith(secret)).toBe(200);
    expect((await put({ expires_at: null })).json).not.toHaveProperty('expires_at');
    service.advance(400 * 86_400_000);
    expect(await statusWith(secret)).toBe(200);
  });

  it('takes back what was answered, also after it has expired, and writes nothing then', async () => {
    const { json } = await get();
    service.advance(3_600_000);
    const again = await put({
      ...json,
      key_hint: 'else',
      scopes: ['compliance:write', 'governance:read'],
    });
    expect([again.status, again.headers.get('etag')]).toEqual([200, '"1"']);
    expect(again.json).toEqual(json);
    const { json: log } = await service.send('GET', '/v1/audit-log?action=api_key.update');
    expect(log.audit_log).toEqual([]);
  });

  it('leaves an entry in the audit log with the names of the fields that changed', async () => {
    await put({ name: 'deploy', expires_at: null });
    const { json } = await service.send('GET', '/v1/audit-log?action=api_key.update');
    expect(json.audit_log).toEqual([
      expect.objectContaining({ subject: id, changes: ['name', 'expires_at'] }),
    ]);
  });

  it.each([
    ['an expiry that is over', { expires_at: '2026-03-01T12:00:00Z' }, ['expires_at']],
    ['an expiry that is no time', { expires_at: 'tomorrow' }, ['expires_at']],
    ['another id', { id: 'key_else' }, ['id']],
    ['other scopes', { scopes: ['admin'] }, ['scopes']],
    ['fewer scopes', { scopes: ['governance:read'] }, ['scopes']],
    ['a blank name', { name: ' ' }, ['name']],
    ['no name', { name: null }, ['name']],
    ['a field that no key has', { key: 'gk_mine' }, ['key']],
  ])('is not changed by %s', async (_, body, fields) => {
    const got = await put(body);
    expect([got.status, got.json.error, fieldsOf(got)]).toEqual([400, 'malformed_request', fields]);
    expect((await get()).json).toEqual(made);
  });

  it('is changed and revoked only while it is as If-Match says; being used does not count', async () => {
    await statusWith(secret);
    service.advance(1000);
    await service.maintain();
    expect((await get()).json).toHaveProperty('last_used_at');
    expect((await put({ name: 'a' }, { 'if-match': '"1"' })).status).toBe(200);
    const stale = await put({ name: 'b' }, { 'if-match': '"1"' });
    expect([stale.status, stale.json.error, stale.headers.get('etag')]).toEqual([
      412,
      'precondition_failed',
      '"2"',
    ]);
    const revoke = (tag: string) =>
      service.send('DELETE', `/v1/api-keys/${id}`, { headers: { 'if-match': tag } });
    expect((await revoke('"1"')).status).toBe(412);
    expect((await revoke('"2"')).status).toBe(204);
  });

  it('is not found once it is revoked, nor under an id that no key has', async () => {
    await service.send('DELETE', `/v1/api-keys/${id}`);
    for (const got of [await get(), await put({ name: 'x' })]) {
      expect([got.status, got.json.error]).toEqual([404, 'api_key_not_found']);
      expect(got.json.error_description).toBe(`There is no API key ${id}`);
    }
  });

  it('is shown and changed only for an admin', async () => {
    const forWriting = { key: secret };
    for (const got of [
      await service.send('GET', `/v1/api-keys/${id}`, forWriting),
      await service.send('PUT', `/v1/api-keys/${id}`, { ...forWriting, body: { name: 'mine' } }),
    ]) {
      expect([got.status, got.json.error]).toEqual([403, 'insufficient_scope']);
    }
  });
});

describe("the data folder's own key", () => {
  const ownKey = async (): Promise<Record<string, unknown>> => {
    const { json } = await service.send('GET', '/v1/api-keys?sort_by=created_at&order=asc');
    const own = (json.api_keys as Record<string, unknown>[]).find(
      ({ key_hint: hint }) => hint === service.key.slice(-4),
    );
    return own ?? {};
  };

  it('keeps its name at the next start; one given at a start never expires', async () => {
    ({ id } = (await ownKey()) as { id: string });
    await put({ name: 'root' });
    await ensureBootstrapKey(service.deps, service.key);
    expect(await ownKey()).toMatchObject({ id, name: 'root' });

    await put({ expires_at: '2026-03-01T12:00:01Z' });
    const { headers } = await get();
    service.advance(1000);
    expect(await statusWith(service.key)).toBe(401);
    await ensureBootstrapKey(service.deps, service.key);
    expect(await statusWith(service.key)).toBe(200);
    expect(await ownKey()).not.toHaveProperty('expires_at');
    expect((await get()).headers.get('etag')).not.toBe(headers.get('etag'));
  });
});

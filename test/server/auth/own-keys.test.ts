import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Got } from '../test-service.ts';
import type { LoginService } from '../oauth/login-service.ts';
import { startLoginService } from '../oauth/login-service.ts';

/** Ada and Bob are editors; the operator's key is that of the data directory. */
let service: LoginService;
let ada: string;
let bob: string;
let bobsId: string;
beforeAll(async () => {
  service = await startLoginService();
  ada = (await service.login()).tokens.access_token;
  bobsId = await service.addUser('bob@example.com', ['editor']);
  bob = (await service.login('bob@example.com')).tokens.access_token;
});
afterAll(() => service.close());

const as = (key: string, method: string, path = '', body?: object): Promise<Got> =>
  service.send(method, `/v1/api-keys${path}`, { key, ...(body ? { body } : {}) });
const make = async (by: string, fields: object = {}): Promise<Record<string, unknown>> => {
  const made = await as(by, 'POST', '', { name: 'k', scopes: ['governance:read'], ...fields });
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return made.json;
};
const listed = (got: Got): { names: unknown[]; total: unknown } => ({
  names: (got.json.api_keys as Record<string, unknown>[]).map(({ name }) => name),
  total: (got.json.pagination as Record<string, unknown>).total,
});
const revokeAll = async (by: string): Promise<void> => {
  for (const { id } of (await as(by, 'GET', '?limit=100')).json.api_keys as { id: string }[])
    expect((await as(by, 'DELETE', `/${id}`)).status).toBe(204);
};
const statusWith = async (key: unknown): Promise<number> =>
  (await service.send('GET', '/v1/policies', { key: String(key) })).status;

describe('API keys of a person without admin', () => {
  it('are created with restrictions, read, updated, rotated and revoked by them', async () => {
    const made = await make(ada, {
      scopes: ['governance:read', 'compliance:write'],
      expires_at: '2026-03-02T12:00:00Z',
      ip_allow_list: ['192.0.2.0/24'],
      countries: ['FR'],
      require_signature: true,
    });
    expect(made).toMatchObject({ made_by: service.userId, signing_secret: /^gss_/ });
    const path = `/${String(made.id)}`;
    const body = { name: 'laptop', require_signature: false, ip_allow_list: null, countries: null };
    expect((await as(ada, 'PUT', path, body)).json).toMatchObject({ name: 'laptop' });
    expect((await as(ada, 'GET', path)).json).toMatchObject({ name: 'laptop' });
    const rotated = await as(ada, 'POST', `${path}/rotate`, { overlap_seconds: 0 });
    expect(rotated.json).toMatchObject({ made_by: service.userId });
    expect([await statusWith(made.key), await statusWith(rotated.json.key)]).toEqual([401, 200]);
    expect((await as(ada, 'DELETE', path)).status).toBe(204);
    expect(await statusWith(rotated.json.key)).toBe(401);
  });

  it('are listed for an admin by email address; nobody else is told who has a user', async () => {
    await make(bob, { name: 'of bob' });
    const by = (key: string, who: string) => as(key, 'GET', `?bound_to=${who}`);
    expect(listed(await by(service.key, 'Bob@example.com')).names).toContain('of bob');
    expect((await by(service.key, 'bo@example.com')).json).toMatchObject({
      error: 'malformed_request',
      error_description: 'The query is not valid: bound_to is not a user: bo@example.com',
    });
    for (const who of ['bob@example.com', 'bo@example.com'])
      expect([who, listed(await by(ada, who))]).toEqual([who, { names: [], total: 0 }]);
    await revokeAll(bob);
  });

  it('are all that they see and count in lists, also sorted by last use, and by page', async () => {
    await make(bob, { name: 'his' });
    const used = await make(ada, { name: 'used' });
    await make(ada, { name: 'other' });
    await statusWith(used.key);
    await service.maintain();
    expect(listed(await as(ada, 'GET'))).toEqual({ names: ['other', 'used'], total: 2 });
    const byUse = '?sort_by=last_used_at&order=desc';
    expect(listed(await as(ada, 'GET', byUse))).toEqual({ names: ['used', 'other'], total: 2 });
    const his = `?bound_to=${bobsId}`;
    expect(listed(await as(ada, 'GET', his))).toEqual({ names: [], total: 0 });
    expect(listed(await as(service.key, 'GET', his))).toEqual({ names: ['his'], total: 1 });
    expect(listed(await as(service.key, 'GET')).total).toBe(4);
    const first = await as(ada, 'GET', '?limit=1');
    const { next_cursor: cursor } = first.json.pagination as { next_cursor: string };
    expect(listed(await as(ada, 'GET', `?limit=1&cursor=${cursor}`)).names).toEqual(['used']);
    const elsewhere = await as(bob, 'GET', `?limit=1&cursor=${cursor}`);
    expect(elsewhere.json.error_description).toContain('belongs to another list');
    await revokeAll(ada);
    await revokeAll(bob);
  });

  it('are not there for anybody else without admin', async () => {
    const { id, key } = await make(bob, { name: 'his' });
    const operators = await make(service.key);
    const path = `/${String(id)}`;
    for (const [method, behind, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'mine' }],
      ['PUT', '', { name: 'his' }],
      ['POST', '/rotate', {}],
      ['DELETE', '', undefined],
    ] as const) {
      const none = await as(ada, method, `/key_none${behind}`, body);
      expect([none.status, none.json.error]).toEqual([404, 'api_key_not_found']);
      for (const there of [path, `/${String(operators.id)}`]) {
        const got = await as(ada, method, `${there}${behind}`, body);
        expect(got.status).toBe(404);
        const same = (json: object): object => ({ ...json, request_id: '', error_description: '' });
        expect(same(got.json)).toEqual(same(none.json));
      }
    }
    expect(await statusWith(key)).toBe(200);
    expect((await as(service.key, 'GET', path)).json).toMatchObject({ name: 'his' });
    await revokeAll(bob);
  });

  it('manage no keys themselves', async () => {
    const { id, key } = await make(ada);
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', `/${String(id)}`],
      ['DELETE', `/${String(id)}`],
    ] as const) {
      const body = method === 'POST' ? { name: 'k', scopes: ['governance:read'] } : undefined;
      const got = await as(String(key), method, path, body);
      expect([got.status, got.json.error_description]).toEqual([
        403,
        'This requires the scope admin; the token has: governance:read',
      ]);
    }
    await revokeAll(ada);
  });

  it('have no more than the login that makes or rotates them', async () => {
    const { config, back, verifier, state } = await service.consent({
      scope: 'openid governance:read',
    });
    const { access_token: narrow } = await client.authorizationCodeGrant(config, back.url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    const wide = { name: 'k', scopes: ['compliance:write'] };
    const refused = await as(narrow, 'POST', '', wide);
    expect([refused.status, refused.json.error_description]).toEqual([
      403,
      'An API key with compliance:write requires the scope compliance:write; the token has: governance:read',
    ]);
    const { id } = await make(ada, wide);
    const path = `/${String(id)}`;
    expect((await as(narrow, 'POST', `${path}/rotate`, {})).status).toBe(403);
    expect((await as(narrow, 'PUT', path, { expires_at: '2027-01-01T00:00:00Z' })).status).toBe(
      403,
    );
    // To end a key gives nobody more.
    expect((await as(narrow, 'DELETE', path)).status).toBe(204);
  });

  it('lose what their maker loses, who can then only revoke them', async () => {
    const id = await service.addUser('cleo@example.com', ['editor']);
    const made = await make((await service.login('cleo@example.com')).tokens.access_token, {
      scopes: ['governance:read', 'compliance:write'],
    });
    const scopesNow = async (): Promise<unknown> =>
      (await service.send('GET', '/v1/me', { key: String(made.key) })).json.scopes;
    const change = (body: object): Promise<Got> => service.send('PUT', `/v1/users/${id}`, { body });
    expect(await scopesNow()).toEqual(['governance:read', 'compliance:write']);
    await change({ roles: ['viewer'] });
    expect(await scopesNow()).toEqual(['governance:read']);
    const now = (await service.login('cleo@example.com')).tokens.access_token;
    const path = `/${String(made.id)}`;
    expect((await as(now, 'POST', `${path}/rotate`, {})).status).toBe(403);
    expect((await as(now, 'PUT', path, { expires_at: '2027-01-01T00:00:00Z' })).status).toBe(403);
    await change({ disabled: true });
    expect(await statusWith(made.key)).toBe(401);
    await change({ disabled: false });
    const later = (await service.login('cleo@example.com')).tokens.access_token;
    expect((await as(later, 'DELETE', path)).status).toBe(204);
  });

  it('belong to the admin who rotates one from then on; the old secret stays its maker’s until it ends', async () => {
    const made = await make(ada);
    const path = `/${String(made.id)}`;
    const rotated = await as(service.key, 'POST', `${path}/rotate`, {});
    expect(rotated.status).toBe(200);
    expect((await as(ada, 'GET', path)).status).toBe(404);
    expect(listed(await as(ada, 'GET')).total).toBe(0);
    expect(await statusWith(made.key)).toBe(200);
    expect((await as(service.key, 'DELETE', path)).status).toBe(204);
  });

  it('are 20 at most, however many are asked for at once', async () => {
    const body = { name: 'k', scopes: ['governance:read'] };
    const all = await Promise.all(Array.from({ length: 25 }, () => as(ada, 'POST', '', body)));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = await as(ada, 'POST', '', body);
    expect([refused.status, refused.json.error_description]).toEqual([
      400,
      'You have 20 API keys, which is the maximum',
    ]);
    await make(bob);
    await revokeAll(ada);
    await make(ada);
    await revokeAll(ada);
    await revokeAll(bob);
  });
});

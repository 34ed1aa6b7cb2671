import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oauthClients } from '../../../src/server/auth/collection.ts';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

let service: TestService;
let made: Record<string, unknown>;
beforeEach(async () => {
  service = await startTestService();
  made = await create();
});
afterEach(() => service.close());

const create = async (body: object = {}, key = service.key): Promise<Record<string, unknown>> => {
  const sent = { name: 'ci', scopes: ['governance:read', 'compliance:write'], ...body };
  const got = await service.send('POST', '/v1/oauth-clients', { body: sent, key });
  expect(got.status, got.text).toBe(201);
  return got.json;
};
const at = (client: Record<string, unknown>): string => `/v1/oauth-clients/${String(client.id)}`;
const rotate = (body: object = {}, sent: object = {}): Promise<Got> =>
  service.send('POST', `${at(made)}/rotate`, { body, ...sent });
const exchange = ({ client_id, client_secret }: Record<string, unknown>): Promise<Got> =>
  service.send('POST', '/auth/token', {
    key: null,
    body: { grant_type: 'client_credentials', client_id, client_secret },
  });
const statusOf = async (token: unknown): Promise<number> =>
  (await service.send('GET', '/v1/policies', { key: String(token) })).status;

describe('an OAuth client', () => {
  it('is read and renamed by its ID, without its secret, while it is as If-Match says', async () => {
    const { client_secret: secret, ...shown } = made;
    const got = await service.send('GET', at(made));
    expect([got.status, got.headers.get('etag'), got.json]).toEqual([200, '"1"', shown]);
    const put = (body: object, headers = {}) => service.send('PUT', at(made), { body, headers });
    const renamed = await put({ ...shown, name: 'deploy' }, { 'if-match': '"1"' });
    expect([renamed.status, renamed.headers.get('etag')]).toEqual([200, '"2"']);
    expect(renamed.json).toEqual({ ...shown, name: 'deploy' });
    expect((await put({ name: 'deploy' })).headers.get('etag')).toBe('"2"');
    expect((await put({ name: 'x' }, { 'if-match': '"1"' })).status).toBe(412);
    const scopes = await put({ scopes: ['admin'] });
    expect([scopes.status, fieldsOf(scopes)]).toEqual([400, ['scopes']]);
    expect((await exchange(made)).status).toBe(200);
    expect(renamed.text).not.toContain(String(secret));
  });

  it('is not found under another ID', async () => {
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const) {
      // prettier-ignore
      const body = method === 'PUT' || method === 'POST' ? { body: {} } : {};
      const got = await service.send(method, `/v1/oauth-clients/oc_none${path}`, body);
      expect([method, got.status, got.json.error]).toEqual([method, 404, 'oauth_client_not_found']);
    }
  });

  it('gets a new secret by a rotation; the old one works for a day more, or as long as is said', async () => {
    const rotated = await rotate();
    expect([rotated.status, rotated.headers.get('etag')]).toEqual([200, '"2"']);
    expect(rotated.json).toMatchObject({
      id: made.id,
      client_secret: expect.stringMatching(/^gcs_[\w-]{43}$/) as string,
      rotated_at: '2026-03-01T12:00:00.000Z',
      previous_secret_expires_at: '2026-03-02T12:00:00.000Z',
    });
    const old = await exchange(made);
    expect([old.status, (await exchange(rotated.json)).status]).toEqual([200, 200]);
    service.advance(86_400_000);
    const late = await exchange(made);
    expect([late.status, late.json.error]).toEqual([401, 'invalid_client']);
    expect((await service.send('GET', at(made))).json).not.toHaveProperty('previous_secret_expires_at'); // prettier-ignore
    const list = await service.send('GET', '/v1/oauth-clients');
    expect(list.text).not.toContain('previous_secret_expires_at');
    expect((await exchange(rotated.json)).status).toBe(200);
  });

  it('has its tokens introspected and revoked with either secret, until the old one ends', async () => {
    const rotated = (await rotate({ overlap_seconds: 60 })).json;
    const { access_token: token } = (await exchange(made)).json;
    const ask = ({ client_id, client_secret }: Record<string, unknown>, path: string) =>
      service.send('POST', `/auth/${path}`, {
        key: null,
        text: new URLSearchParams({
          client_id: String(client_id),
          client_secret: String(client_secret),
          token: String(token),
        }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const wrong = { ...made, client_secret: 'gcs_x' };
    for (const [by, active] of [
      [made, true],
      [rotated, true],
      [wrong, undefined],
    ] as const) {
      expect((await ask(by, 'introspect')).json.active).toBe(active);
    }
    service.advance(60_000);
    expect((await ask(made, 'introspect')).json.error).toBe('invalid_client');
    expect((await ask(made, 'revoke')).status).toBe(401);
    expect(await statusOf(token)).toBe(200);
    expect((await ask(rotated, 'revoke')).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
  });

  it('ends what the old secret got, too, where there is no overlap', async () => {
    const token = (await exchange(made)).json.access_token;
    const kept = await rotate({ overlap_seconds: 60 });
    expect(await statusOf(token)).toBe(200);
    await rotate({ overlap_seconds: 0 });
    expect(await statusOf(token)).toBe(401);
    expect([(await exchange(made)).status, (await exchange(kept.json)).status]).toEqual([401, 401]);
  });

  it('takes all its scopes to be rotated or renamed; removing it takes admin alone', async () => {
    const body = { name: 'a', scopes: ['admin', 'governance:read'] };
    const { key } = (await service.send('POST', '/v1/api-keys', { body })).json;
    const by = { key: String(key) };
    for (const got of [
      await rotate({}, by),
      await service.send('PUT', at(made), { body: { name: 'x' }, ...by }),
    ]) {
      expect([got.status, got.json.error]).toEqual([403, 'insufficient_scope']);
    }
    expect((await service.send('DELETE', at(made), by)).status).toBe(204);
  });

  it('has tokens of whoever holds the secret that they were got with', async () => {
    const user = async (email: string): Promise<string> =>
      String((await service.send('POST', '/v1/users', { body: { email, roles: ['owner'] } })).json.id); // prettier-ignore
    const [ann, bob] = [await user('ann@x.example'), await user('bob@x.example')];
    const bind = (to: string) =>
      service.deps.store.transact(async (tx) => {
        const row = await tx.get(oauthClients, String(made.id));
        if (!row) throw new Error('it was just made');
        await tx.replace(oauthClients, { ...row.doc, bound_to: to });
      });
    await bind(ann);
    const rotated = (await rotate()).json;
    await bind(bob);
    const tokens = [await exchange(made), await exchange(rotated)].map(({ json }) => json.access_token); // prettier-ignore
    await service.send('POST', `/v1/users/${ann}/revoke`);
    expect([await statusOf(tokens[0]), await statusOf(tokens[1])]).toEqual([401, 200]);
    expect([(await exchange(made)).status, (await exchange(rotated)).status]).toEqual([401, 200]);
    await service.send('POST', `/v1/users/${bob}/revoke`);
    expect([await statusOf(tokens[1]), (await exchange(rotated)).status]).toEqual([401, 401]);
  });

  it('leaves entries in the audit log', async () => {
    await rotate();
    await service.send('PUT', at(made), { body: { name: 'x' } });
    const { json } = await service.send('GET', '/v1/audit-log?order=asc&limit=100');
    const actions = (json.audit_log as { action: string; subject: string }[])
      .filter(({ subject }) => subject === made.id)
      .map(({ action }) => action);
    expect(actions).toEqual(['oauth_client.create', 'oauth_client.rotate', 'oauth_client.update']);
  });
});

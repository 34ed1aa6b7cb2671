import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, policy, startTestService } from '../test-service.ts';

let service: TestService;
let client: { readonly id: string; readonly secret: string };
beforeEach(async () => {
  service = await startTestService();
  const { json } = await service.send('POST', '/v1/oauth-clients', {
    body: { name: 'ci', scopes: ['governance:read', 'compliance:write'] },
  });
  client = { id: String(json.client_id), secret: String(json.client_secret) };
});
afterEach(() => service.close());

const asJson = (fields: Readonly<Record<string, unknown>> = {}): Promise<Got> =>
  service.send('POST', '/auth/token', {
    key: null,
    body: {
      grant_type: 'client_credentials',
      client_id: client.id,
      client_secret: client.secret,
      ...fields,
    },
  });
const asForm = (text: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> =>
  service.send('POST', '/auth/token', {
    key: null,
    text,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;

describe('the token endpoint', () => {
  it('answers a bearer token for an hour, as JSON or as a form, with credentials in the body or as Basic', async () => {
    const all = [
      await asJson(),
      await asForm(
        `grant_type=client_credentials&client_id=${client.id}&client_secret=${client.secret}`,
      ),
      await asForm('grant_type=client_credentials', {
        authorization: basic(client.id, client.secret),
      }),
    ];
    for (const got of all) {
      expect(got.status).toBe(200);
      expect(got.json).toEqual({
        access_token: expect.stringMatching(/^gat_[\w-]{43}$/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'governance:read compliance:write',
      });
      expect(got.headers.get('cache-control')).toBe('no-store');
      const read = await service.send('GET', '/v1/policies', {
        key: String(got.json.access_token),
      });
      expect(read.status).toBe(200);
    }
  });

  it('grants the scopes asked for, and no other', async () => {
    const got = await asJson({ scope: 'governance:read' });
    expect(got.json.scope).toBe('governance:read');
    const key = String(got.json.access_token);
    expect((await service.send('GET', '/v1/policies', { key })).status).toBe(200);
    expect((await service.send('POST', '/v1/policies', { key, body: policy('p') })).status).toBe(
      403,
    );
  });

  it.each([
    ['a grant type it does not know', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['no grant type', { grant_type: undefined }, 400, 'invalid_request'],
    ['a grant type of the wrong type', { grant_type: 7 }, 400, 'invalid_request'],
    ['a wrong secret', { client_secret: 'gcs_wrong' }, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'oc_none' }, 401, 'invalid_client'],
    ['a prototype name as client', { client_id: '__proto__' }, 401, 'invalid_client'],
    ['no secret', { client_secret: undefined }, 401, 'invalid_client'],
    ['an unknown scope', { scope: 'governance:read root' }, 400, 'invalid_scope'],
    ['a scope the client lacks', { scope: 'admin' }, 400, 'invalid_scope'],
  ])('answers %s with the error of RFC 6749', async (_, fields, status, error) => {
    const got = await asJson(fields);
    expect([got.status, got.json.error]).toEqual([status, error]);
    expect(typeof got.json.error_description).toBe('string');
    expect(got.headers.get('cache-control')).toBe('no-store');
    expect(got.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('answers malformed requests as invalid_request', async () => {
    const broken = await service.send('POST', '/auth/token', { key: null, text: '{' });
    expect([broken.status, broken.json.error]).toEqual([400, 'invalid_request']);
    const twice = await asForm('grant_type=client_credentials&grant_type=password');
    expect([twice.status, twice.json.error]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['Basic !!!'],
    [`Basic ${Buffer.from('nocolon').toString('base64')}`],
    [`Basic ${Buffer.from('%E0:%').toString('base64')}`],
    ['Bearer x'],
  ])('challenges the Authorization header %s', async (authorization) => {
    const got = await asForm('grant_type=client_credentials', { authorization });
    expect([got.status, got.json.error]).toEqual([401, 'invalid_client']);
    expect(got.headers.get('www-authenticate')).toBe('Basic realm="govctl"');
  });
});

describe('an access token', () => {
  it('expires after an hour, is known as expired for a day, and then not at all', async () => {
    const key = String((await asJson()).json.access_token);
    service.advance(3_599_999);
    expect((await service.send('GET', '/v1/policies', { key })).status).toBe(200);
    service.advance(1);
    const expired = await service.send('GET', '/v1/policies', { key });
    expect([expired.status, expired.json.error, expired.json.error_code]).toEqual([
      401,
      'expired_token',
      'AUTH_002',
    ]);
    await service.maintain();
    expect((await service.send('GET', '/v1/policies', { key })).json.error).toBe('expired_token');
    service.advance(24 * 3_600_000);
    await service.maintain();
    expect((await service.send('GET', '/v1/policies', { key })).json.error).toBe('invalid_token');
  });

  it('ends with its client', async () => {
    const key = String((await asJson()).json.access_token);
    const got = await service.send('DELETE', `/v1/oauth-clients/${client.id}`);
    expect(got.status).toBe(204);
    expect((await service.send('GET', '/v1/policies', { key })).json.error).toBe('invalid_token');
    expect((await asJson()).json.error).toBe('invalid_client');
  });
});

describe('an API key', () => {
  it('is shown once, and stored as a hash only', async () => {
    const created = await service.send('POST', '/v1/api-keys', {
      body: { name: 'ci', scopes: ['governance:read'] },
    });
    expect(created.status).toBe(201);
    expect(created.json.key).toMatch(/^gk_[\w-]{43}$/);
    const listed = await service.send('GET', '/v1/api-keys');
    expect(listed.text).not.toContain(String(created.json.key));
    expect(listed.text).not.toContain('hash');
    expect(listed.json).toMatchObject({ pagination: { total: 2 } });
    expect((listed.json.api_keys as object[])[0]).toMatchObject({
      id: created.json.id,
      key_hint: String(created.json.key).slice(-4),
      scopes: ['governance:read'],
    });
  });

  it('is refused once it is revoked or has expired', async () => {
    const create = (body: object) =>
      service.send('POST', '/v1/api-keys', {
        body: { name: 'ci', scopes: ['governance:read'], ...body },
      });
    const revoked = await create({});
    expect((await service.send('DELETE', `/v1/api-keys/${String(revoked.json.id)}`)).status).toBe(
      204,
    );
    const got = await service.send('GET', '/v1/policies', { key: String(revoked.json.key) });
    expect([got.status, got.json.error, got.json.error_code]).toEqual([
      401,
      'invalid_token',
      'AUTH_001',
    ]);
    const short = await create({ expires_at: '2026-03-01T12:00:01.000Z' });
    service.advance(1000);
    const late = await service.send('GET', '/v1/policies', { key: String(short.json.key) });
    expect(late.json.error).toBe('expired_token');
    const past = await create({ expires_at: '2020-01-01T00:00:00.000Z' });
    expect([past.status, fieldsOf(past)]).toEqual([400, ['expires_at']]);
    expect((await service.send('DELETE', '/v1/api-keys/key_none')).json.error).toBe(
      'api_key_not_found',
    );
  });

  it('tells when it was last used, without a commit for each use', async () => {
    for (let n = 0; n < 5; n++) await service.send('GET', '/v1/policies');
    const before = await service.send('GET', '/v1/api-keys');
    expect((before.json.api_keys as object[])[0]).not.toHaveProperty('last_used_at');
    service.advance(1000);
    await service.send('GET', '/v1/policies');
    await service.maintain();
    const after = await service.send('GET', '/v1/api-keys');
    expect((after.json.api_keys as object[])[0]).toMatchObject({
      last_used_at: '2026-03-01T12:00:01.000Z',
    });
  });

  it.each(['Basic abc', 'Bearer', 'Bearer a b', 'gk_x', 'Bearer \u00e9', 'Bearer x'])(
    'is not found in the header "%s"',
    async (authorization) => {
      const got = await service.send('GET', '/v1/policies', {
        key: null,
        headers: { authorization },
      });
      expect([got.status, got.json.error]).toEqual([401, 'invalid_token']);
      expect(got.headers.get('www-authenticate')).toContain('Bearer');
    },
  );
});

describe('the audit log', () => {
  it('has an entry for each change, in order, with who, what, which fields and the request', async () => {
    const created = await service.send('POST', '/v1/policies', {
      body: policy('p'),
      headers: { 'x-request-id': 'r1' },
    });
    const id = String(created.json.id);
    await service.send('PUT', `/v1/policies/${id}`, { body: { severity: 'LOW', tags: ['t'] } });
    await service.send('PUT', `/v1/policies/${id}`, { body: { severity: 'LOW' } });
    await service.send('DELETE', `/v1/policies/${id}`, { headers: { 'if-match': '"0"' } });
    await service.send('DELETE', `/v1/policies/${id}`);
    await asJson();
    const got = await service.send('GET', '/v1/audit-log?order=asc');
    const entries = got.json.audit_log as Record<string, unknown>[];
    expect(entries.map(({ action, changes }) => [action, changes])).toEqual([
      ['api_key.create', undefined],
      ['oauth_client.create', undefined],
      ['policy.create', undefined],
      ['policy.update', ['severity', 'tags']],
      ['policy.delete', undefined],
      ['token.issue', undefined],
    ]);
    expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(entries[2]).toMatchObject({
      subject: id,
      actor: created.json.created_by,
      request_id: 'r1',
      via: expect.stringMatching(/^key_/),
    });
  });

  it('can be filtered', async () => {
    await service.send('POST', '/v1/policies', { body: policy('p') });
    const got = await service.send('GET', '/v1/audit-log?action=policy.create');
    expect(got.json).toMatchObject({ pagination: { total: 1 } });
    expect((await service.send('GET', '/v1/audit-log?actor=user_none')).json).toMatchObject({
      audit_log: [],
    });
  });

  it('has nothing for a change that did not last', async () => {
    await service.send('POST', '/v1/policies', { body: policy('p') });
    await service.send('POST', '/v1/policies', { body: policy('p') });
    expect((await service.send('GET', '/v1/audit-log?action=policy.create')).json).toMatchObject({
      pagination: { total: 1 },
    });
  });
});

it('neither key, token nor client secret is ever in the log or the stored data', async () => {
  const token = String((await asJson()).json.access_token);
  const secrets = [service.key, token, client.secret];
  await service.send('GET', '/v1/policies', { key: token });
  await service.send('GET', `/v1/policies?tags=${service.key}`, {
    headers: { 'idempotency-key': service.key },
  });
  await asJson({ client_secret: `${client.secret}x` });
  await service.send('GET', '/v1/policies', { key: `${token}x` });
  const seen = JSON.stringify([service.logged, service.events]);
  for (const secret of secrets) expect(seen).not.toContain(secret);
  expect(service.logged).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'client authentication failed' }),
  );
});

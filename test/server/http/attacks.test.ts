import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../src/contract/contract.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { startServer } from '../../../src/server/start.ts';
import type { RunningServer } from '../../../src/server/start.ts';
import type { Sent, TestService } from '../test-service.ts';
import { startCpuTime } from '../../support/cpu-time.ts';
import { fieldsOf, listOf, policy, startTestService } from '../test-service.ts';

let service: TestService;
beforeAll(async () => void (service = await startTestService()));
afterAll(() => service.close());

const basic = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

describe('a hostile list query', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1e3', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=0b11', 'limit'],
    ['limit=5.0', 'limit'],
    ['limit=%2b5', 'limit'],
    ['limit=%0a5', 'limit'],
    ['limit=+5', 'limit'],
    ['offset=', 'offset'],
    ['severity=high', 'severity'],
    ['limit=5.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=%ZZ', 'limit'],
    ['limit=1;order=asc', 'limit'],
    ['limit=1&limit=1', 'limit'],
    ['limit[]=1', 'limit[]'],
    ['offset=-1', 'offset'],
    ['offset=1e400', 'offset'],
    ['offset=9007199254740993', 'offset'],
    ['offset=1&cursor=abc', 'cursor'],
    ['cursor=', 'cursor'],
    ['cursor=%00', 'cursor'],
    ['cursor=e30', 'cursor'],
    [`cursor=${'a'.repeat(5000)}`, 'cursor'],
    ['sort_by=__proto__', 'sort_by'],
    ['sort_by=constructor', 'sort_by'],
    ['sort_by=tags', 'sort_by'],
    ['order=ASC', 'order'],
    ['tags=a,,b', 'tags'],
    ['severity=', 'severity'],
    ['enabled=TRUE', 'enabled'],
    ['enabled=1', 'enabled'],
    ['__proto__=1', '__proto__'],
    ['toString=1', 'toString'],
    ['%FF=1', '\ufffd'],
    ['=1', ''],
  ])('%s is a 400 that names the parameter', async (query, field) => {
    const got = await service.send('GET', `/v1/policies?${query}`);
    expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
    expect(fieldsOf(got)).toContain(field);
  });

  it('far past the end is an empty page that still tells the total', async () => {
    await service.send('POST', '/v1/policies', { body: policy('far away') });
    const got = await service.send('GET', '/v1/policies?offset=9007199254740991');
    expect(got.status).toBe(200);
    expect(listOf(got).policies).toEqual([]);
    expect(listOf(got).pagination).toMatchObject({ total: expect.any(Number), has_more: false });
    expect(listOf(got).pagination.total).toBeGreaterThan(0);
  });
});

describe('a query that is almost right', () => {
  it('names the words it may have, and the nearest', async () => {
    const { json } = await service.send('GET', '/v1/policies?severity=LOW,high');
    expect(json.details).toEqual([
      {
        field: 'severity',
        message: 'must be one of LOW, MEDIUM, HIGH, CRITICAL, not "high"; did you mean HIGH?',
      },
    ]);
  });

  it('says once what is wrong with a number', async () => {
    const got = await service.send('GET', '/v1/policies?offset=9007199254740993');
    expect(fieldsOf(got)).toEqual(['offset']);
  });
});

describe('a hostile body', () => {
  it.each([
    ['a text without end', `{"a":"${'x'.repeat(9_000_000)}`, 'line 1, column 6'],
    ['a text of escapes without end', `{"a":"${'\\n'.repeat(3_000_000)}`, 'line 1, column 6'],
    ['a text with a line break', `{"${'k'.repeat(100)}":"a\nb"}`, 'line 1, column 105'],
    ['half an escape', '["\\u12', 'line 1, column 2'],
  ])('of %s is not JSON, and says where', async (_, text, said) => {
    for (const url of ['/v1/policies', '/auth/token']) {
      if (url === '/auth/token' && text.length > 65_536) continue;
      const got = await service.send('POST', url, { text });
      expect(got.status).toBe(400);
      expect(String(got.json.error_description)).toContain(said);
    }
  });

  it('that is large is refused at the token endpoint before it is read', async () => {
    const got = await service.send('POST', '/auth/token', { text: 'x'.repeat(65_537), key: null });
    expect([got.status, got.json.error]).toEqual([413, 'body_too_large']);
    expect(String(got.json.error_description)).toContain('64 KiB');
  });

  it('with far too long texts is refused for their length alone', async () => {
    const long = policy('x'.repeat(3_000_000), { resource_type: 'a::'.repeat(1_500_000) });
    const got = await service.send('POST', '/v1/policies', { body: long });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['name', 'resource_type']]);
    expect(got.text).toContain('must have at most 256 characters');
  });

  it('with very many unknown fields is answered soon, with the first 100 of them', async () => {
    const keys = Array.from({ length: 200_000 }, (_, index) => [`descriptoin${index}`, 0]);
    const cpuTime = startCpuTime();
    const got = await service.send('POST', '/v1/policies', {
      body: policy('many', Object.fromEntries(keys)),
    });
    expect(cpuTime()).toBeLessThan(10_000);
    expect(got.status).toBe(400);
    expect(got.text.length).toBeLessThan(50_000);
    expect(got.json.details).toHaveLength(101);
    expect((got.json.details as unknown[]).at(-1)).toEqual({
      field: '',
      message: 'and 199900 more',
    });
  });

  it.each(['a,b', ' a', 'a ', ',', ' '])('with the tag "%s" is refused', async (tag) => {
    const got = await service.send('POST', '/v1/policies', { body: policy('t', { tags: [tag] }) });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['tags[0]']]);
    expect(got.text).toContain('must not contain commas, or begin or end with a space');
  });

  it.each([
    [`2027-01-01T00:00:00.${'0'.repeat(1_000_000)}Z`, 'at most 40 characters'],
    ['tomorrow', 'such as 2026-01-31T09:30:00Z'],
    ['2027-02-30T00:00:00Z', 'such as'],
    ['2020-01-01T00:00:00Z', 'must be in the future'],
  ])('with a bad time to expire at is refused', async (expires_at, said) => {
    const body = { name: 'expiring', scopes: ['governance:read'], expires_at };
    const got = await service.send('POST', '/v1/api-keys', { body });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['expires_at']]);
    expect(got.text).toContain(said);
    expect(got.text.length).toBeLessThan(1_000);
  });

  it('may give a time in any precision; it is kept to the millisecond', async () => {
    const body = {
      name: 'expiring',
      scopes: ['governance:read'],
      expires_at: '2027-01-01T00:00:00.123456789Z',
    };
    const got = await service.send('POST', '/v1/api-keys', { body });
    expect([got.status, got.json.expires_at]).toEqual([201, '2027-01-01T00:00:00.123Z']);
  });

  it('is JSON whatever parameters its media type has', async () => {
    const headers = { 'content-type': 'application/json; x=form-urlencoded' };
    const got = await service.send('POST', '/v1/policies', { body: policy('typed'), headers });
    expect(got.status).toBe(201);
  });

  const rule = '"condition":"true","effect":"DENY"';
  it.each([
    ['__proto__', '"__proto__":{"enabled":false}', ''],
    ['constructor', '"constructor":{"prototype":{}}', ''],
    ['toString', '"toString":null', ''],
    ['rules[0].__proto__', '', '"__proto__":{"message":"x"}'],
    ['rules[0].constructor', '', '"constructor":1'],
  ])('with the field %s has an unknown field', async (field, top, inRule) => {
    const name = `"name":"prototypes","resource_type":"A::B"`;
    const rules = `"rules":[{${[rule, inRule].filter(Boolean).join(',')}}]`;
    const text = `{${[name, rules, top].filter(Boolean).join(',')}}`;
    const got = await service.send('POST', '/v1/policies', { text });
    expect([got.status, got.json.error]).toEqual([400, 'invalid_policy']);
    expect(fieldsOf(got)).toEqual([field]);
  });

  it.each([
    ['a NUL', 'nul\u0000name'],
    ['a lone surrogate', 'lone\ud800'],
    ['another lone surrogate', 'lone\ud801'],
    ['control characters', 'a\nb\u001b[31m'],
    ['the name of a property of every object', '__proto__'],
  ])('with %s in its texts is kept as it is', async (_, text) => {
    const created = await service.send('POST', '/v1/policies', {
      body: policy(text, { description: text, tags: [text] }),
    });
    expect(created.status).toBe(201);
    const read = await service.send('GET', `/v1/policies/${String(created.json.id)}`);
    expect(read.json).toMatchObject({ name: text, description: text, tags: [text] });
  });

  it('may begin with one byte order mark and have 10 MiB, but not a byte more', async () => {
    const padded = (name: string, bytes: number): string => {
      const text = `\ufeff${JSON.stringify(policy(name))}`;
      return text + ' '.repeat(bytes - Buffer.byteLength(text));
    };
    const limit = 10 * 1024 * 1024;
    const full = await service.send('POST', '/v1/policies', { text: padded('full', limit) });
    expect(full.status).toBe(201);
    const over = await service.send('POST', '/v1/policies', { text: padded('over', limit + 1) });
    expect([over.status, over.json.error]).toEqual([413, 'body_too_large']);
  });

  it('of any JSON to any endpoint is never a fault of the server', async () => {
    const words = ['name', 'rules', 'scopes', 'id', 'tags', 'enabled', 'expires_at', 'grant_type'];
    const field = fc.constantFrom(...words, 'condition', 'effect', '__proto__', 'constructor');
    const texts = fc.constantFrom('true', 'HIGH', 'A::B', 'DENY', '\0', '\ud800', '1/0 == 1');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        texts,
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc
          .array(fc.tuple(field, tie('value')), { maxLength: 5 })
          .map((entries) => Object.fromEntries(entries)),
      ),
    }));
    const writes = Object.values(contract)
      .flatMap((verbs): Endpoint[] => Object.values(verbs))
      .filter(({ body }) => body !== undefined);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...writes), value, async ({ method, path: to }, body) => {
        const got = await service.send(method, to.replace(':id', 'pol_x'), { body: body ?? null });
        expect(got.status).toBeLessThan(500);
        if (got.status >= 400) expect(got.json.error).toEqual(expect.any(String));
      }),
      { numRuns: 300 },
    );
  });
});

describe('a hostile path', () => {
  it.each([
    ['//v1/policies', 'not_found'],
    ['/v1//policies', 'not_found'],
    ['/V1/policies', 'not_found'],
    ['/v1/policies;x=1', 'not_found'],
    ['/v1/policies/%2e%2e', 'not_found'],
    ['/v1/policies/%00', 'policy_not_found'],
    ['/v1/policies/a%2Fb', 'policy_not_found'],
    ['/v1/policies/%ff', 'policy_not_found'],
    ['/v1/policies/%', 'policy_not_found'],
    ['/v1/policies/__proto__', 'policy_not_found'],
    ['/v1/policies/constructor', 'policy_not_found'],
    [`/v1/policies/${'x'.repeat(8000)}`, 'policy_not_found'],
  ])('%s is a 404', async (to, error) => {
    const got = await service.send('GET', to);
    expect([got.status, got.json.error]).toEqual([404, error]);
    expect(got.text.length).toBeLessThan(1000);
  });
});

describe('If-Match', () => {
  it.each([
    ['"0"', 412],
    ['W/<etag>', 412],
    ['garbage', 412],
    ['""', 412],
    ['"0", W/<etag>', 412],
    ['"0", <etag>', 200],
    ['<etag>', 200],
    [' * ', 200],
  ])('%s answers %i, and a refusal changes nothing', async (header, status) => {
    const created = await service.send('POST', '/v1/policies', { body: policy(`match ${header}`) });
    const url = `/v1/policies/${String(created.json.id)}`;
    const etag = String(created.headers.get('etag'));
    const headers = { 'if-match': header.replace('<etag>', etag) };
    const put = await service.send('PUT', url, { body: { description: 'new' }, headers });
    expect(put.status).toBe(status);
    if (status === 200) return;
    expect((await service.send('DELETE', url, { headers })).status).toBe(412);
    const read = await service.send('GET', url);
    expect([read.text, read.headers.get('etag')]).toEqual([created.text, etag]);
  });

  it('on what is not there is a 404, whatever it names', async () => {
    for (const header of ['*', '"1"', 'garbage']) {
      const headers = { 'if-match': header };
      const got = await service.send('PUT', '/v1/policies/pol_none', { body: {}, headers });
      expect(got.status).toBe(404);
    }
  });
});

describe('a hostile Idempotency-Key', () => {
  const keyed = (key: string, body: unknown): Sent => ({
    body,
    headers: { 'idempotency-key': key },
  });

  it.each([
    ['nothing', ''],
    ['a space', 'a b'],
    ['two joined', 'a, b'],
    ['256 characters', 'x'.repeat(256)],
    ['a letter beyond ASCII', '\u00e9'],
  ])('of %s is refused', async (_, key) => {
    const got = await service.send('POST', '/v1/policies', keyed(key, policy('odd key')));
    expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
  });

  it('of 255 characters is taken', async () => {
    const sent = keyed('y'.repeat(255), policy('long key'));
    expect((await service.send('POST', '/v1/policies', sent)).status).toBe(201);
  });

  it('gets the stored answer even when what it made is gone', async () => {
    const sent = keyed('made-and-gone', policy('made and gone'));
    const first = await service.send('POST', '/v1/policies', sent);
    await service.send('DELETE', `/v1/policies/${String(first.json.id)}`);
    const again = await service.send('POST', '/v1/policies', sent);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });

  it('of one endpoint is no key for another', async () => {
    await service.send('POST', '/v1/policies', keyed('elsewhere', policy('elsewhere')));
    const got = await service.send(
      'POST',
      '/v1/api-keys',
      keyed('elsewhere', { name: 'x', scopes: ['governance:read'] }),
    );
    expect([got.status, got.json.error]).toEqual([409, 'idempotency_key_reused']);
  });

  it('means nothing on PUT, DELETE and GET', async () => {
    for (const [method, body] of [['PUT', {}], ['DELETE'], ['GET']] as const) {
      const got = await service.send(method, '/v1/policies/pol_none', {
        ...(body ? { body } : {}),
        headers: { 'idempotency-key': '' },
      });
      expect(got.status).toBe(404);
    }
  });
});

describe('an Authorization header', () => {
  it.each([
    ['Bearer <key>', 200],
    ['bearer <key>', 200],
    ['BEARER   <key>  ', 200],
    ['Bearer\t<key>', 401],
    ['<key>', 401],
    ['Bearer ', 401],
    ['Bearer <key> x', 401],
    ['Bearer <key>, Bearer <key>', 401],
    ['Token <key>', 401],
    [basic('user', 'secret'), 401],
    [`Bearer gk_${'A'.repeat(43)}`, 401],
    [`Bearer ${'x'.repeat(12_000)}`, 401],
  ])('%s answers %i', async (header, status) => {
    const authorization = header.replaceAll('<key>', service.key);
    const got = await service.send('GET', '/v1/policies', {
      key: null,
      headers: { authorization },
    });
    expect(got.status).toBe(status);
    if (status === 200) return;
    expect(got.headers.get('www-authenticate')).toMatch(/^Bearer /);
    expect(got.text).not.toContain(service.key);
  });

  it('cannot be replaced by a token in the query', async () => {
    const got = await service.send('GET', `/v1/policies?access_token=${service.key}`, {
      key: null,
    });
    expect([got.status, got.text.includes(service.key)]).toEqual([401, false]);
  });

  it('that deletes its own key ends with that', async () => {
    const made = await service.send('POST', '/v1/api-keys', {
      body: { name: 'own', scopes: ['admin'] },
    });
    const key = String(made.json.key);
    const gone = await service.send('DELETE', `/v1/api-keys/${String(made.json.id)}`, { key });
    expect(gone.status).toBe(204);
    expect((await service.send('GET', '/v1/api-keys', { key })).status).toBe(401);
  });
});

describe('a hostile token request', () => {
  let client: { readonly client_id: string; readonly client_secret: string };
  beforeAll(async () => {
    const made = await service.send('POST', '/v1/oauth-clients', {
      body: { name: 'client', scopes: ['governance:read'] },
    });
    const { client_id: id, client_secret: secret } = made.json;
    client = { client_id: String(id), client_secret: String(secret) };
  });
  const grant = { grant_type: 'client_credentials' };

  it.each([
    ['a wrong secret', { client_secret: 'x' }, {}, 401, 'invalid_client'],
    ['an empty secret', { client_secret: '' }, {}, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'oc_x' }, {}, 401, 'invalid_client'],
    ['a client named __proto__', { client_id: '__proto__' }, {}, 401, 'invalid_client'],
    ['a wrong Basic header', {}, { authorization: basic('a', 'b') }, 401, 'invalid_client'],
    ['a broken Basic header', {}, { authorization: 'Basic !' }, 401, 'invalid_client'],
    ['a broken escape in Basic', {}, { authorization: basic('a%ZZ', 'b') }, 401, 'invalid_client'],
    ['another grant', { grant_type: 'password' }, {}, 400, 'unsupported_grant_type'],
    ['a number as grant', { grant_type: 5 }, {}, 400, 'invalid_request'],
    ['a secret in an array', { client_secret: ['x'] }, {}, 400, 'invalid_request'],
    ['an unknown scope', { scope: 'everything' }, {}, 400, 'invalid_scope'],
    ['a scope it has not', { scope: 'governance:read admin' }, {}, 400, 'invalid_scope'],
  ])('with %s fails as RFC 6749 says', async (_, fields, headers, status, error) => {
    const got = await service.send('POST', '/auth/token', {
      key: null,
      body: { ...grant, ...('authorization' in headers ? {} : client), ...fields },
      headers,
    });
    expect([got.status, got.json.error]).toEqual([status, error]);
    expect(got.headers.get('cache-control')).toBe('no-store');
    expect(got.text).not.toContain(client.client_secret);
    if (status === 401) expect(got.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it('with credentials twice is refused, even when both are right', async () => {
    const authorization = basic(client.client_id, client.client_secret);
    const got = await service.send('POST', '/auth/token', {
      key: null,
      body: { ...grant, ...client },
      headers: { authorization },
    });
    expect([got.status, got.json.error]).toEqual([400, 'invalid_request']);
  });

  it.each([
    { grant_type: 'a "quoted" \\ grant\n\u00e9' },
    { scope: '"quoted"\\ \u0007 \u{1f600}' },
    { scope: Array.from({ length: 10_000 }, (_, index) => `s${index}`).join(' ') },
    { grant_type: ['"'] },
  ])('is told what is wrong in few characters, all of RFC 6749’s: %#', async (fields) => {
    const body = { ...grant, ...client, ...fields };
    const got = await service.send('POST', '/auth/token', { key: null, body });
    expect(got.status).toBe(400);
    expect(got.json.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]{1,600}$/);
  });

  it('with the secret in the query is refused, and with a form field twice too', async () => {
    const inQuery = await service.send('POST', `/auth/token?client_secret=x`, {
      key: null,
      body: { ...grant, ...client },
    });
    expect([inQuery.status, inQuery.json.error]).toEqual([400, 'invalid_request']);
    const twice = await service.send('POST', '/auth/token', {
      key: null,
      text: 'grant_type=client_credentials&grant_type=client_credentials',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([twice.status, twice.json.error]).toEqual([400, 'invalid_request']);
  });
});

describe('on the socket', () => {
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'govctl-attacks-test-'));
    server = await startServer({
      host: '127.0.0.1',
      port: 0,
      dataDir: path.join(folder, 'data'),
      store: 'lowdb',
      allowTargets: [],
      metrics: true,
      logLevel: 'silent',
    });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The status lines' codes of what comes back, until the server closes. */
  const statusesOf = (text: string): Promise<number[]> =>
    new Promise((resolve, reject) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
      let got = '';
      socket.on('data', (chunk) => (got += chunk.toString()));
      socket.on('close', () =>
        resolve([...got.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code))),
      );
      socket.on('error', reject);
    });

  const json = (length: string): string =>
    `POST /v1/policies HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.apiKey?.key ?? ''}\r\n` +
    `Content-Type: application/json\r\n${length}\r\n\r\n`;
  const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

  it.each([
    ['two lengths', () => `${json('Content-Length: 2\r\nContent-Length: 3')}{}`],
    ['a negative length', () => `${json('Content-Length: -2')}{}`],
    [
      'a length and chunks',
      () => `${json('Content-Length: 2\r\nTransfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    ['a broken chunk', () => `${json('Transfer-Encoding: chunked')}ZZ\r\n{}`],
    ['a folded header', () => 'GET /healthz HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
    [
      'a line break inside a header',
      () => 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\rb\r\n\r\n',
    ],
    ['no carriage returns', () => 'GET /healthz HTTP/1.1\nHost: x\n\n'],
  ])('a request with %s is a 400, and smuggles nothing', async (_, text) => {
    expect(await statusesOf(text() + last)).toEqual([400]);
  });

  it('pipelined requests are answered in order, bodies nobody asked for skipped', async () => {
    const unread = 'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nGET ';
    const refused =
      'POST /v1/policies HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello';
    const unknown = 'GET /nope HTTP/1.1\r\nHost: x\r\n\r\n';
    const got = await statusesOf(unread + refused + unknown + last);
    expect(got).toEqual([200, 401, 404, 200]);
    const many = await statusesOf('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500) + last);
    expect(many).toEqual(Array.from({ length: 501 }, () => 200));
  });

  it('clients that hang up in the middle of a body leave nothing behind', async () => {
    const before = await statusesOf(last);
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const socket = connect(server.port, '127.0.0.1');
        socket.on('error', () => {});
        await new Promise<void>((resolve) => {
          socket.write(`${json('Content-Length: 500')}{"a`, () => resolve());
        });
        if (index % 2 === 0) socket.resetAndDestroy();
        else socket.destroy();
      }),
    );
    expect(await statusesOf(last)).toEqual(before);
    const list = await server.fetch(`${server.baseUrl}/v1/policies`, {
      headers: { authorization: `Bearer ${server.apiKey?.key ?? ''}` },
    });
    expect(await list.json()).toMatchObject({ pagination: { total: 0 } });
  });

  it('paths and methods nobody knows make no new time series', async () => {
    const series = async (): Promise<Set<string>> => {
      const text = await (await server.fetch(`${server.baseUrl}/metrics`, {})).text();
      return new Set(
        [...text.matchAll(/_count\{([^}]*route=[^}]*)\}/g)].map(([, labels]) => String(labels)),
      );
    };
    const knock = (name: string): Promise<number[]> =>
      statusesOf(
        `PURGE /${name} HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/policies/${name}?${name}=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      );
    expect(await knock('first')).toEqual([404, 401]);
    await series();
    const before = await series();
    for (let index = 0; index < 50; index++) await knock(`path-${index}`);
    expect(await series()).toEqual(before);
  });
});

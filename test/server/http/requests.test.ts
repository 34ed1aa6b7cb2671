import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../src/contract/contract.ts';
import type { Endpoint } from '../../../src/contract/endpoint.ts';
import { permits, scopes } from '../../../src/contract/endpoint.ts';
import { errorCatalogue } from '../../../src/contract/errors.ts';
import { policies } from '../../../src/server/policies/collection.ts';
import { StoreUnavailable } from '../../../src/server/store/store.ts';
import type { Store } from '../../../src/server/store/store.ts';
import type { TestService } from '../test-service.ts';
import { fieldsOf, policy, startTestService } from '../test-service.ts';

let service: TestService;
beforeAll(async () => void (service = await startTestService()));
afterAll(() => service.close());

const endpoints: Endpoint[] = Object.values(contract).flatMap((verbs): Endpoint[] =>
  Object.values(verbs),
);

describe('a request', () => {
  it('gets an id, or keeps a sane one of its own, in the header and in every error body', async () => {
    const own = await service.send('GET', '/v1/policies/pol_x', {
      headers: { 'x-request-id': 'ci-42:a/b' },
    });
    expect(own.headers.get('x-request-id')).toBe('ci-42:a/b');
    expect(own.json.request_id).toBe('ci-42:a/b');
    for (const odd of ['a b', 'x'.repeat(200), '{}"']) {
      const got = await service.send('GET', '/healthz', { headers: { 'x-request-id': odd } });
      expect(got.headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  it('is answered with the one error shape', async () => {
    const got = await service.send('GET', '/v1/policies/pol_x');
    expect(got.json).toEqual({
      error: 'policy_not_found',
      error_code: 'POL_002',
      error_description: expect.stringContaining('pol_x'),
      timestamp: '2026-03-01T12:00:00.000Z',
      request_id: got.headers.get('x-request-id'),
    });
    expect(got.headers.get('content-type')).toBe('application/json');
  });

  it.each([
    ['{"a":\n  tru}', 2, 3],
    ['{"a":1,}', 1, 8],
    ['{"a" 1}', 1, 6],
    ['[1,2', 1, 5],
    ['{"a":"b\nc"}', 1, 6],
    ['{} x', 1, 4],
    ["{'a':1}", 1, 2],
    ['nul', 1, 1],
    ['{"a":01}', 1, 7],
    [`${'['.repeat(99)}x`, 1, 100],
    ['{"a":1}]', 1, 8],
  ])('with malformed JSON is told line and column', async (text, line, column) => {
    const got = await service.send('POST', '/v1/policies', { text });
    expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
    expect(got.text).toContain(`line ${line}, column ${column}`);
  });

  it.each(['[]', '"x"', '7', 'null', '{}', `${'['.repeat(100)}${']'.repeat(100)}`])(
    'with JSON that is no policy is an invalid policy',
    async (text) => {
      const got = await service.send('POST', '/v1/policies', { text });
      expect([got.status, got.json.error]).toEqual([400, 'invalid_policy']);
    },
  );

  it('with an empty body, or one that is not UTF-8, is malformed', async () => {
    expect((await service.send('POST', '/v1/policies', { text: '' })).json.error).toBe(
      'malformed_request',
    );
    const response = await service.app.fetch(
      new Request('http://service.test/v1/policies', {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: new Uint8Array([0x7b, 0xff, 0x7d]),
      }),
      {},
    );
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'malformed_request' },
    ]);
  });

  it.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=latin1', 415],
    ['', 415],
    ['application/json; charset=UTF-8', 201],
    ['APPLICATION/JSON', 201],
  ])('with Content-Type "%s" gets %i', async (type, status) => {
    const got = await service.send('POST', '/v1/policies', {
      body: policy(`typed ${type}`),
      headers: { 'content-type': type },
    });
    expect(got.status).toBe(status);
    if (status === 415)
      expect(got.json).toMatchObject({ error: 'unsupported_media_type', error_code: 'REQ_007' });
  });

  it('with a compressed body is refused by name', async () => {
    const got = await service.send('POST', '/v1/policies', {
      text: 'x',
      headers: { 'content-encoding': 'gzip' },
    });
    expect([got.status, got.text]).toEqual([415, expect.stringContaining('gzip')]);
  });

  it('with more than 10 MiB gets 413, with or without a length', async () => {
    const big = `{"name":"${'x'.repeat(10 * 1024 * 1024)}"}`;
    const withLength = await service.send('POST', '/v1/policies', {
      text: big,
      headers: { 'content-length': String(big.length) },
    });
    expect([withLength.status, withLength.json.error_code]).toEqual([413, 'REQ_006']);
    expect(withLength.json.hint).toBe('Split the body into several requests.');
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1 << 20).fill(32)),
    });
    const response = await service.app.fetch(
      new Request('http://service.test/v1/policies', {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: stream,
        duplex: 'half',
      }),
      {},
    );
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { error: 'body_too_large' },
    ]);
  });

  it('for an unknown path gets 404; with another method 405 and what is allowed', async () => {
    for (const path of ['/', '/v1', '/v1/policies/', '/v1/policies/a/b', '/v2/policies']) {
      const got = await service.send('GET', path);
      expect([path, got.status, got.json.error]).toEqual([path, 404, 'not_found']);
    }
    for (const [method, path, allow] of [
      ['PATCH', '/v1/policies/pol_x', 'GET, HEAD, PUT, DELETE'],
      ['DELETE', '/v1/policies', 'GET, HEAD, POST'],
      ['GET', '/auth/token', 'POST'],
      ['OPTIONS', '/healthz', 'GET, HEAD'],
    ] as const) {
      const got = await service.send(method, path);
      expect([got.status, got.headers.get('allow')]).toEqual([405, allow]);
      expect(got.json).toMatchObject({ error: 'method_not_allowed', error_code: 'REQ_003' });
    }
  });

  it('for an unknown path below /v1 gets 401 first if its token is missing or bad', async () => {
    for (const key of [null, 'gk_unknown']) {
      const got = await service.send('GET', '/v1/nonsense', { key });
      expect([got.status, got.json.error]).toEqual([401, 'invalid_token']);
    }
    expect((await service.send('GET', '/elsewhere', { key: null })).status).toBe(404);
  });

  it('by HEAD is answered like GET, without the body', async () => {
    const get = await service.send('GET', '/v1/policies');
    const head = await service.send('HEAD', '/v1/policies');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
  });

  it('with a query where none is taken is refused', async () => {
    const got = await service.send('GET', '/v1/policies/pol_x?verbose=1');
    expect([got.status, fieldsOf(got)]).toEqual([400, ['verbose']]);
  });
});

describe('scopes', () => {
  /** Of these, one scope is not enough. */
  const takeTwo = new Set(['/v1/cost/rightsizing/:id/apply']);
  const tokens = endpoints.filter(({ scope }) => scope !== null);
  it.each(tokens.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s takes its own scope, or one that implies it, and no other',
    async (_, endpoint) => {
      const url = endpoint.path.replace(':id', 'none');
      const send = (key: string | null) =>
        service.send(endpoint.method, url, {
          key,
          ...(endpoint.body ? { body: {} } : {}),
          ...(endpoint.openWhereLocal ? { headers: { forwarded: 'for=192.0.2.1' } } : {}),
        });
      for (const scope of scopes) {
        const { status, json } = await send(await service.keyWith(scope)).then((got) => ({
          status: got.status,
          json: got.status >= 400 ? got.json : {},
        }));
        const permitted = endpoint.scope !== null && permits([scope], endpoint.scope);
        if (permitted && !takeTwo.has(endpoint.path)) expect([401, 403]).not.toContain(status);
        else expect([status, json.error]).toEqual([403, 'insufficient_scope']);
      }
      const without = await send(null);
      expect([without.status, without.json.error]).toEqual([401, 'invalid_token']);
      expect(without.headers.get('www-authenticate')).toBe('Bearer realm="govctl"');
    },
  );

  it.each(
    endpoints
      .filter(({ scope }) => scope === null)
      .map(({ method, path }) => [method, path] as const),
  )('%s %s takes no token', async (method, path) => {
    expect((await service.send(method, path, { key: null })).status).not.toBe(403);
    if (path !== '/auth/token')
      expect((await service.send(method, path, { key: 'wrong' })).status).not.toBe(401);
  });
});

describe('when something breaks', () => {
  const broken = (error: Error) =>
    startTestService({
      wrapStore: (store): Store => ({
        ...store,
        page: (collection, query) =>
          collection.name === 'policies' ? Promise.reject(error) : store.page(collection, query),
        transact: (work) =>
          store.transact(async (tx) => {
            const result = await work(tx);
            if (await tx.find(policies, 'name', 'doomed')) throw error;
            return result;
          }),
      }),
    });

  it('an unknown error is a 500 without its text, logged under the request id', async () => {
    const other = await broken(new Error('secret detail in /etc/passwd'));
    const got = await other.send('GET', '/v1/policies');
    expect([got.status, got.json.error]).toEqual([500, 'internal_error']);
    expect(got.text).not.toMatch(/secret|passwd|at .*\(/);
    const line = other.logged.find(({ level }) => level === 'error');
    expect(line?.fields.request_id).toBe(got.json.request_id);
    expect(line?.fields.err).toBeInstanceOf(Error);
    await other.close();
  });

  it('a store that takes no changes is a 503 that says nothing was changed', async () => {
    const other = await broken(new StoreUnavailable('fsync failed on /data/x'));
    const got = await other.send('POST', '/v1/policies', { body: policy('doomed') });
    expect([got.status, got.json.error]).toEqual([503, 'unavailable']);
    expect(got.text).not.toContain('/data');
    expect(got.headers.get('retry-after')).toBe('5');
    await other.close();
  });
});

describe('health', () => {
  it('says that the process is up and the store usable', async () => {
    expect((await service.send('GET', '/healthz')).json).toEqual({
      status: 'ok',
      version: '1.2.3',
    });
    expect((await service.send('GET', '/readyz')).json).toEqual({ status: 'ready' });
  });

  it('is degraded while the store is read-only or cannot write checkpoints, and says no more than that', async () => {
    const other = await startTestService({
      wrapStore: (store) => ({
        ...store,
        health: () => ({ writable: false, reason: 'fsync failed', checkpoints: 'no room' }),
      }),
    });
    const got = await other.send('GET', '/readyz');
    expect(got.status).toBe(200);
    expect(got.json).toEqual({
      status: 'degraded',
      reasons: [
        'store: read-only because its disk cannot be written; see the log',
        'store: the last checkpoints could not be written; see the log',
      ],
    });
    expect((await other.send('GET', '/healthz')).status).toBe(200);
    await other.close();
  });

  it('has no metrics where they are switched off', async () => {
    expect((await service.send('GET', '/metrics')).status).toBe(404);
  });
});

it('every error that can travel has one status and a code of its own', () => {
  // One code for a password that is missing and one that is wrong, as the description has it.
  const { report_password_wrong: wrong, ...others } = errorCatalogue;
  expect(wrong.code).toBe(errorCatalogue.report_password_required.code);
  const codes = Object.values(others).flatMap(({ code }) => (code === null ? [] : [code]));
  expect(new Set(codes).size).toBe(codes.length);
});

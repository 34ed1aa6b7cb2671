import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { listAll } from '../../src/client/list-all.ts';
import { policyObjects } from '../../src/client/objects.ts';
import type { FetchInit } from '../../src/client/http.ts';
import type { TryEvent } from '../../src/client/transport.ts';
import { GovctlError } from '../../src/contract/errors.ts';

type Reply = Response | Error | (() => Response);

/** A client whose server says the given replies in order; sleeping is written down instead of done. */
function clientFor(replies: Reply[]) {
  const sent: { url: string; init: FetchInit }[] = [];
  const slept: number[] = [];
  const tries: TryEvent[] = [];
  const client = createClient({
    baseUrl: 'https://service.test/prefix/',
    token: async () => 'gk_secret',
    random: () => 0,
    sleep: async (ms) => void slept.push(ms),
    onTry: (event) => tries.push(event),
    fetch: async (url, init) => {
      sent.push({ url, init });
      const reply = replies.shift();
      if (reply === undefined) throw new Error('the test has no more replies');
      if (reply instanceof Error) throw reply;
      return typeof reply === 'function' ? reply() : reply;
    },
  });
  return { client, sent, slept, tries };
}

const refused = () =>
  Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }),
  });
const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });
const page = (policies: object[], pagination: object) => json(200, { policies, pagination });
const emptyPage = () => page([], { total: 0, limit: 20, offset: 0, has_more: false });
const policy = (id: string) => ({ id, name: id, resource_type: 'AWS::S3::Bucket', rules: [] });

async function errorOf(work: Promise<unknown>): Promise<GovctlError> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof GovctlError) return error;
  throw error;
}

describe('a call', () => {
  it('goes to the base URL with its prefix, with the token, and parses the query', async () => {
    const { client, sent } = clientFor([emptyPage()]);
    await client.policies.list({ query: { limit: 5, tags: 'a,b' } });
    expect(sent[0]?.url).toBe('https://service.test/prefix/v1/policies?limit=5&tags=a%2Cb');
    expect(sent[0]?.init.headers.authorization).toBe('Bearer gk_secret');
  });

  it('says that the service may be down where only its proxy answers', async () => {
    const html = () => new Response('<html><h1>502 Bad Gateway</h1></html>', { status: 502 });
    const { client } = clientFor([html, html, html, html, html, html]);
    const error = await errorOf(client.policies.get({ params: { id: 'pol_1' } }));
    expect(error).toMatchObject({ error: 'unavailable', status: 502 });
    expect(error.message).toBe(
      'GET /v1/policies/pol_1 returned 502 without a response from the service, which may be down behind its proxy',
    );
  });

  it('escapes ids, so that an id cannot become a path', async () => {
    const { client, sent } = clientFor([json(200, policy('x'))]);
    await client.policies.get({ params: { id: '../tokens?x' } });
    expect(sent[0]?.url).toBe('https://service.test/prefix/v1/policies/..%2Ftokens%3Fx');
  });

  it('sends one idempotency key for all tries of a POST', async () => {
    const { client, sent } = clientFor([json(503, {}), refused(), json(201, policy('x'))]);
    await client.policies.create({
      body: {
        name: 'x',
        resource_type: 'AWS::S3::Bucket',
        rules: [{ condition: 'true', effect: 'DENY' }],
      },
    });
    const keys = sent.map(({ init }) => init.headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toBeTruthy();
  });

  it('sends no token where none is needed', async () => {
    const { client, sent } = clientFor([json(200, { status: 'ok', version: '1' })]);
    await client.system.health();
    expect(sent[0]?.init.headers.authorization).toBeUndefined();
  });
});

describe('a failing server', () => {
  it('is tried five times with growing waits, then named with the reason', async () => {
    const { client, slept, tries } = clientFor([
      refused(),
      refused(),
      refused(),
      refused(),
      refused(),
    ]);
    const error = await errorOf(client.policies.list());
    expect(error).toMatchObject({ error: 'unreachable', exitCode: 1 });
    expect(error.message).toBe('https://service.test cannot be reached: connection refused');
    expect(error.hint).toContain('govctl doctor');
    expect(slept).toEqual([125, 250, 500, 1000]);
    expect(tries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  });

  it('is not tried again for a wrong certificate', async () => {
    const wrong = Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('self-signed certificate'), {
        code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      }),
    });
    const { client, sent } = clientFor([wrong]);
    const error = await errorOf(client.policies.list());
    expect(error.message).toContain('the server certificate is self-signed');
    expect(error.hint).toContain('NODE_EXTRA_CA_CERTS');
    expect(sent).toHaveLength(1);
  });

  it('is given the time it asks for, by header or by the body of a 429', async () => {
    const limited = { error: 'rate_limit_exceeded', message: 'slow down', retry_after: 7 };
    const { client, slept } = clientFor([
      json(429, limited),
      json(429, {}, { 'retry-after': '3' }),
      emptyPage(),
    ]);
    await client.policies.list();
    expect(slept).toEqual([7000, 3000]);
  });

  it('that asks for hours gets no more than two minutes', async () => {
    const { client, slept } = clientFor([json(503, {}, { 'retry-after': '86400' }), emptyPage()]);
    await client.policies.list();
    expect(slept).toEqual([120_000]);
  });
});

describe("an answer that is not this API's", () => {
  it.each([
    [
      'HTML with status 200',
      () => new Response('<!doctype html><title>Sign in</title>'),
      'the response is not JSON and begins with "<!doctype html>',
    ],
    ['JSON of another shape', () => json(200, { items: [] }), 'the field policies'],
    [
      'a redirect',
      () => new Response(null, { status: 302, headers: { location: 'https://login.test' } }),
      'a redirect to https://login.test; redirects are not followed',
    ],
  ])('is named: %s', async (_, reply, words) => {
    const { client } = clientFor([reply]);
    const error = await errorOf(client.policies.list());
    expect(error).toMatchObject({ error: 'bad_answer', exitCode: 1 });
    expect(error.message).toContain(words);
    expect(error.hint).toContain('base URL');
  });

  it('has its control characters taken out before it is shown', async () => {
    const { client } = clientFor([() => new Response('\u001b[2J\u001b]0;owned\u0007 hello')]);
    const error = await errorOf(client.policies.list());

    expect(error.message).not.toMatch(/[\u0000-\u001f]/);
  });

  it('that is cut off in the middle says so', async () => {
    const cut = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"policies": ['));
        controller.error(new Error('terminated'));
      },
    });
    const { client } = clientFor([new Response(cut)]);
    expect((await errorOf(client.policies.list())).message).toContain('was truncated');
  });
});

describe('an error of the service', () => {
  it('keeps its name, details and request id', async () => {
    const body = {
      error: 'policy_condition_invalid',
      error_code: 'POL_003',
      error_description: 'rules[0].condition does not compile',
      details: [{ field: 'rules[0].condition', message: 'Unknown variable: resurce' }],
      request_id: 'req_1',
    };
    const { client } = clientFor([json(400, body)]);
    expect(await errorOf(client.policies.list())).toMatchObject({
      error: 'policy_condition_invalid',
      exitCode: 3,
      message: 'rules[0].condition does not compile',
      details: body.details,
      requestId: 'req_1',
    });
  });

  it.each([
    [401, 'invalid_token', 4],
    [403, 'insufficient_scope', 4],
    [404, 'not_found', 1],
    [412, 'precondition_failed', 5],
    [418, 'malformed_request', 3],
  ])('that is only a status, %i, is taken for %s', async (status, name, exitCode) => {
    const { client } = clientFor([new Response('no', { status })]);
    expect(await errorOf(client.policies.list())).toMatchObject({ error: name, exitCode });
  });

  it("keeps the answer's hint, and has one of its own where there is none", async () => {
    const hint = 'Split the body into several requests.';
    const { client } = clientFor([json(413, { error: 'body_too_large', hint }), json(401, {})]);
    expect(await errorOf(client.policies.list())).toMatchObject({ hint });
    expect(await errorOf(client.policies.list())).toMatchObject({
      hint: expect.stringContaining('govctl auth login') as string,
    });
  });

  it("cannot claim to be one of the CLI's own errors", async () => {
    const { client } = clientFor([json(400, { error: 'guard_refused' })]);
    expect(await errorOf(client.policies.list())).toMatchObject({ error: 'malformed_request' });
  });
});

describe('a server that says nothing', () => {
  it('is waited for as long as the call says', async () => {
    const late = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const client = createClient({
      ...{ baseUrl: 'https://service.test', retries: 0, timeoutMs: 1e6 },
      fetch: (_, { signal }) => late(signal!),
    });
    const { message } = await errorOf(client.policies.list({}, { timeoutMs: 20 }));
    expect(message).toContain('0.02 s');
  });

  it('is asked twice, not five times: each try takes the whole timeout', async () => {
    const silent = () => new DOMException('timed out', 'TimeoutError');
    const { client, sent } = clientFor([silent(), silent()]);
    expect(await errorOf(client.policies.list())).toMatchObject({ error: 'unreachable' });
    expect(sent).toHaveLength(2);
  });
});

describe('listing all policies', () => {
  const collect = async (replies: Reply[]) => {
    const { client, sent } = clientFor(replies);
    const ids: string[] = [];
    for await (const { id } of listAll(client, policyObjects)) ids.push(id);
    return { ids, urls: sent.map(({ url }) => new URL(url).search) };
  };

  it('goes by cursor where the server gives one', async () => {
    const { ids, urls } = await collect([
      page([policy('a')], { total: 2, limit: 1, offset: 0, has_more: true, next_cursor: 'c1' }),
      page([policy('b')], { total: 2, limit: 1, offset: 1, has_more: false }),
    ]);
    expect(ids).toEqual(['a', 'b']);
    expect(urls[1]).toContain('cursor=c1');
    expect(urls[1]).not.toContain('offset');
  });

  it('goes by offset where it gives none, by as many rows as came', async () => {
    const { ids, urls } = await collect([
      page([policy('a'), policy('b')], { total: 3, limit: 2, offset: 0, has_more: true }),
      page([policy('c')], { total: 3, limit: 2, offset: 2, has_more: false }),
    ]);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(urls[1]).toContain('offset=2');
  });

  it('gives a policy that stands twice on a page once', async () => {
    const { ids } = await collect([page([policy('a'), policy('a')], { has_more: false })]);
    expect(ids).toEqual(['a']);
  });

  it('says which field of which policy is wrong', async () => {
    const { client } = clientFor([page([policy('a'), { id: 'b' }], { has_more: false })]);
    const error = await errorOf(listAll(client, policyObjects).next());
    expect(error).toMatchObject({ error: 'bad_answer' });
    expect(error.message).toContain('policies.1.name');
  });

  it('ends at an empty page where the server says nothing about paging', async () => {
    expect((await collect([json(200, [policy('a')]), json(200, [])])).ids).toEqual(['a']);
  });

  it('ends, with nothing twice, at a server that always answers the same page', async () => {
    expect((await collect([json(200, [policy('a')]), json(200, [policy('a')])])).ids).toEqual([
      'a',
    ]);
  });

  it('never takes half a list for the whole', async () => {
    const half = () => page([policy('a')], { total: 2, limit: 100, offset: 0, has_more: false });
    const error = await errorOf(collect([half, half, half]));
    expect(error).toMatchObject({ error: 'bad_answer' });
    expect(error.message).toContain('incomplete');
  });
});

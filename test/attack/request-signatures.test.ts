import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../src/server/http/listener.ts';
import type { Listener } from '../../src/server/http/listener.ts';
import { isKeyNeeded } from '../../src/server/wiring/modules.ts';
import { csvOf, usage } from '../server/anomalies/anomaly-world.ts';
import type { Got, TestService } from '../server/test-service.ts';
import { policy, startTestService } from '../server/test-service.ts';
import { digestOf, signedHeaders } from '../support/signed-request.ts';
import type { ToSign } from '../support/signed-request.ts';

interface Key {
  readonly id: string;
  readonly key: string;
  readonly signing_secret: string;
}

let service: TestService;
let key: Key;
beforeEach(async () => {
  service = await startTestService();
  key = await create();
});
afterEach(() => service.close());

async function create(fields: object = {}): Promise<Key> {
  const body = { name: 'ci', scopes: ['governance:read', 'compliance:write', 'cost:admin', 'admin'], require_signature: true, ...fields }; // prettier-ignore
  const got = await service.send('POST', '/v1/api-keys', { body });
  expect(got.status, got.text).toBe(201);
  return got.json as unknown as Key;
}

interface Changes extends Partial<ToSign> {
  /** What is sent, where it is something else than what was signed. */
  readonly sent?: {
    readonly method?: string;
    readonly path?: string;
    readonly text?: string;
    readonly headers?: Readonly<Record<string, string | undefined>>;
  };
  readonly type?: string;
}

const headersOf = (method: string, path: string, changes: Changes = {}) =>
  signedHeaders({
    method,
    url: `http://service.test${path}`,
    key: key.key,
    secret: key.signing_secret,
    keyId: key.id,
    now: service.deps.clock.now(),
    ...changes,
  });

/** Sends what is signed, but for what `sent` changes. */
async function send(method: string, path: string, changes: Changes = {}): Promise<Got> {
  const { sent = {}, body, type = 'application/json' } = changes;
  const signed = await headersOf(method, path, changes);
  const headers = Object.fromEntries(
    Object.entries({ ...signed, ...sent.headers }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
  const text = sent.text ?? body?.toString();
  return service.send(sent.method ?? method, sent.path ?? path, {
    key: null,
    headers: { ...headers, ...(text === undefined ? {} : { 'content-type': type }) },
    ...(text === undefined ? {} : { text }),
  });
}

const outcome = ({ status, json }: Got): unknown[] => [status, json.error, json.error_code];
const invalid = [401, 'signature_invalid', 'AUTH_006'];

describe('a key that requires signatures', () => {
  it('shows its signing secret once, and stores it sealed', async () => {
    expect(key.signing_secret).toMatch(/^gss_[\w-]{43}$/);
    const shown = await service.send('GET', `/v1/api-keys/${key.id}`);
    expect(shown.json.require_signature).toBe(true);
    expect(shown.text).not.toContain('gss_');
    for (const path of ['/v1/api-keys', '/v1/events', '/v1/audit-log']) {
      expect((await service.send('GET', path)).text).not.toContain(key.signing_secret);
    }
    expect(await isKeyNeeded(service.deps.store)).toBe(true);
  });

  it('lets signed requests in, with bodies and without, by its ID or its last four characters', async () => {
    expect((await send('GET', '/v1/policies?limit=5&sort_by=name')).status).toBe(200);
    expect((await send('GET', '/v1/policies', { keyId: key.key.slice(-4) })).status).toBe(200);
    const body = JSON.stringify(policy('p'));
    const made = await send('POST', '/v1/policies', { body });
    expect([made.status, made.text]).toEqual([201, expect.stringContaining('"p"')]);
    expect((await send('DELETE', `/v1/policies/${String(made.json.id)}`)).status).toBe(204);
    expect((await send('HEAD', '/v1/policies')).status).toBe(200);
  });

  it('refuses unsigned ones, saying how to sign', async () => {
    const got = await service.send('GET', '/v1/policies', { key: key.key });
    expect(outcome(got)).toEqual([401, 'signature_required', 'AUTH_005']);
    expect(got.headers.get('accept-signature')).toContain('("@method" "@target-uri" "content-digest" "authorization")'); // prettier-ignore
    expect(got.headers.get('www-authenticate')).toContain('Bearer');
    await service.maintain();
    const { json } = await service.send('GET', `/v1/api-keys/${key.id}`);
    expect(json).not.toHaveProperty('last_used_at');
  });

  it.each<[string, string, string, Changes, string]>([
    ['another secret', 'GET', '/v1/policies', { secret: 'gss_else' }, 'does not match'],
    ['another method', 'GET', '/v1/policies', { sent: { method: 'HEAD' } }, ''],
    [
      'another path',
      'GET',
      '/v1/policies',
      { sent: { path: '/v1/resources' } },
      'GET http://service.test/v1/resources',
    ],
    [
      'another query',
      'GET',
      '/v1/policies?limit=5',
      { sent: { path: '/v1/policies?limit=6' } },
      'does not match',
    ],
    [
      'another server',
      'GET',
      '/v1/policies',
      { url: 'http://other.test/v1/policies' },
      'does not match',
    ],
    [
      'another body',
      'POST',
      '/v1/policies',
      { body: '{}', sent: { text: '{"name":"x"}' } },
      'The body does not match',
    ],
    [
      'a body and the digest of none',
      'POST',
      '/v1/policies',
      { body: '', sent: { text: JSON.stringify(policy('p')) } },
      'The body does not match',
    ],
    [
      'another digest',
      'POST',
      '/v1/policies',
      { body: '{}', sent: { headers: { 'content-digest': digestOf('x') } } },
      'does not match',
    ],
    [
      'no digest',
      'GET',
      '/v1/policies',
      { sent: { headers: { 'content-digest': undefined } } },
      'no header content-digest',
    ],
    [
      'a digest that is not covered',
      'GET',
      '/v1/policies',
      { fields: ['@method', '@target-uri', 'authorization'] },
      'does not cover "content-digest"',
    ],
    [
      'a token that is not covered',
      'GET',
      '/v1/policies',
      { fields: ['@method', '@target-uri', 'content-digest'] },
      'does not cover "authorization"',
    ],
    [
      'a digest of something where nothing is read',
      'DELETE',
      '/v1/policies/pol_none',
      { body: 'x', sent: { text: '' } },
      'The body does not match',
    ],
    [
      'another key as keyid',
      'GET',
      '/v1/policies',
      { keyId: 'key_else' },
      'No signature has the keyid of this API key',
    ],
    [
      'no Signature',
      'GET',
      '/v1/policies',
      { sent: { headers: { signature: undefined } } },
      'no header signature',
    ],
    [
      'a time that is over',
      'GET',
      '/v1/policies',
      { now: Date.parse('2026-03-01T11:54:59Z') },
      'more than 5 minutes before',
    ],
    [
      'a time that is to come',
      'GET',
      '/v1/policies',
      { now: Date.parse('2026-03-01T12:05:01Z') },
      'more than 5 minutes after',
    ],
    ['a time beyond all dates', 'GET', '/v1/policies', { now: 8e15 }, 'more than 5 minutes after'],
  ])('refuses a signature with %s', async (_, method, path, changes, said) => {
    const got = await send(method, path, changes);
    if (changes.sent?.method === 'HEAD') {
      expect(got.status).toBe(401);
      return;
    }
    expect(outcome(got)).toEqual(invalid);
    expect(got.json.error_description).toContain(said);
    expect(got.text).not.toContain(key.key);
    expect((await service.send('GET', '/v1/policies')).json).toMatchObject({
      pagination: { total: 0 },
    });
  });

  it('takes a signature of the window on both its edges, and each nonce once for as long', async () => {
    service.advance(600_000);
    const now = service.deps.clock.now();
    for (const created of [now - 300_000, now + 300_000]) {
      const nonce = String(created);
      expect((await send('GET', '/v1/policies', { now: created, nonce })).status).toBe(200);
      expect(outcome(await send('GET', '/v1/policies', { now: created, nonce }))).toEqual(invalid);
    }
    service.advance(600_000);
    const late = await send('GET', '/v1/policies', { now: now + 300_000, nonce: String(now + 300_000) }); // prettier-ignore
    expect(late.json.error_description).toContain('nonce was used already');
    service.advance(1_000);
    const over = await send('GET', '/v1/policies', { now: now + 300_000, nonce: String(now + 300_000) }); // prettier-ignore
    expect(over.json.error_description).toContain('more than 5 minutes before');
  });

  it('lets one of 50 copies that come at once in, and one of a changed body none', async () => {
    const body = JSON.stringify(policy('once'));
    const headers = { ...(await headersOf('POST', '/v1/policies', { body })), 'content-type': 'application/json' }; // prettier-ignore
    const copies = await Promise.all(
      Array.from({ length: 50 }, () =>
        service.send('POST', '/v1/policies', { key: null, headers, text: body }),
      ),
    );
    expect(copies.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const got of copies.filter(({ status }) => status !== 201)) {
      expect(got.json.error_description).toContain('nonce was used already');
    }
  });

  it('does not use up a nonce by a signature that is wrong', async () => {
    await send('GET', '/v1/policies', { nonce: 'mine', secret: 'gss_else' });
    expect((await send('GET', '/v1/policies', { nonce: 'mine' })).status).toBe(200);
  });

  it('keeps the nonces of keys apart', async () => {
    const first = key;
    key = await create();
    expect((await send('GET', '/v1/policies', { nonce: 'n' })).status).toBe(200);
    key = first;
    expect((await send('GET', '/v1/policies', { nonce: 'n' })).status).toBe(200);
  });

  it('takes no signature from before the server was started: its nonce may have been used', async () => {
    const got = await send('GET', '/v1/policies', { now: Date.parse('2026-03-01T11:59:59Z') });
    expect(outcome(got)).toEqual(invalid);
    expect(got.json.error_description).toContain('before the server started');
  });

  it('is refused with the token of another key, and signed with that of another', async () => {
    const other = await create();
    const got = await send('GET', '/v1/policies', { sent: { headers: { authorization: `Bearer ${other.key}` } } }); // prettier-ignore
    expect(outcome(got)).toEqual(invalid);
    expect(outcome(await send('GET', '/v1/policies', { secret: other.signing_secret }))).toEqual(invalid); // prettier-ignore
  });

  it('takes the public address of a server that has one, and no other', async () => {
    await service.close();
    service = await startTestService({ publicUrl: 'https://governance.example.com/base' });
    key = await create();
    const at = (url: string) => send('GET', '/v1/policies?limit=3', { url });
    expect((await at('https://governance.example.com/base/v1/policies?limit=3')).status).toBe(200);
    expect(outcome(await at('http://service.test/v1/policies?limit=3'))).toEqual(invalid);
    expect(outcome(await at('https://governance.example.com/v1/policies?limit=3'))).toEqual(
      invalid,
    );
  });

  it('is not counted as a guess, and its limit is not used up by who has no signing secret', async () => {
    await service.close();
    service = await startTestService({ rateLimit: 'enforce', isLocal: false });
    key = await create();
    for (let n = 0; n < 300; n++) {
      const got = await service.send('GET', '/v1/policies', { key: key.key, from: '203.0.113.9' });
      expect(got.status).toBe(401);
    }
    expect((await send('GET', '/v1/policies')).headers.get('x-ratelimit-remaining')).toBe('199');
  });

  it('ends to require them by an update, and begins by a rotation only', async () => {
    const put = (body: object) => service.send('PUT', `/v1/api-keys/${key.id}`, { body });
    expect((await put({ require_signature: true })).headers.get('etag')).toBe('"1"');
    expect((await put({ require_signature: false })).json).not.toHaveProperty('require_signature');
    expect((await service.send('GET', '/v1/policies', { key: key.key })).status).toBe(200);
    const begun = await put({ require_signature: true });
    expect([begun.status, begun.json.error_description]).toEqual([400, expect.stringContaining('rotate the key')]); // prettier-ignore
    const rotated = await service.send('POST', `/v1/api-keys/${key.id}/rotate`, {
      body: { require_signature: true },
    });
    // What it was before goes on as it was.
    expect((await service.send('GET', '/v1/policies', { key: key.key })).status).toBe(200);
    key = rotated.json as unknown as Key;
    expect((await send('GET', '/v1/policies')).status).toBe(200);
    expect((await service.send('GET', '/v1/policies', { key: key.key })).status).toBe(401);
  });

  it('has a signing secret for each of its secrets while both work', async () => {
    const before = key;
    key = (await service.send('POST', `/v1/api-keys/${key.id}/rotate`, { body: {} })).json as unknown as Key; // prettier-ignore
    expect(key.signing_secret).not.toBe(before.signing_secret);
    expect((await send('GET', '/v1/policies')).status).toBe(200);
    expect((await send('GET', '/v1/policies', { key: before.key, secret: before.signing_secret })).status).toBe(200); // prettier-ignore
    expect(outcome(await send('GET', '/v1/policies', { secret: before.signing_secret }))).toEqual(invalid); // prettier-ignore
  });
});

describe('a signed upload', () => {
  const resource = (id: string): string =>
    JSON.stringify({ id, type: 'AWS::S3::Bucket', attributes: {} });
  const ndjson = 'application/x-ndjson';
  const many = Array.from({ length: 2_000 }, (_, n) => resource(`b${n}`)).join('\n');
  const total = async (path: string): Promise<unknown> =>
    ((await service.send('GET', path)).json.pagination as { total: number }).total;

  it('of resources is stored where its digest is right, and leaves nothing where it is not', async () => {
    const wrong = await send('POST', '/v1/resources/import', {
      body: many,
      type: ndjson,
      sent: { text: `${many}\n${resource('smuggled')}` },
    });
    expect(outcome(wrong)).toEqual(invalid);
    expect(await total('/v1/resources')).toBe(0);
    const right = await send('POST', '/v1/resources/import', { body: many, type: ndjson });
    expect([right.status, right.text]).toEqual([200, expect.stringContaining('2000')]);
    expect(await total('/v1/resources')).toBe(2_000);
  });

  it('of charges, too', async () => {
    const made = await service.send('POST', '/v1/cost/imports', { body: {} });
    expect(made.status, made.text).toBeLessThan(300);
    const path = `/v1/cost/imports/${String(made.json.id)}/files/1`;
    const csv = csvOf(usage());
    const type = 'application/octet-stream';
    const wrong = await send('PUT', path, { body: csv, type, sent: { text: `${csv}x` } });
    expect(outcome(wrong)).toEqual(invalid);
    const right = await send('PUT', path, { body: csv, type });
    expect(right.status, right.text).toBeLessThan(300);
  });

  it('of metrics, and of a snapshot, too', async () => {
    const type = ndjson;
    for (const path of ['/v1/metrics', '/v1/local/restore']) {
      const got = await send('POST', path, { body: 'x', type, sent: { text: many } });
      expect([path, ...outcome(got)]).toEqual([path, ...invalid]);
    }
    expect(await total('/v1/resources')).toBe(0);
  });
});

describe('a signed request over a socket', () => {
  let listener: Listener;
  let port: number;
  beforeEach(async () => {
    listener = await listen({
      host: '127.0.0.1',
      port: 0,
      fetch: (request, peer) => service.app.fetch(request, peer),
      refuse: (status) => new Response('', { status }),
    });
    port = listener.port;
  });
  afterEach(async () => {
    await listener.stopListening();
    await listener.close(0);
  });

  const raw = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
      socket.on('close', () => resolve(answer)).on('error', reject);
    });
  const overSocket = async (change: (lines: string[]) => string[], path = '/v1/policies') => {
    const signed = await headersOf('GET', path, { url: `http://127.0.0.1:${port}${path}` });
    const lines = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
    const head = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close'];
    return raw(`${[...head, ...change(lines)].join('\r\n')}\r\n\r\n`);
  };
  const statusOf = (answer: string): number => Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]);

  it('is let in, however its address is written', async () => {
    for (const path of ['/v1/policies', '/v1/policies?tags=a%20b', '/v1/policies?tags=%c3%a4']) {
      expect([path, statusOf(await overSocket((lines) => lines, path))]).toEqual([path, 200]);
    }
  });

  it.each<[string, (lines: string[]) => string[], number]>([
    [
      'Signature twice',
      (lines) => [...lines, ...lines.filter((line) => /^signature:/i.test(line))],
      401,
    ],
    [
      'Signature-Input twice',
      (lines) => [...lines, ...lines.filter((line) => /^signature-input:/i.test(line))],
      401,
    ],
    ['Authorization twice', (lines) => ['authorization: Bearer gk_else', ...lines], 401],
    ['Content-Digest twice', (lines) => [...lines, `content-digest: ${digestOf('x')}`], 401],
    [
      'a folded header',
      (lines) => lines.map((line) => line.replace(';created', ';\r\n created')),
      400,
    ],
    ['a header with a null', (lines) => [...lines, 'x: a\0b'], 400],
    [
      'headers of 20 KiB',
      (lines) => [...lines, `signature-input: a=("${'x'.repeat(20_000)}")`],
      431,
    ],
    [
      'headers of 15 KiB',
      (lines) => [`signature-input: ${'a=(),'.repeat(3_000)}b=()`, ...lines],
      401,
    ],
  ])('with %s is refused', async (_, change, status) => {
    expect(statusOf(await overSocket(change))).toBe(status);
  });

  it('in chunks is compared with its digest, too', async () => {
    const body = JSON.stringify(policy('chunked'));
    const url = `http://127.0.0.1:${port}/v1/policies`;
    const statusFor = async (chunks: readonly string[]): Promise<number | undefined> => {
      const headers = await headersOf('POST', '/v1/policies', { url, body });
      return new Promise((resolve, reject) => {
        const sent = httpRequest(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }); // prettier-ignore
        sent.on('response', (answer) => resolve(answer.resume().statusCode)).on('error', reject);
        for (const chunk of chunks) sent.write(chunk);
        sent.end();
      });
    };
    expect(await statusFor([body, ' '])).toBe(401);
    expect(await statusFor([body.slice(0, 10), body.slice(10)])).toBe(201);
  });
});

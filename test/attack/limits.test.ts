import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/server/start.ts';
import type { RunningServer, ServerOptions } from '../../src/server/start.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'govctl-limits-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: path.join(folder, 'data'),
    store: 'lowdb',
    allowTargets: [],
    metrics: true,
    logLevel: 'silent',
    // No minute ends while one is counted.
    clock: { now: () => Date.parse('2026-03-01T12:00:00Z'), monotonic: () => performance.now() },
    ...options,
  });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

type Headers = Readonly<Record<string, string>>;

const send = (server: RunningServer, where: string, key: string, headers: Headers = {}) =>
  fetch(server.baseUrl + where, { headers: { authorization: `Bearer ${key}`, ...headers } });

/** The statuses of so many requests, each once. */
async function statusesOf(count: number, ask: (n: number) => Promise<Response>) {
  const seen = new Set<number>();
  for (let n = 0; n < count; n++) seen.add((await ask(n)).status);
  return [...seen];
}

const publicUrl = 'https://governance.example.com';
const throughProxy: readonly (readonly [string, Partial<ServerOptions>, Headers])[] = [
  ['a server with a public URL', { publicUrl }, {}],
  ['X-Forwarded-For', {}, { 'x-forwarded-for': '203.0.113.9' }],
  ['Forwarded', {}, { forwarded: 'for=203.0.113.9' }],
];

describe.each(throughProxy)('%s, on a loopback address', (_, options, headers) => {
  const list = '/v1/policies';

  it('ends a flood of wrong tokens, and lets in whoever has a right one', async () => {
    const server = await start(options);
    const key = server.apiKey?.key ?? '';
    const wrong = (n: number) => send(server, list, `wrong-${n}`, headers);
    expect(await statusesOf(60, wrong)).toEqual([401]);
    expect(await statusesOf(70, wrong)).toEqual([429]);
    // It was never used before.
    expect((await send(server, list, key, headers)).status).toBe(200);
  });

  it('stops guesses at a key that somebody chose, and not whoever uses it', async () => {
    const apiKey = 'letmein-please';
    const server = await start({ ...options, apiKey });
    const wrong = (n: number) => send(server, list, `guess-${n}`, headers);
    await statusesOf(61, wrong);
    // A guess that hits does not learn so.
    expect((await send(server, list, apiKey, headers)).status).toBe(429);
    await server.stop();
    const again = await start({ ...options, apiKey });
    expect((await send(again, list, apiKey, headers)).status).toBe(200);
    await statusesOf(61, (n) => send(again, list, `guess-${n}`, headers));
    expect((await send(again, list, apiKey, headers)).status).toBe(200);
  });

  it('limits the requests of a token', async () => {
    const server = await start(options);
    const key = server.apiKey?.key ?? '';
    const ask = () => send(server, list, key, headers);
    expect(await statusesOf(201, ask)).toEqual([200, 429]);
  });

  it('has no test aids, makes no events up, and sends nothing to plain http', async () => {
    const server = await start(options);
    const key = server.apiKey?.key ?? '';
    const post = (where: string, body: object) =>
      fetch(server.baseUrl + where, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    for (const where of ['/v1/local', '/v1/local/clock', '/v1/local/snapshot']) {
      const got = await send(server, where, key, headers);
      expect([got.status, await got.json()]).toMatchObject([403, { error: 'not_local' }]);
    }
    const event = await post('/v1/events', { type: 'scan.completed' });
    expect([event.status, await event.json()]).toMatchObject([403, { error: 'not_local' }]);
    const hook = {
      url: 'http://127.0.0.1:1/x',
      events: ['scan.completed'],
      secret: 'x'.repeat(20),
    };
    expect((await post('/v1/webhooks', hook)).status).toBe(400);
  });

  it('shows metrics to tokens with the scope admin alone', async () => {
    const server = await start(options);
    const key = server.apiKey?.key ?? '';
    const made = await fetch(`${server.baseUrl}/v1/api-keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'reader', scopes: ['governance:read'] }),
    });
    const reader = ((await made.json()) as { key: string }).key;
    const statuses = await Promise.all([
      fetch(`${server.baseUrl}/metrics`, { headers }),
      send(server, '/metrics', reader, headers),
      send(server, '/metrics', key, headers),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([401, 403, 200]);
  });
});

describe('a local server', () => {
  it('reports limits and refuses nothing, and shows metrics without a token', async () => {
    const server = await start();
    const key = server.apiKey?.key ?? '';
    expect(await statusesOf(130, (n) => send(server, '/v1/policies', `wrong-${n}`))).toEqual([401]);
    expect(await statusesOf(201, () => send(server, '/v1/policies', key))).toEqual([200]);
    expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(200);
  });
});

it('a listener of its own shows metrics without a token, and nothing else', async () => {
  const server = await start({ publicUrl, metricsListen: { host: '127.0.0.1', port: 0 } });
  const there = `http://127.0.0.1:${server.metricsPort ?? 0}`;
  const metrics = await fetch(`${there}/metrics`);
  expect([metrics.status, await metrics.text()]).toEqual([
    200,
    expect.stringContaining('govctl_store_writable 1'),
  ]);
  for (const where of ['/v1/policies', '/healthz', '/']) {
    expect(
      (await send({ ...server, baseUrl: there }, where, server.apiKey?.key ?? '')).status,
    ).toBe(404);
  }
  expect((await fetch(`${there}/metrics`, { method: 'POST', body: 'x' })).status).toBe(404);
  expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(401);
});

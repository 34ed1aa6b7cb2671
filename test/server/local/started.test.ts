import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../../../src/server/start.ts';
import type { RunningServer, ServerOptions } from '../../../src/server/start.ts';
import { policy } from '../test-service.ts';

/** A system's clock that stands still, so that what moves is what was moved. */
const noon = Date.parse('2026-03-01T12:00:00Z');
const standing = { now: () => noon, monotonic: () => performance.now() };

const key = `gk_${'k'.repeat(43)}`;
let folder: string;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'govctl-local-'))));
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: path.join(folder, 'data'),
    store: 'lowdb',
    apiKey: key,
    allowTargets: [],
    metrics: false,
    logLevel: 'silent',
    ...options,
  });
  closing.push(() => server.stop());
  return server;
}

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

async function send(
  server: RunningServer,
  method: string,
  url: string,
  body?: unknown,
): Promise<Got> {
  const answer = await fetch(server.baseUrl + url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

interface Received {
  readonly id: string | undefined;
  readonly attempt: string | undefined;
}

/** A receiver on this machine; `answer` gives the status for the n-th request. */
async function receive(answer: (count: number) => number) {
  const received: Received[] = [];
  const server = createServer((incoming, outgoing) => {
    const { headers } = incoming;
    received.push({
      id: headers['x-service-event-id'] as string | undefined,
      attempt: headers['x-service-delivery-attempt'] as string | undefined,
    });
    incoming.resume();
    incoming.on('end', () => outgoing.writeHead(answer(received.length)).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** A receiver that answers when it is told to. */
async function receiveLater() {
  const held: (() => void)[] = [];
  const server = createServer((_, outgoing) => void held.push(() => outgoing.writeHead(200).end()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    /** Answers the next request that came. */
    async next(): Promise<() => void> {
      for (;;) {
        const answer = held.shift();
        if (answer) return answer;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

const hook = async (server: RunningServer, url: string, fields = {}): Promise<string> => {
  const body = { url, events: ['scan.completed'], secret: 'a-secret-of-16-or-more', ...fields };
  const made = await send(server, 'POST', '/v1/webhooks', body);
  if (made.status !== 201) throw new Error(JSON.stringify(made.json));
  return String(made.json.id);
};
const trigger = async (server: RunningServer): Promise<string> =>
  String((await send(server, 'POST', '/v1/events', { type: 'scan.completed' })).json.id);
const advance = async (server: RunningServer, by: string): Promise<Record<string, unknown>> =>
  (await send(server, 'POST', '/v1/local/clock/advance', { by })).json;
const deliveriesOf = async (server: RunningServer, id: string) =>
  (await send(server, 'GET', `/v1/webhooks/${id}/deliveries?order=asc`)).json.deliveries as {
    id: string;
    event_id: string;
    status: string;
    attempt_count: number;
  }[];

describe('the clock of a started server', () => {
  it('makes all attempts of a day in order, each at its own time, and the next event after it', async () => {
    const { received, url } = await receive(() => 500);
    const server = await start({ clock: standing });
    const id = await hook(server, url);
    const first = await trigger(server);
    const second = await trigger(server);
    const advanced = await advance(server, '23h');
    expect(advanced).toMatchObject({ reached: true });
    const [delivery, ...others] = await deliveriesOf(server, id);
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ event_id: first, status: 'pending' });
    const { attempts } = (
      await send(server, 'GET', `/v1/webhooks/${id}/deliveries/${delivery?.id}`)
    ).json as { attempts: { at: string }[] };
    const seconds = attempts.map(({ at }) => Date.parse(at) / 1_000);
    const gaps = seconds.slice(1).map((at, index) => at - (seconds[index] ?? 0));
    expect(gaps.slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(gaps.length).toBeGreaterThan(20);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(3_960);
    expect(received.map(({ id: event }) => event)).toEqual(received.map(() => first));

    await advance(server, '2h');
    expect(await deliveriesOf(server, id)).toMatchObject([{ event_id: first, status: 'failed' }]);
    const { json: disabled } = await send(server, 'GET', `/v1/webhooks/${id}`);
    expect(disabled).toMatchObject({ status: 'disabled' });
    expect(received.some(({ id: event }) => event === second)).toBe(false);
  });

  it('goes on where it was after a restart, says so, and can be reached by it alone', async () => {
    const before = await start();
    await send(before, 'PUT', '/v1/local/clock', { now: '2031-05-05T05:05:05Z' });
    await before.stop();
    const after = await start();
    expect(after.notices.join('\n')).toMatch(
      /clock of this data directory was moved by \+.*2031-05-05/,
    );
    const made = await send(after, 'POST', '/v1/policies', policy('late'));
    expect(made.json.created_at).toMatch(/^2031-05-05T05:05/);
    expect(made.headers.get('x-govctl-local')).toMatch(/^clock=\+/);
    await after.stop();
    const behindProxy = await start({ publicUrl: 'https://governance.example.com' });
    expect(behindProxy.isLocal).toBe(false);
    expect(behindProxy.notices.join('\n')).toContain('uses system time');
    expect((await send(behindProxy, 'GET', '/v1/local')).json.error).toBe('not_local');
    const now = (await send(behindProxy, 'POST', '/v1/policies', policy('today'))).json.created_at;
    expect(Math.abs(Date.parse(String(now)) - Date.now())).toBeLessThan(3_600_000);
  });

  it('stays where it came when the time is up while a receiver hangs', async () => {
    const hanging = await receiveLater();
    const server = await start();
    await hook(server, hanging.url);
    await trigger(server);
    const body = { by: '1d', within_ms: 50 };
    const stuck = (await send(server, 'POST', '/v1/local/clock/advance', body)).json;
    expect(stuck).toMatchObject({ reached: false, steps: 0 });
    expect(Number(stuck.offset_ms)).toBe(0);
    (await hanging.next())();
    expect(await advance(server, '1d')).toMatchObject({ reached: true });
  });
});

describe('a fault of a started server', () => {
  it('cuts the connection where it was told to', async () => {
    const server = await start();
    const names = async (): Promise<unknown> =>
      ((await send(server, 'GET', '/v1/policies')).json.policies as { name: string }[]).map(
        ({ name }) => name,
      );
    const fault = (fields: object): Promise<Got> =>
      send(server, 'POST', '/v1/local/faults', { path: '/v1/policies', ...fields });
    await fault({ method: 'POST', cut: 'request' });
    await expect(send(server, 'POST', '/v1/policies', policy('a'))).rejects.toThrow('fetch failed');
    expect(await names()).toEqual([]);
    await fault({ method: 'POST', cut: 'answer' });
    await expect(send(server, 'POST', '/v1/policies', policy('a'))).rejects.toThrow('fetch failed');
    expect(await names()).toEqual(['a']);
    await fault({ method: 'GET', cut: 'body' });
    const half = await fetch(`${server.baseUrl}/v1/policies`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(half.status).toBe(200);
    await expect(half.text()).rejects.toThrow('terminated');
    expect(await names()).toEqual(['a']);
  });

  it('cuts a file in its middle, as a connection that breaks does', async () => {
    const server = await start();
    const asked = { name: 'r', type: 'trend', scope: {}, format_options: { formats: ['csv'] } };
    const { id } = (await send(server, 'POST', '/v1/reports', asked)).json as { id: string };
    for (;;) {
      const { json } = await send(server, 'GET', `/v1/reports/${id}`);
      if (json.status === 'completed') break;
      expect(json.status).not.toBe('failed');
      await sleep(20);
    }
    const path = `/v1/reports/${id}/download/csv`;
    await send(server, 'POST', '/v1/local/faults', { path, cut: 'body' });
    const half = await fetch(server.baseUrl + path, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(half.status).toBe(200);
    expect(half.headers.get('transfer-encoding')).toBeNull();
    expect(Number(half.headers.get('content-length'))).toBeGreaterThan(0);
    await expect(half.arrayBuffer()).rejects.toThrow('terminated');
  });
});

describe('a snapshot of a started server', () => {
  it('has deliveries go on in another server with the same key, with the same attempt', async () => {
    const { received, url } = await receive((count) => (count <= 2 ? 500 : 200));
    const secretKey = Buffer.alloc(32, 7).toString('base64');
    const one = await start({ secretKey, clock: standing });
    const id = await hook(one, url);
    // Other lanes' work, so that places differ in the other server.
    await hook(one, url, { active: false });
    const event = await trigger(one);
    await advance(one, '2s');
    expect(received).toHaveLength(2);
    const snapshot = await (
      await fetch(`${one.baseUrl}/v1/local/snapshot`, {
        headers: { authorization: `Bearer ${key}` },
      })
    ).text();
    await one.stop();

    const two = await start({ secretKey, clock: standing, dataDir: path.join(folder, 'two') });
    await trigger(two);
    const restored = await fetch(`${two.baseUrl}/v1/local/restore?clock=snapshot`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: snapshot,
    });
    expect([restored.status, await restored.json()]).toMatchObject([200, { new_secrets: 0 }]);
    await advance(two, '10s');
    expect(received.map(({ id: got, attempt }) => [got, attempt])).toEqual([
      [event, '1'],
      [event, '2'],
      [event, '3'],
    ]);
    const [delivery, ...others] = await deliveriesOf(two, id);
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ status: 'succeeded', attempt_count: 3 });
  });

  it('is restored, and all is emptied, while a delivery is under way', async () => {
    const hanging = await receiveLater();
    const server = await start();
    const id = await hook(server, hanging.url);
    await trigger(server);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
    const snapshot = await (await fetch(`${server.baseUrl}/v1/local/snapshot`, { headers })).text();
    const first = await hanging.next();
    const restored = await fetch(`${server.baseUrl}/v1/local/restore`, {
      method: 'POST',
      headers,
      body: snapshot,
    });
    expect(restored.status).toBe(200);
    first();
    // What was restored waits, whatever was answered before.
    (await hanging.next())();
    expect(await advance(server, '0s')).toMatchObject({ reached: true });
    const ended = await deliveriesOf(server, id);
    expect(ended.at(-1)).toMatchObject({ status: 'succeeded' });

    await trigger(server);
    const last = await hanging.next();
    expect((await send(server, 'POST', '/v1/local/reset')).status).toBe(200);
    last();
    expect(await advance(server, '1d')).toMatchObject({ reached: true });
    expect((await send(server, 'GET', '/v1/webhooks')).json.webhooks).toEqual([]);
    expect((await send(server, 'GET', '/v1/events')).json.events).toEqual([]);
  });

  it('is refused where another key sealed its secrets, unless webhooks may get new ones', async () => {
    const { received, url } = await receive(() => 200);
    const one = await start();
    const id = await hook(one, url);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
    const snapshot = await (await fetch(`${one.baseUrl}/v1/local/snapshot`, { headers })).text();
    const two = await start({ dataDir: path.join(folder, 'two') });
    const restore = (query: string): Promise<Response> =>
      fetch(`${two.baseUrl}/v1/local/restore${query}`, { method: 'POST', headers, body: snapshot });
    const refused = await restore('');
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('GOVCTL_SERVER_SECRET_KEY');
    const taken = await restore('?secrets=new');
    expect(await taken.json()).toMatchObject({ new_secrets: 1 });
    const test = await send(two, 'POST', `/v1/webhooks/${id}/test`, {
      event_type: 'scan.completed',
    });
    expect(test.json).toMatchObject({ delivered: true });
    expect(received).toHaveLength(1);
  });
});

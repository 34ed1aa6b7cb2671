import { createServer, request } from 'node:http';
import type { Agent, IncomingMessage } from 'node:http';
import * as http from 'node:http';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../../src/server/start.ts';
import type { RunningServer, ServerOptions } from '../../src/server/start.ts';
import { resources } from '../../src/server/resources/collection.ts';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import { collections, lanes } from '../../src/server/wiring/modules.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { policy } from './test-service.ts';

let folder: string;
const running: RunningServer[] = [];
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'govctl-start-test-'))));
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: path.join(folder, 'data'),
    store: 'lowdb',
    allowTargets: [],
    metrics: false,
    logLevel: 'silent',
    ...options,
  });
  running.push(server);
  return server;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

const send = (
  server: RunningServer,
  method: string,
  url: string,
  { key, body, agent }: { key?: string; body?: unknown; agent?: Agent } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      `${server.baseUrl}${url}`,
      {
        method,
        ...(agent ? { agent } : {}),
        headers: {
          authorization: `Bearer ${key ?? server.apiKey?.key ?? ''}`,
          'content-type': 'application/json',
        },
      },
      (incoming) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode, headers: incoming.headers, text }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });

/** What comes back for raw bytes, until the server closes. */
/** Milliseconds that a server waits, as it stops, for what still goes on. */
const stopWithin = 8_000;

/** @param heard called at the first bytes of an answer */
const exchangeRaw = (
  server: RunningServer,
  text: string,
  heard: () => void = () => undefined,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
    let got = '';
    socket.on('data', (chunk) => (got += chunk.toString()));
    socket.once('data', heard);
    socket.on('close', () => resolve(got));
    socket.on('error', reject);
  });

describe('a started server', () => {
  it('serves over HTTP and without a socket alike, and keeps what it was given', async () => {
    const server = await start();
    const created = await send(server, 'POST', '/v1/policies', { body: policy('kept') });
    expect(created.status).toBe(201);
    const inside = await server.fetch(`${server.baseUrl}/v1/policies`, {
      headers: { authorization: `Bearer ${server.apiKey?.key ?? ''}` },
    });
    expect(await inside.text()).toContain('"kept"');
    await server.stop();
    const again = await start();
    expect(again.apiKey).toBeUndefined();
    expect(again.notices).toEqual([]);
    const listed = await send(again, 'GET', '/v1/policies', { key: server.apiKey?.key ?? '' });
    expect([listed.status, listed.text]).toEqual([200, expect.stringContaining('"kept"')]);
  });

  it('takes the key it is given in place of the one it had', async () => {
    const first = await start();
    expect(first.apiKey).toMatchObject({
      generated: true,
      key: expect.stringMatching(/^gk_[\w-]{43}$/),
    });
    await first.stop();
    const second = await start({ apiKey: 'a-key-of-my-own-0123456789' });
    expect(second.apiKey).toEqual({ key: 'a-key-of-my-own-0123456789', generated: false });
    expect((await send(second, 'GET', '/v1/policies')).status).toBe(200);
    expect((await send(second, 'GET', '/v1/audit-log')).status).toBe(200);
    expect(
      (await send(second, 'GET', '/v1/policies', { key: first.apiKey?.key ?? '' })).status,
    ).toBe(401);
  });

  it('knows the key it is given from its first answer on', async () => {
    const port = await freePort();
    const key = 'a-key-of-my-own-0123456789';
    const statuses: number[] = [];
    let isStarting = true;
    /** Asks while it starts. */
    const ask = async (): Promise<void> => {
      while (isStarting || statuses.length === 0) {
        const asked = fetch(`http://127.0.0.1:${port}/v1/policies`, {
          headers: { authorization: `Bearer ${key}`, connection: 'close' },
        });
        // Until it listens, it is refused.
        const status = await asked.then((answer) => answer.status).catch(() => undefined);
        if (status !== undefined) statuses.push(status);
      }
    };
    const asking = [ask(), ask(), ask()];
    await start({ port, apiKey: key });
    isStarting = false;
    await Promise.all(asking);
    // Until it is ready, it says so; it never says that it does not know the key.
    expect(statuses.filter((status) => status !== 503)).not.toEqual([]);
    expect(new Set(statuses.filter((status) => status !== 503))).toEqual(new Set([200]));
  });

  describe('with very much data to load', () => {
    const dir = () => path.join(folder, 'data');
    beforeEach(async () => {
      const store = await openLowdbStore({ dir: dir(), collections, lanes });
      const at = new Date(0).toISOString();
      await store.transact(async (tx) => {
        for (let n = 0; n < 20_000; n += 1) {
          const id = `r${n}`;
          const kind = { type: 'AWS::S3::Bucket', provider: 'aws' } as const;
          const resource = { id, ...kind, properties: {}, tags: {} };
          await tx.insert(resources, { id, resource, created_at: at, updated_at: at });
        }
      });
      await store.close();
    });

    it('answers health checks and refuses the rest until it is ready, and is ready only then', async () => {
      const readyFile = path.join(folder, 'ready.json');
      const port = await freePort();
      let isReady = false;
      const seen = new Map<string, Set<string>>();
      const ask = async (url: string): Promise<void> => {
        const answers = new Set<string>();
        seen.set(url, answers);
        for (let isLast = false; !isLast;) {
          isLast = isReady;
          const wasReady = existsSync(readyFile);
          const answer = await fetch(`http://127.0.0.1:${port}${url}`).catch(() => undefined);
          if (!answer) continue;
          const body = (await answer.json()) as Record<string, unknown>;
          if (answer.status === 503) {
            expect(wasReady).toBe(false);
            expect(body).toMatchObject({ error: 'unavailable', error_code: 'SRV_002' });
            expect(answer.headers.get('retry-after')).toBe('1');
          }
          answers.add(`${answer.status} ${String(body.status ?? body.error)}`);
        }
      };
      const asking = ['/healthz', '/readyz', '/v1/policies'].map(ask);
      await start({ port, readyFile });
      isReady = true;
      await Promise.all(asking);
      expect(existsSync(readyFile)).toBe(true);
      expect([...(seen.get('/healthz') ?? [])]).toEqual(['200 ok']);
      expect([...(seen.get('/readyz') ?? [])]).toEqual(['503 not_ready', '200 ready']);
      expect([...(seen.get('/v1/policies') ?? [])]).toEqual([
        '503 unavailable',
        '401 invalid_token',
      ]);
    });

    it('stops when it is told so while it loads, and lets go of everything', async () => {
      const port = await freePort();
      const stopping = new AbortController();
      const started = start({ port, signal: stopping.signal });
      const answered = async (): Promise<boolean> =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          () => true,
          () => false,
        );
      await until(answered);
      stopping.abort(new Error('told to stop'));
      await expect(started).rejects.toThrow('told to stop');
      expect(await answered()).toBe(false);
      await start({ port });
    });
  });

  it('writes the ready file whole, and removes it when it stops', async () => {
    const readyFile = path.join(folder, 'ready.json');
    const server = await start({ readyFile });
    expect(JSON.parse(await readFile(readyFile, 'utf8'))).toEqual({
      base_url: server.baseUrl,
      pid: process.pid,
    });
    await server.stop();
    expect(existsSync(readyFile)).toBe(false);
  });

  it('writes through no link that was put where it writes the ready file first', async () => {
    const readyFile = path.join(folder, 'ready.json');
    const other = path.join(folder, 'other');
    await writeFile(other, 'precious');
    await symlink(other, `${readyFile}.${process.pid}.tmp`);
    await symlink(other, readyFile);
    await start({ readyFile });
    expect(JSON.parse(await readFile(readyFile, 'utf8'))).toMatchObject({ pid: process.pid });
    expect(await readFile(other, 'utf8')).toBe('precious');
  });

  it('takes away a ready file of an earlier server first, and leaves one of another alone', async () => {
    const readyFile = path.join(folder, 'ready.json');
    await writeFile(readyFile, '{"base_url":"http://127.0.0.1:1","pid":1}');
    await expect(start({ readyFile, host: '192.0.2.1' })).rejects.toThrow('192.0.2.1');
    expect(existsSync(readyFile)).toBe(false);
    const server = await start({ readyFile });
    await writeFile(readyFile, '{"base_url":"http://127.0.0.1:1","pid":1}');
    await server.stop();
    expect(existsSync(readyFile)).toBe(true);
  });

  it('limits by default only where other machines can connect, and warns there', async () => {
    const server = await start({ host: '0.0.0.0' });
    expect(server.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.notices.join(' ')).toContain('without TLS');
    const got = await Promise.all(
      Array.from({ length: 201 }, () => send(server, 'GET', '/v1/policies')),
    );
    expect(got.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  });

  it('shows metrics by route template and status', async () => {
    const server = await start({ metrics: true });
    await send(server, 'GET', '/v1/policies/pol_x');
    await send(server, 'GET', '/nowhere/pol_y');
    const { text } = await send(server, 'GET', '/metrics');
    expect(text).toContain(
      'govctl_http_request_duration_seconds_count{method="GET",route="/v1/policies/:id",status="404"} 1',
    );
    expect(text).toContain(
      'govctl_http_request_duration_seconds_count{method="GET",route="unmatched",status="404"} 1',
    );
    expect(text).toContain('govctl_store_records{collection="api_keys"} 1');
    expect(text).toContain('govctl_store_writable 1');
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).not.toContain('pol_x');
  });

  const addresses = Object.values(networkInterfaces()).flat();
  const hasIpv6 = addresses.some((each) => each?.address === '::1');
  it.runIf(hasIpv6)('serves HTTP/1.0 without a Host, on IPv6 too', async () => {
    const server = await start({ host: '::1' });
    const got = await new Promise<string>((resolve, reject) => {
      const socket = connect(server.port, '::1', () =>
        socket.write('GET /healthz HTTP/1.0\r\n\r\n'),
      );
      socket.on('data', (chunk: Buffer) => resolve(chunk.toString()));
      socket.on('error', reject);
    });
    expect(got).toMatch(/^HTTP\/1\.[01] 200 /);
  });

  it('answers what is not HTTP, and too large headers, in the error shape', async () => {
    const server = await start();
    expect(await exchangeRaw(server, 'NONSENSE\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [^]*"malformed_request"/,
    );
    const large = `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    expect(await exchangeRaw(server, large)).toMatch(/^HTTP\/1\.1 431 [^]*16 KiB/);
    expect(await exchangeRaw(server, 'GET /healthz HTTP/1.0\r\nHost: a b\r\n\r\n')).toMatch(
      /^HTTP\/1\.[01] 400 /,
    );
    for (const [text, status] of [
      ['NONSENSE\r\n\r\n', 400],
      [large, 431],
      ['GET /healthz HTTP/1.1\r\n\r\n', 400],
      ['GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n', 417],
    ] as const) {
      const got = await exchangeRaw(server, text);
      expect(got).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(got).toMatch(/\r\nx-request-id: req_\w+\r\n/i);
      expect(got.match(/connection: /gi)).toHaveLength(1);
      expect(JSON.parse(got.slice(got.indexOf('{'), got.lastIndexOf('}') + 1))).toMatchObject({
        error: 'malformed_request',
        request_id: expect.any(String),
      });
    }
    expect(await exchangeRaw(server, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(
      /^HTTP\/1\.[01] 200 /,
    );
  });

  it('refuses a body without a length once it is too large, and goes on serving', async () => {
    const server = await start();
    const answer = await new Promise<Answer>((resolve, reject) => {
      const outgoing = request(
        `${server.baseUrl}/v1/policies`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${server.apiKey?.key ?? ''}`,
            'content-type': 'application/json',
          },
        },
        (incoming) => {
          let text = '';
          incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode, headers: incoming.headers, text }),
          );
        },
      );
      outgoing.on('error', reject);
      for (let mib = 0; mib < 11; mib++) outgoing.write(Buffer.alloc(1 << 20, 32));
    });
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining('10 MiB')]);
    expect((await send(server, 'GET', '/v1/policies')).status).toBe(200);
  });
});

describe('stopping', () => {
  it('finishes what has begun, refuses new work on open connections with 503, and takes no new ones', async () => {
    const server = await start();
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    expect((await send(server, 'GET', '/v1/policies', { agent })).status).toBe(200);
    const body = JSON.stringify(policy('slow'));
    let begun = (_: http.ClientRequest): void => undefined;
    const seen = new Promise<http.ClientRequest>((resolve) => (begun = resolve));
    const slow = new Promise<Answer>((resolve, reject) => {
      const outgoing = request(
        `${server.baseUrl}/v1/policies`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${server.apiKey?.key ?? ''}`,
            'content-type': 'application/json',
            'content-length': body.length,
            expect: '100-continue',
          },
        },
        (incoming) => {
          let text = '';
          incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
          incoming.on('end', () =>
            resolve({ status: incoming.statusCode, headers: incoming.headers, text }),
          );
        },
      );
      outgoing.on('error', reject);
      // The server has seen its head.
      outgoing.once('continue', () => begun(outgoing));
      outgoing.flushHeaders();
    });
    const outgoing = await seen;
    outgoing.write(body.slice(0, 20));
    const stopped = server.stop();
    const refused = await send(server, 'GET', '/v1/policies', { agent });
    expect(refused.status).toBe(503);
    expect(refused.headers.connection).toBe('close');
    expect(JSON.parse(refused.text)).toMatchObject({ error: 'unavailable' });
    outgoing.end(body.slice(20));
    await expect(send(server, 'GET', '/healthz')).rejects.toThrow('ECONNREFUSED');
    expect((await slow).status).toBe(201);
    await stopped;
    agent.destroy();
    const again = await start();
    const listed = await send(again, 'GET', '/v1/policies', { key: server.apiKey?.key ?? '' });
    expect(listed.text).toContain('"slow"');
  });

  it('does not wait for connections that only stay open', async () => {
    const server = await start();
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const started = performance.now();
    await server.stop();
    await server.stop();
    expect(performance.now() - started).toBeLessThan(stopWithin);
    socket.destroy();
  });
});

describe('a body that never comes', () => {
  it('holds up no stop: its request is answered 503', async () => {
    const server = await start();
    let seen = (): void => undefined;
    const begun = new Promise<void>((resolve) => (seen = resolve));
    const half = exchangeRaw(
      server,
      'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\nExpect: 100-continue\r\n\r\n{"a',
      seen,
    );
    await begun;
    const started = performance.now();
    await server.stop();
    expect(performance.now() - started).toBeLessThan(stopWithin);
    expect(await half).toMatch(/HTTP\/1\.1 503 [^]*"unavailable"/);
  });
});

describe('a key that nobody has seen', () => {
  it.each<[string, Partial<ServerOptions>]>([
    ['the port is taken', {}],
    ['the address is none of this machine’s', { host: '192.0.2.1' }],
    ['TLS files are missing', { tls: { cert: '/none.pem', key: '/none.pem' } }],
    ['the ready file cannot be written', { readyFile: '/none/ready.json' }],
  ])('is not made when %s: the next start shows one that works', async (why, options) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo; // it listens on a port
    await expect(start(why.includes('port') ? { port } : options)).rejects.toThrow();
    other.close();
    const server = await start();
    expect(server.apiKey).toMatchObject({ generated: true });
    expect((await send(server, 'GET', '/v1/policies')).status).toBe(200);
  });
});

describe('a server that cannot start says what to do', () => {
  const failing = async (options: Partial<ServerOptions>) =>
    start(options).then(
      () => {
        throw new Error('it started');
      },
      (error: unknown) => error,
    );

  it('when the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo; // it listens on a port
    expect(await failing({ port })).toMatchObject({
      error: 'usage_error',
      message: expect.stringContaining(`port ${port}: the address is in use`),
      hint: expect.stringContaining('another --port'),
    });
    const metricsListen = { host: '127.0.0.1', port };
    expect(await failing({ metricsListen })).toMatchObject({
      hint: expect.stringContaining('another --metrics-listen'),
    });
    other.close();
    await start();
  });

  it('when the address is none of this machine’s', async () => {
    expect(await failing({ host: '192.0.2.1' })).toMatchObject({
      error: 'usage_error',
      hint: expect.stringContaining('127.0.0.1'),
    });
  });

  it('when the data folder is in use or is a file', async () => {
    await start();
    expect(await failing({})).toMatchObject({
      error: 'data_refused',
      hint: expect.stringContaining('--data-dir'),
    });
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    expect(await failing({ dataDir: file })).toMatchObject({
      error: 'data_refused',
      message: expect.stringContaining(file),
    });
  });

  it.each([
    [{ store: 'postgres://localhost/x' }, 'not available yet'],
    [{ store: 'mongo' }, 'mongo'],
    [{ allowTargets: ['10.0.0.0/33'] }, '10.0.0.0/33'],
    [{ allowTargets: ['example.com'] }, 'example.com'],
    [{ publicUrl: 'ftp://x' }, 'ftp://x'],
    [{ apiKey: 'with space here' }, 'API key'],
    [{ host: '' }, 'host'],
    [{ host: ' ' }, 'host'],
    [{ dataDir: '' }, '--data-dir is empty'],
  ])('with the options %j', async (options, text) => {
    expect(await failing(options)).toMatchObject({
      error: 'usage_error',
      message: expect.stringContaining(text),
    });
    expect(existsSync(path.join(folder, 'data', 'lock'))).toBe(false);
  });

  it.runIf(process.platform === 'linux')('when no folder can be made there', async () => {
    expect(await failing({ dataDir: '/proc/none/data' })).toMatchObject({
      error: 'data_refused',
      message: expect.stringContaining('/proc/none'),
    });
  });

  it('when TLS files are missing or wrong', async () => {
    const cert = path.join(folder, 'cert.pem');
    expect(await failing({ tls: { cert, key: cert } })).toMatchObject({
      error: 'file_error',
      message: expect.stringContaining(cert),
    });
    await writeFile(cert, 'nonsense');
    expect(await failing({ tls: { cert, key: cert } })).toMatchObject({
      error: 'usage_error',
      hint: expect.stringContaining('PEM'),
    });
  });

  it('when the ready file cannot be written, and lets go of everything', async () => {
    const readyFile = path.join(folder, 'none', 'ready.json');
    expect(await failing({ readyFile })).toMatchObject({
      error: 'file_error',
      message: expect.stringContaining(readyFile),
    });
    await start();
  });
});

describe('a server with a country_database', () => {
  const databases = path.dirname(
    createRequire(import.meta.url).resolve(
      '@ip-location-db/geo-whois-asn-country-mmdb/package.json',
    ),
  );

  it('does not start with a broken one, which it names; a broken one that replaces it changes nothing', async () => {
    const [file, configFile] = [path.join(folder, 'c.mmdb'), path.join(folder, 'server.yaml')];
    await writeFile(configFile, 'country_database: c.mmdb\n');
    await writeFile(file, 'no database');
    await expect(start({ configFile })).rejects.toMatchObject({
      error: 'invalid_file',
      message: expect.stringContaining(file) as string,
    });
    await copyFile(path.join(databases, 'geo-whois-asn-country.mmdb'), file);
    const server = await start({ configFile });
    const key = server.apiKey?.key ?? '';
    const body = { name: 'k', scopes: ['governance:read'], countries: ['DE'] };
    const made = await send(server, 'POST', '/v1/api-keys', { key, body });
    expect(made.status).toBe(201);
    await writeFile(file, 'no database');
    await server.reload();
    const again = await send(server, 'POST', '/v1/api-keys', { key, body });
    expect(again.status).toBe(201);
    const { key: abroad } = JSON.parse(made.text) as { key: string };
    const refused = await send(server, 'GET', '/v1/policies', { key: abroad });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('127.0.0.1')]);
  });
});

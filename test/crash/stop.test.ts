import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  binary,
  cleanEnvironment,
  makeTempFolder,
  serverKey,
  startBuiltServer,
} from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { freePort } from '../support/free-port.ts';
import { makeSelfSigned } from '../support/self-signed.ts';
import { stoppableDisk } from '../support/stoppable-disk.ts';
import { hasTool } from '../support/system-tool.ts';
import { until } from '../support/until.ts';
import { sendWithoutPause } from './keep-alive-clients.ts';

const rounds = Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 2);

async function start(
  args: readonly string[] = [],
  options: Omit<NonNullable<Parameters<typeof startBuiltServer>[0]>, 'args'> = {},
): Promise<BuiltServer> {
  const server = await startBuiltServer({ ...options, args: ['--rate-limit', 'off', ...args] });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  return server;
}

const certificate = makeSelfSigned();

test.each([
  ['HTTP', undefined],
  ['HTTPS', certificate],
])(
  'from its start to its stop, a server answers at %s each request that comes, or refuses its connection',
  async (scheme, tls) => {
    if (scheme === 'HTTPS' && !tls) return;
    const folder = makeTempFolder();
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
    writeFileSync(cert, tls?.cert ?? '');
    writeFileSync(key, tls?.key ?? '');
    for (let round = 0; round < rounds; round++) {
      const port = await freePort();
      const baseUrl = `${scheme.toLowerCase()}://127.0.0.1:${port}`;
      const clients = sendWithoutPause({ baseUrl, key: serverKey }, 8, tls?.cert);
      const server = await start([
        ...['--port', String(port)],
        ...(tls ? ['--tls-cert', cert, '--tls-key', key] : []),
      ]);
      const { outcomes } = clients;
      await until(() => outcomes.answered > 300 + round * 20);
      expect(await server.stop('SIGTERM')).toBe(0);
      await clients.end();
      expect(outcomes.broken).toEqual([]);
    }
  },
  180_000,
);

/** Milliseconds that a stop takes at most, and that a machine under load may add. */
const stopWithin = 9_000;
const load = 20_000;

const ask = (server: BuiltServer, where: string, init: RequestInit = {}): Promise<Response> =>
  fetch(server.baseUrl + where, {
    ...init,
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      ...init.headers,
    },
  });

const create = (server: BuiltServer, name: string): Promise<Response> =>
  ask(server, '/v1/policies', {
    method: 'POST',
    body: JSON.stringify({
      name,
      resource_type: 'AWS::S3::Bucket',
      rules: [{ condition: 'resource.open', effect: 'DENY' }],
    }),
  });

/** What a process ended with: the signal that ended it, or its code. */
async function endOf({ process }: BuiltServer): Promise<{ end: unknown; said: string }> {
  const { exitCode, stderr, ...ended } = (await process) as { exitCode?: number; stderr?: unknown };
  return { end: exitCode ?? ('signal' in ended && ended.signal), said: String(stderr) };
}

/** As `BuiltServer.stop`, which kills after some seconds, does not. */
const signal = ({ process: { pid } }: BuiltServer): void => {
  if (pid !== undefined) process.kill(pid, 'SIGTERM');
};

describe('a stop ends', () => {
  const compiles = hasTool('a C compiler', () => void stoppableDisk());

  /** A server with a policy, on a disk that stands still, and a request that waits for it. */
  async function startStuck(): Promise<{ server: BuiltServer; dataDir: string }> {
    const dataDir = path.join(makeTempFolder(), 'data');
    const disk = stoppableDisk();
    const server = await start([], { dataDir, env: disk.env });
    expect((await create(server, 'one')).status).toBe(201);
    disk.stop();
    void create(server, 'two').catch(() => undefined);
    await sleep(100);
    return { server, dataDir };
  }

  test.skipIf(!compiles)('in time where the disk stands still, and loses nothing', async () => {
    const { server, dataDir } = await startStuck();
    const begun = performance.now();
    signal(server);
    const { end, said } = await endOf(server);
    expect(performance.now() - begun).toBeLessThan(stopWithin + load);
    expect([end, said]).toEqual(['SIGINT', expect.stringContaining('disk took too long')]);
    expect(said).toContain('Cut off: 1 response not sent completely');
    const again = await start([], { dataDir });
    const answer = await (await ask(again, '/v1/policies')).text();
    expect(answer).toContain('"name":"one"');
  });

  test.skipIf(!compiles)('at once at a second signal, whatever the disk does', async () => {
    const { server } = await startStuck();
    signal(server);
    await sleep(500);
    const begun = performance.now();
    signal(server);
    expect(await endOf(server)).toMatchObject({ end: 'SIGINT' });
    expect(performance.now() - begun).toBeLessThan(load);
  });

  test('in time however slowly clients send and read, and says what it cut off', async () => {
    const server = await start(['--max-connections', '100']);
    // More than the kernel holds between the two of them.
    const notes = 'n'.repeat(900_000);
    for (let n = 0; n < 60; n++) {
      const body = JSON.stringify({ id: `bucket-${n}`, type: 'AWS::S3::Bucket', notes });
      const put = async () =>
        (await ask(server, `/v1/resources/bucket-${n}`, { method: 'PUT', body })).arrayBuffer();
      // On a busy machine, a kept connection may end just when it is used again.
      await put().catch(put);
    }
    const { port } = new URL(server.baseUrl);
    const open = (text: string) => {
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
      let got = '';
      socket.on('data', (chunk) => (got += chunk.toString('latin1'))).on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      return { socket, got: () => got };
    };
    const head = `Host: x\r\nAuthorization: Bearer ${server.key}\r\n`;
    const body = open(
      `POST /v1/policies HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 90\r\n\r\n{`,
    );
    const headers = open('GET /v1/policies HTTP/1.1\r\nHost: x\r\n');
    const drop = setInterval(() => {
      for (const { socket } of [body, headers]) if (socket.writable) socket.write('x');
    }, 200);
    onTestFinished(() => clearInterval(drop));
    const unread = open(`GET /v1/local/snapshot HTTP/1.1\r\n${head}\r\n`);
    await until(() => unread.got() !== '');
    unread.socket.pause();
    const begun = performance.now();
    signal(server);
    const { end, said } = await endOf(server);
    expect(performance.now() - begun).toBeLessThan(stopWithin + load);
    expect([end, said]).toEqual([
      0,
      expect.stringContaining('Stopped. Cut off: 1 response not sent completely.'),
    ]);
    for (const slow of [body, headers]) expect(slow.got()).toMatch(/^HTTP\/1.1 503 /);
  });

  test('in time whatever works in the background, resets no idle connection, and the next start does the rest', async () => {
    const dataDir = path.join(makeTempFolder(), 'data');
    let answers = false;
    const delivered: string[] = [];
    const receiver = createServer((request, response) => {
      delivered.push(String(request.headers['x-service-event-id']));
      if (answers) response.end();
    });
    const hookPort = await listenOn(receiver);
    const server = await start([], { dataDir });
    const posted = async (where: string, body: unknown, type = 'application/json') => {
      const headers = { authorization: `Bearer ${server.key}`, 'content-type': type };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await fetch(server.baseUrl + where, { method: 'POST', headers, body: text });
      expect([where, answer.ok]).toEqual([where, true]);
      return (await answer.json()) as { id: string };
    };
    const hook = { url: `http://127.0.0.1:${hookPort}/`, events: ['scan.failed'] };
    await posted('/v1/webhooks', { ...hook, secret: 's'.repeat(32) });
    const event = await posted('/v1/events', { type: 'scan.failed' });
    expect((await create(server, 'one')).status).toBe(201);
    const bucket = (n: number) => ({ id: `b-${n}`, type: 'AWS::S3::Bucket', open: true });
    const lines = Array.from({ length: 2_000 }, (_, n) => JSON.stringify(bucket(n)));
    await posted('/v1/resources/import', lines.join('\n'), 'application/x-ndjson');
    const order = { name: 'long', type: 'audit', scope: {}, format_options: { formats: ['pdf'] } };
    const report = await posted('/v1/reports', order);
    const costs = await posted('/v1/cost/imports', {});
    const sent = await ask(server, `/v1/cost/imports/${costs.id}/files/1`, {
      method: 'PUT',
      body: charges(100_000),
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(sent.status).toBe(200);
    await posted(`/v1/cost/imports/${costs.id}/commit`, {});
    const idle = await openIdle(server, 200);
    await until(() => delivered.length > 0);

    const begun = performance.now();
    signal(server);
    const { end } = await endOf(server);
    expect(performance.now() - begun).toBeLessThan(stopWithin + load);
    expect(end).toBe(0);
    await until(() => idle.ended === 200);
    expect(idle.failed).toEqual([]);

    answers = true;
    const again = await start([], { dataDir });
    const read = async (where: string) =>
      (await (await ask(again, where)).json()) as { status: string };
    await until(async () => (await read(`/v1/reports/${report.id}`)).status === 'completed');
    await until(async () => (await read(`/v1/cost/imports/${costs.id}`)).status === 'completed');
    await until(() => delivered.length > 1);
    expect(new Set(delivered)).toEqual(new Set([event.id]));
  });

  test('in time while it starts, and leaves neither a lock nor a ready file', async () => {
    const dataDir = path.join(makeTempFolder(), 'data');
    const server = await start([], { dataDir });
    const made = Array.from({ length: 50 }, (_, n) => create(server, `p${n}`));
    expect((await Promise.all(made)).map(({ status }) => status)).toEqual(made.map(() => 201));
    // So that the next start has a journal to read.
    await server.stop('SIGKILL');
    rmSync(path.join(dataDir, 'lock'));
    for (const ms of [50, 250, 450, 650, 850]) {
      const readyFile = path.join(makeTempFolder(), 'ready.json');
      const child = spawn(
        process.execPath,
        [binary, 'server', '--port', '0', '--data-dir', dataDir, '--ready-file', readyFile],
        { env: cleanEnvironment({ GOVCTL_SERVER_API_KEY: serverKey }), stdio: 'ignore' },
      );
      const ended = once(child, 'exit');
      await sleep(ms);
      const begun = performance.now();
      child.kill('SIGTERM');
      const [code, by] = (await ended) as [number | null, string | null];
      expect(performance.now() - begun).toBeLessThan(stopWithin + load);
      // Whatever it was about to do: it ends by the signal, as interrupted, or as a server that was ready.
      expect([0, 130, 'SIGTERM']).toContain(code ?? by);
      expect([ms, existsSync(readyFile), readdirSync(dataDir).includes('lock')]).toEqual([
        ms,
        false,
        false,
      ]);
    }
    const again = await start([], { dataDir });
    const { pagination } = (await (await ask(again, '/v1/policies')).json()) as {
      pagination: { total: number };
    };
    expect(pagination.total).toBe(50);
  });
});

async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

/** Charges of one month. */
const charges = (rows: number): string =>
  [
    'ProviderName,BillingAccountId,ResourceId,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart',
    ...Array.from(
      { length: rows },
      (_, n) => `AWS,1,i-${n % 500},USD,1,2026-01-1${n % 10},2026-01-01`,
    ),
  ].join('\n');

/** Connections that were answered once and are kept. */
async function openIdle({ baseUrl }: BuiltServer, count: number) {
  const seen = { ended: 0, failed: [] as unknown[] };
  const { port } = new URL(baseUrl);
  const answered = Array.from({ length: count }, async () => {
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', (error) => seen.failed.push(error)).on('end', () => (seen.ended += 1));
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
  });
  await Promise.all(answered);
  return seen;
}

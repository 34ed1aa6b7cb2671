import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/http/listener.ts';
import type { Listener, ListenerOptions } from '../../src/server/http/listener.ts';
import { startServer } from '../../src/server/start.ts';
import type { RunningServer } from '../../src/server/start.ts';
import { startTestService } from '../server/test-service.ts';
import { noLog } from '../support/no-log.ts';
import { makeSelfSigned } from '../support/self-signed.ts';
import { until } from '../support/until.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'govctl-connections-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A connection, and what has come over it. */
interface Line {
  readonly socket: Socket;
  readonly got: () => string;
  readonly isClosed: () => boolean;
}

function open(port: number, text: string): Line {
  const socket = connect(port, '127.0.0.1');
  let [got, isClosed] = ['', false];
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => (got += chunk.toString('latin1')))
    .once('close', () => (isClosed = true));
  if (text !== '') socket.write(text);
  onTestFinished(() => void socket.destroy());
  return { socket, got: () => got, isClosed: () => isClosed };
}

const head = (...lines: string[]) => [...lines, 'Host: x', '', ''].join('\r\n');
const json = 'Content-Type: application/json';

/** What somebody without a token may leave half sent. */
const halfSent = {
  nothing: '',
  'half of the headers': 'GET /v1/policies HTTP/1.1\r\nHost: x\r\nX-Half: ',
  'half of a token request': `${head('POST /auth/token HTTP/1.1', json, 'Content-Length: 60000')}{"a":`,
  'a small part of the body of a GET': `${head('GET /healthz HTTP/1.1', 'Content-Length: 1000000000')}abc`,
  'half of a body with a wrong token': `${head('POST /v1/policies HTTP/1.1', json, 'Authorization: Bearer no', 'Content-Length: 10000000')}{`,
  'half of an import without a token': `${head('POST /v1/resources/import HTTP/1.1', 'Content-Type: application/x-ndjson', 'Transfer-Encoding: chunked')}2\r\n{}\r\n`,
};

async function start(maxConnections: number): Promise<RunningServer> {
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: path.join(folder, 'data'),
    store: 'lowdb',
    allowTargets: [],
    metrics: false,
    logLevel: 'silent',
    maxConnections,
  });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

const get = (server: RunningServer, agent?: Agent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.apiKey?.key ?? ''}` };
    request(`${server.baseUrl}/v1/policies`, { headers, ...(agent ? { agent } : {}) }, (answer) =>
      answer.resume().once('end', () => resolve(answer.statusCode)),
    )
      .once('error', reject)
      .end();
  });

describe('a flood of connections without a token', () => {
  it.each(Object.entries(halfSent))(
    'that send %s takes no more than half of the places, and stops nobody who has a token',
    async (_, text) => {
      const server = await start(20);
      const kept = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => kept.destroy());
      expect(await get(server, kept)).toBe(200);
      let reused = 0;
      kept.on('free', () => (reused += 1));
      const flood = Array.from({ length: 60 }, () => open(server.port, text));
      await until(() => flood.filter(({ isClosed }) => isClosed()).length >= 50);
      expect(await get(server)).toBe(200);
      expect(await get(server, kept)).toBe(200);
      expect(reused).toBe(1);
    },
  );
});

it('a token opens more connections than there are places, and others still get in', async () => {
  const server = await start(20);
  const authorization = `Authorization: Bearer ${server.apiKey?.key ?? ''}`;
  const begun = head('POST /v1/policies HTTP/1.1', authorization, json, 'Content-Length: 1000');
  const flood = Array.from({ length: 60 }, () => open(server.port, `${begun}{`));
  await until(() => flood.filter(({ isClosed }) => isClosed()).length >= 40);
  expect(await get(server)).toBe(200);
});

describe('a listener', () => {
  const patience = { head: 200, quiet: 400 };
  const start = async (options: Partial<ListenerOptions> = {}): Promise<Listener> => {
    const listener = await listen({
      host: '127.0.0.1',
      port: 0,
      patience,
      fetch: () => new Response('done'),
      refuse: (status, said) => new Response(said, { status }),
      ...options,
    });
    onTestFinished(async () => {
      await listener.stopListening();
      await listener.close(0);
    });
    return listener;
  };

  it('closes a connection over which nothing comes', async () => {
    const { isClosed } = open((await start()).port, '');
    await until(isClosed);
  });

  it('answers each of many that run out of time at the same moment', async () => {
    const { port } = await start();
    const flood = Array.from({ length: 100 }, () => open(port, halfSent['half of the headers']));
    await until(() => flood.every(({ isClosed }) => isClosed()));
    expect(flood.filter(({ got }) => got().includes('408 Request Timeout'))).toHaveLength(100);
  });

  it('answers 408 where the headers stay half sent, and does not wait for the other side to close', async () => {
    const { got, isClosed } = open((await start()).port, halfSent['half of the headers']);
    await until(isClosed);
    expect(got()).toContain('408 Request Timeout');
  });

  it('does not wait for the rest of a body that it had no use for', async () => {
    const text = halfSent['a small part of the body of a GET'];
    const { got, isClosed } = open((await start()).port, text);
    await until(isClosed);
    expect(got()).toContain('200 OK');
  });

  it.each([
    ['a text', () => new Response('x'.repeat(64 << 20))],
    [
      'bytes without end',
      () =>
        new Response(
          new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(65_536)) }),
        ),
    ],
  ])('ends an answer of %s that nobody reads', async (_, answer) => {
    let isAsked = false;
    const fetch = () => {
      isAsked = true;
      return Promise.resolve(answer());
    };
    const listener = await start({ fetch });
    open(listener.port, head('GET / HTTP/1.1')).socket.pause();
    await until(() => isAsked);
    await listener.stopListening();
    // Waits for the connection, as it is not idle.
    await listener.close(3_600_000);
  });

  it('waits for its own work, however long nothing moves', async () => {
    const late = new Promise<Response>((resolve) =>
      setTimeout(() => resolve(new Response('late')), 3 * patience.quiet),
    );
    const listener = await start({ fetch: () => late });
    const { got } = open(listener.port, head('GET / HTTP/1.1'));
    await until(() => got().includes('late'));
  });

  const certificate = makeSelfSigned();
  it.skipIf(!certificate)('closes a connection that never shakes hands', async () => {
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
    await writeFile(cert, certificate?.cert ?? '');
    await writeFile(key, certificate?.key ?? '');
    const { isClosed } = open((await start({ tls: { cert, key, log: noLog } })).port, '');
    await until(isClosed);
  });
});

describe('a body that does not come', () => {
  /** Never ends. */
  const stalled = (first: string) =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(first)),
    });
  const send = async (path: string, type: string, first: string) => {
    const service = await startTestService({ bodyWithin: 50 });
    onTestFinished(() => service.close());
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': type };
    const init = { method: 'POST', headers, body: stalled(first), duplex: 'half' as const };
    const response = await service.app.fetch(new Request(`http://x${path}`, init), {});
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it.each([
    ['/v1/policies', 408],
    ['/v1/policies/validate', 408],
    // In its own terms.
    ['/auth/token', 400],
  ])('of %s is answered with %d', async (path, status) => {
    const got = await send(path, 'application/json', '{');
    expect(got.status).toBe(status);
    expect(got.body.error_description).toContain('did not arrive within');
  });

  it('ends an import, which says what it has stored', async () => {
    const line = '{"id":"a","type":"AWS::S3::Bucket"}\n';
    const { status, body } = await send('/v1/resources/import', 'application/x-ndjson', line);
    expect(status).toBe(408);
    expect(body.error_description).toContain('after 1 lines; 0 resources are stored');
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpFetch } from '../../../src/cli/credentials/http-fetch.ts';
import type { TransportOptions } from '../../../src/client/transport.ts';
import { createTransport } from '../../../src/client/transport.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import { hasTool, runTool } from '../../support/system-tool.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
}

const serve = async (listener: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(createServer(listener))}`;

const emptyList = JSON.stringify({
  policies: [],
  pagination: { total: 0, limit: 1, offset: 0, has_more: false },
});
const answerList = (_: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(emptyList);
};

/** `govctl policy list` over real sockets. */
const list = (baseUrl: string, env: NodeJS.ProcessEnv = {}, signal?: AbortSignal) =>
  runCommandLine(['policy', 'list', '--base-url', baseUrl], {
    env: { GOVCTL_TOKEN: 'token', ...env },
    fetch: createHttpFetch(env),
    ...(signal ? { signal } : {}),
  });

/** A transport that waits for nothing between its tries. */
function quickTransport(baseUrl: string, more: Partial<TransportOptions> = {}) {
  const waits: number[] = [];
  const transport = createTransport({
    baseUrl,
    fetch: createHttpFetch({}),
    sleep: async (ms) => void waits.push(ms),
    random: () => 0,
    ...more,
  });
  return { transport, waits };
}

describe('over real HTTP', () => {
  it('keeps its connections and sends who it is', async () => {
    const sockets = new Set<Socket>();
    const agents = new Set<string | undefined>();
    const baseUrl = await serve((request, response) => {
      sockets.add(request.socket);
      agents.add(request.headers['user-agent']);
      answerList(request, response);
    });
    const { transport } = quickTransport(baseUrl, { userAgent: 'govctl/1' });
    for (let i = 0; i < 20; i++) await transport.send('GET', '/v1/policies');
    expect(sockets.size).toBeLessThanOrEqual(2);
    expect([...agents]).toEqual(['govctl/1']);
  });

  it('hands on bodies, headers and methods as they are', async () => {
    const baseUrl = await serve((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        response.writeHead(201, { 'x-two': ['a', 'b'], etag: '"1"' });
        response.end(`${request.method} ${request.url} ${request.headers['if-match']} ${body}`);
      });
    });
    const { transport } = quickTransport(baseUrl);
    const answer = await transport.send('PUT', '/a?b=ü', { body: '"ü"', ifMatch: '"0"' });
    expect(answer).toMatchObject({ status: 201, ok: true });
    expect(answer.headers.get('X-Two')).toBe('a, b');
    expect(answer.headers.get('none')).toBe(null);
    expect(new Map(answer.headers).get('etag')).toBe('"1"');
    expect(await answer.text()).toBe('PUT /a?b=%C3%BC "0" "ü"');
  });

  it.each([
    ['policy list', 400],
    ['policy get p -v', 401],
    ['policy list -o json', 403],
    ['api GET /v1/policies', 500],
    ['report download 7 --format pdf', 404],
  ])('`%s` does not print the token that an error with %i repeats', async (words, status) => {
    const baseUrl = await serve(({ headers: { authorization } }, response) => {
      const message = `You sent ${authorization}.`;
      response.writeHead(status).end(JSON.stringify({ error: 'internal_error', message }));
    });
    const { stdout, stderr } = await runCommandLine([...words.split(' '), '--base-url', baseUrl], {
      env: { GOVCTL_TOKEN: `gk_${'a1'.repeat(20)}` },
      fetch: createHttpFetch({}),
    });
    expect(stdout + stderr).toContain('You sent Bearer ***.');
    expect(stdout + stderr).not.toContain('a1a1');
  });

  it('says that nothing listens', async () => {
    const port = await listen(createTcpServer());
    await closing.pop()?.();
    const { transport, waits } = quickTransport(`http://127.0.0.1:${port}`);
    await expect(transport.send('GET', '/')).rejects.toMatchObject({
      error: 'unreachable',
      message: expect.stringContaining('connection refused'),
    });
    expect(waits).toHaveLength(4);
  });

  it('tries again when the connection is cut, before the answer and in its middle', async () => {
    let tries = 0;
    const baseUrl = await serve((request, response) => {
      tries++;
      if (tries === 1) return void request.socket.destroy();
      if (tries === 2) {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"policies"');
        return void setTimeout(() => request.socket.destroy(), 20);
      }
      answerList(request, response);
    });
    const { transport } = quickTransport(baseUrl);
    expect(await (await transport.send('GET', '/v1/policies')).text()).toBe(emptyList);
    expect(tries).toBe(3);
  });

  it('says that the connection was closed when it always is', async () => {
    const baseUrl = await serve((request) => void request.socket.destroy());
    const { transport } = quickTransport(baseUrl);
    await expect(transport.send('GET', '/')).rejects.toMatchObject({
      message: expect.stringContaining('the connection was closed'),
    });
  });

  it('gives up on a server that does not answer in time', async () => {
    const baseUrl = await serve(() => {});
    const { transport } = quickTransport(baseUrl, { timeoutMs: 80, retries: 1 });
    await expect(transport.send('GET', '/')).rejects.toMatchObject({
      error: 'unreachable',
      message: expect.stringContaining('no response within 0.08 s'),
    });
  });

  it('gives up on a body that never ends', async () => {
    const baseUrl = await serve((_, response) => void response.writeHead(200).write('{'));
    const { transport } = quickTransport(baseUrl, { timeoutMs: 80, retries: 0 });
    await expect(transport.send('GET', '/')).rejects.toMatchObject({ error: 'unreachable' });
  });

  it('says that what answers does not speak HTTP', async () => {
    const port = await listen(createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9\r\n')));
    const { transport } = quickTransport(`http://127.0.0.1:${port}`, { retries: 0 });
    await expect(transport.send('GET', '/')).rejects.toMatchObject({ error: 'unreachable' });
  });

  it('waits as long as a 429 asks, then goes on', async () => {
    let tries = 0;
    const baseUrl = await serve((request, response) => {
      if (++tries > 1) return answerList(request, response);
      response.writeHead(429, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: 'rate_limit_exceeded', message: 'slow', retry_after: 7 }),
      );
    });
    const { transport, waits } = quickTransport(baseUrl);
    await transport.send('GET', '/v1/policies');
    expect(waits).toEqual([7000]);
  });

  it('ends a 500 that stays in one message with the request id', async () => {
    const baseUrl = await serve((_, response) => {
      response.writeHead(500, { 'x-request-id': 'req_9' }).end('<h1>Oops</h1>');
    });
    const { transport, waits } = quickTransport(baseUrl);
    await expect(transport.send('GET', '/v1/policies')).rejects.toMatchObject({
      error: 'internal_error',
      requestId: 'req_9',
    });
    expect(waits).toHaveLength(4);
  });

  it('follows no redirect, so that the login goes nowhere else', async () => {
    let asked = 0;
    const elsewhere = await serve(() => void asked++);
    const baseUrl = await serve((_, response) => {
      response.writeHead(302, { location: elsewhere }).end();
    });
    const outcome = await list(baseUrl);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('a redirect to');
    expect(asked).toBe(0);
  });

  it('ends a login page in one message', async () => {
    const baseUrl = await serve((_, response) => response.end('<html>Sign in</html>'));
    const outcome = await list(baseUrl);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('<html>Sign in</html>');
    expect(outcome.stderr).toContain('login page');
  });

  it('ends at Ctrl-C, though the server does not answer', async () => {
    const controller = new AbortController();
    const baseUrl = await serve(() => controller.abort());
    const outcome = await list(baseUrl, {}, controller.signal);
    expect(outcome.exitCode).toBe(130);
    expect(outcome.stderr).toContain('Interrupted');
    expect(outcome.stderr).not.toContain('fault of govctl');
  });

  it('goes through the proxy that the environment names, but for the hosts it excepts', async () => {
    const proxied: string[] = [];
    const target = new URL(await serve(answerList));
    // It looks names up itself.
    const proxy = createServer().on('connect', (request, socket: Socket) => {
      proxied.push(request.url ?? '');
      const onward = connect(Number(target.port), target.hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
    });
    const env = { HTTP_PROXY: `http://127.0.0.1:${await listen(proxy)}` };
    const far = 'http://governance.invalid';
    expect(await list(far, env)).toMatchObject({ exitCode: 0 });
    expect(proxied).toHaveLength(1);
    expect(proxied[0]).toContain('governance.invalid');
    const excepted = await list(far, { ...env, NO_PROXY: 'governance.invalid' });
    expect(excepted.exitCode).not.toBe(0);
    expect(proxied).toHaveLength(1);
  });

  it('takes no proxy to this machine: the token would cross a network in the clear', async () => {
    const told: string[] = [];
    const proxy = createServer().on('connect', (request, socket: Socket) => {
      told.push(request.url ?? '');
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
    const { port } = new URL(await serve(answerList));
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY']) {
      for (const host of ['127.0.0.1', 'localhost']) {
        const outcome = await list(`http://${host}:${port}`, { [name]: proxyUrl });
        expect([name, host, outcome.exitCode, told]).toEqual([name, host, 0, []]);
      }
    }
  });
});

function makeCertificate(): { key: string; cert: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-tls-'));
  try {
    const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
    const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost -keyout ${key} -out ${cert}`;
    runTool('openssl', ...words.split(' '));
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const certificate = hasTool('openssl', () => runTool('openssl', 'version'))
  ? makeCertificate()
  : undefined;

describe.skipIf(!certificate)('over HTTPS with a certificate nobody signed (needs openssl)', () => {
  it('refuses at once and says how to trust it', async () => {
    const port = await listen(createTlsServer(certificate ?? {}, answerList));
    const outcome = await list(`https://127.0.0.1:${port}`);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('the server certificate is self-signed');
    expect(outcome.stderr).toContain('NODE_EXTRA_CA_CERTS');
  });

  it('has doctor say so', async () => {
    const port = await listen(createTlsServer(certificate ?? {}, answerList));
    const outcome = await runCommandLine(['doctor', '--base-url', `https://127.0.0.1:${port}`], {
      env: { GOVCTL_TOKEN: 'token', GOVCTL_CONFIG_DIR: '/nonexistent', GOVCTL_KEYRING: 'off' },
      realNetwork: true,
    });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stdout).toMatch(/ok\s+tcp/);
    expect(outcome.stdout).toMatch(/fail\s+tls\s+self-signed certificate/);
  });
});

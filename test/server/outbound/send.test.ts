import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:https';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseRanges } from '../../../src/server/http/address.ts';
import { systemClock } from '../../../src/server/deps.ts';
import { createSender } from '../../../src/server/outbound/send.ts';
import type { Outcome, Sender } from '../../../src/server/outbound/send.ts';
import { systemResolve } from '../../../src/server/outbound/resolve.ts';
import type { Resolve } from '../../../src/server/outbound/resolve.ts';
import { makeSelfSigned } from '../../support/self-signed.ts';

const servers: { server: Server; sockets: Set<Socket> }[] = [];
const senders: Sender[] = [];
let sender: Sender;
beforeEach(() => void (sender = senderTo({ local: true })));
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const one of senders.splice(0)) await one.close();
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  }
});

function senderTo(given: { local: boolean; allow?: string[]; resolve?: Resolve }): Sender {
  const { local, allow = [], resolve = systemResolve } = given;
  const targets = { rules: { local, allowed: parseRanges(allow) }, resolve };
  const made = createSender(targets, systemClock);
  senders.push(made);
  return made;
}

/** @returns its port */
async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, host, ready));
  servers.push({ server, sockets });
  return (server.address() as AddressInfo).port;
}

const listenHttp = async (answer: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(createHttpServer(answer))}/hook?a=b`;

/** Answers the bytes of a request, whatever they are, with what `write` writes. */
const listenRaw = async (write: (socket: Socket) => void): Promise<string> => {
  const server = createTcpServer((socket) => void socket.once('data', () => write(socket)));
  return `http://127.0.0.1:${await listen(server)}/`;
};

const send = (
  url: string,
  options: { timeoutMs?: number; body?: string; signal?: AbortSignal; by?: Sender } = {},
): Promise<Outcome> => {
  const { timeoutMs = 10_000, body = '{}', by = sender } = options;
  const headers = { 'content-type': 'application/json', 'X-Team': 'blå' };
  return by.send({ url, headers, body, timeoutMs }, options.signal ?? new AbortController().signal);
};

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe('a delivery that is sent', () => {
  it('arrives as it is, and its answer comes back', async () => {
    let seen: unknown;
    const url = await listenHttp((request, response) => {
      void textOf(request).then((body) => {
        const { method, url: asked, headers } = request;
        seen = { method, asked, team: headers['x-team'], length: headers['content-length'], body };
        response.writeHead(202, { 'X-Answer': ['one', 'two'] }).end('grüß dich');
      });
    });
    const outcome = await send(url, { body: '{"ä":1}' });
    expect(seen).toEqual({
      method: 'POST',
      asked: '/hook?a=b',
      team: 'blå',
      length: '8',
      body: '{"ä":1}',
    });
    expect(outcome).toMatchObject({
      status: 202,
      headers: { 'x-answer': 'one, two' },
      body: 'grüß dich',
    });
    expect(outcome).not.toHaveProperty('truncated');
    expect(outcome).not.toHaveProperty('error');
  });

  it('goes over the connection of the one before, answers with bodies too', async () => {
    const used = new Set<Socket>();
    const url = await listenHttp((request, response) => {
      used.add(request.socket);
      request.resume().on('end', () => response.end('x'.repeat(60_000)));
    });
    for (let nth = 0; nth < 20; nth++) expect((await send(url)).status).toBe(200);
    // A connection that has just answered rests for a turn of the event loop.
    expect(used.size).toBeLessThanOrEqual(2);
  });

  it('heeds no proxy that the environment names', async () => {
    const asked: string[] = [];
    const proxy = await listenHttp((request, response) => {
      asked.push(String(request.url));
      response.end();
    });
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY']) {
      vi.stubEnv(name, proxy);
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    const url = await listenHttp((_, response) => response.end('direct'));
    expect(await send(url, { by: senderTo({ local: true }) })).toMatchObject({ body: 'direct' });
    expect(asked).toEqual([]);
  });

  it('does not follow a redirect', async () => {
    const asked: string[] = [];
    const elsewhere = await listenHttp((request, response) => {
      asked.push(String(request.url));
      response.end();
    });
    const url = await listenHttp((_, response) => {
      response.writeHead(302, { location: elsewhere }).end('over there');
    });
    expect(await send(url)).toMatchObject({ status: 302, body: 'over there' });
    expect(asked).toEqual([]);
  });

  it('looks past what comes before the answer', async () => {
    const url = await listenRaw((socket) =>
      socket.write(
        'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\nx: y\r\n\r\n',
      ),
    );
    expect(await send(url)).toMatchObject({ status: 204, headers: { x: 'y' }, body: '' });
  });

  it('may be one of hundreds at once', async () => {
    const warnings: string[] = [];
    const warn = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', warn);
    const url = await listenHttp((request, response) => {
      request.resume().on('end', () => response.end('ok'));
    });
    const { signal } = new AbortController();
    const outcomes = await Promise.all(Array.from({ length: 300 }, () => send(url, { signal })));
    await new Promise(setImmediate);
    process.off('warning', warn);
    expect(outcomes.every(({ status }) => status === 200)).toBe(true);
    expect(warnings).toEqual([]);
  });
});

describe('an answer', () => {
  it('that is large is read to 64 KiB, then the connection is dropped', async () => {
    const closed = new Promise<void>((resolve) => {
      void listenHttp((request, response) => {
        request.resume().on('end', () => response.end(Buffer.alloc(10 * 1024 * 1024, 'x')));
        request.socket.on('close', () => resolve());
      }).then(async (url) => {
        const outcome = await send(url);
        expect(outcome).toMatchObject({ status: 200, truncated: true });
        expect(outcome.body).toBe('x'.repeat(65_536));
      });
    });
    await closed;
  });

  it('that never ends is read to 64 KiB', async () => {
    const url = await listenRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const more = (): void => {
        while (socket.writable && socket.write('400\r\n' + 'y'.repeat(1_024) + '\r\n'));
        socket.once('drain', more);
      };
      more();
    });
    const outcome = await send(url);
    expect(outcome).toMatchObject({ status: 200, truncated: true });
    expect(outcome.body).toHaveLength(65_536);
  });

  it('of exactly 64 KiB is whole', async () => {
    const url = await listenHttp((_, response) => response.end('z'.repeat(65_536)));
    const outcome = await send(url);
    expect(outcome.body).toHaveLength(65_536);
    expect(outcome).not.toHaveProperty('truncated');
  });

  it('that is cut within a character has none in part', async () => {
    const url = await listenHttp((_, response) => response.end('a' + '€'.repeat(30_000)));
    const { body = '' } = await send(url);
    expect(Buffer.byteLength(body)).toBe(65_536);
    expect(body.endsWith('€')).toBe(true);
    const cut = await listenHttp((_, response) => response.end('€'.repeat(30_000)));
    expect((await send(cut)).body).toBe('€'.repeat(21_845));
  });

  it('that drips is cut after a second, whatever the time of the webhook', async () => {
    const url = await listenRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nbegun');
      const timer = setInterval(() => socket.write('.'), 50);
      socket.on('close', () => clearInterval(timer));
    });
    const outcome = await send(url, { timeoutMs: 600_000 });
    expect(outcome).toMatchObject({ status: 200, truncated: true });
    expect(outcome.body).toMatch(/^begun\.*$/);
  });

  it('that breaks off counts by its status', async () => {
    const url = await listenRaw((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf');
    });
    expect(await send(url)).toMatchObject({ status: 200, body: 'half', truncated: true });
  });

  it('has at most 50 of its headers kept, and 8 KiB of them', async () => {
    const answering = (count: number, length: number) =>
      listenRaw((socket) => {
        const lines = Array.from({ length: count }, (_, at) => `h${at}: ${'v'.repeat(length)}\r\n`);
        socket.end(`HTTP/1.1 200 OK\r\n${lines.join('')}connection: close\r\n\r\n`);
      });
    const many = await send(await answering(80, 1));
    expect(Object.keys(many.headers ?? {})).toHaveLength(50);
    const long = await send(await answering(10, 1_000));
    expect(Object.keys(long.headers ?? {})).toHaveLength(8);
  });

  it('may have headers named like parts of an object', async () => {
    const url = await listenRaw((socket) => {
      socket.end('HTTP/1.1 200 OK\r\n__proto__: a\r\nconstructor: b\r\nconnection: close\r\n\r\n');
    });
    const { headers } = await send(url);
    expect(Object.entries(headers ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['connection', 'close'],
    ]);
  });
});

describe('a delivery that fails says why, and no address:', () => {
  const failing = async (url: string, by?: Sender): Promise<string | undefined> => {
    const { status, error } = await send(url, { timeoutMs: 10_000, ...(by ? { by } : {}) });
    expect(status).toBeUndefined();
    expect(error).not.toMatch(/127\.|\[|::|:\d/);
    return error;
  };

  it('a receiver that hangs', async () => {
    const url = await listenRaw(() => {});
    expect(await send(url, { timeoutMs: 100 })).toMatchObject({
      error: 'no response within 0.1 s',
    });
  });

  it('a receiver that drips its headers', async () => {
    const url = await listenRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('a: b\r\n'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    const { error } = await send(url, { timeoutMs: 150 });
    expect(error).toBe('no response within 0.15 s');
  });

  it('a hung receiver keeps no connection, and the next delivery gets one of its own', async () => {
    let asked = 0;
    const url = await listenRaw((socket) => {
      asked += 1;
      if (asked > 1) socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n');
    });
    expect(await send(url, { timeoutMs: 50 })).toHaveProperty('error');
    expect(await send(url)).toMatchObject({ status: 200 });
  });

  it('nobody listens', async () => {
    const port = await listen(createTcpServer());
    await new Promise((closed) => servers.pop()?.server.close(closed));
    expect(await failing(`http://127.0.0.1:${port}/`)).toBe('connection refused');
    expect(await failing(`http://localhost:${port}/`)).toBe('connection refused');
  });

  it('a reset', async () => {
    const url = await listenRaw((socket) => socket.resetAndDestroy());
    expect(await failing(url)).toBe('connection closed before the response');
  });

  it('an end before the answer, or within its headers', async () => {
    const url = await listenRaw((socket) => socket.end());
    expect(await failing(url)).toBe('connection closed before the response');
    const early = await listenRaw((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'));
    expect(await failing(early)).toMatch(/^connection closed|^the response is not HTTP/);
  });

  it('something that is not HTTP', async () => {
    const url = await listenRaw((socket) => socket.end('220 mail.example ESMTP\r\n'));
    expect(await failing(url)).toBe('the response is not HTTP');
  });

  it('headers without an end', async () => {
    const url = await listenRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (socket.writable && socket.write(`a: ${'b'.repeat(1_000)}\r\n`));
        socket.once('drain', more);
      };
      more();
    });
    expect(await failing(url)).toBe('the response has too many or too large headers');
  });

  it('a host that is not there', async () => {
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND x 10.0.0.53:53'), {
      code: 'ENOTFOUND',
    });
    const nowhere = senderTo({ local: false, resolve: () => Promise.reject(error) });
    expect(await failing('https://hooks.example.com/', nowhere)).toBe('host name not found');
  });

  it.each([
    ['an address of this machine', 'https://127.0.0.1:1/'],
    ['one of IPv6', 'https://[::1]:1/'],
    ['one in another form', 'https://[::ffff:169.254.169.254]/'],
    ['http', 'http://8.8.8.8:1/'],
    ['a host that has become one of this network', 'https://rebound.example/'],
  ])('%s, once the server serves others', async (_, url) => {
    const strict = senderTo({
      local: false,
      resolve: () => Promise.resolve([{ address: '10.0.0.1', family: 4 }]),
    });
    expect(await failing(url, strict)).toBe('the address is not allowed as a target');
  });

  it('nothing was connected to where the address is refused', async () => {
    let connected = 0;
    const server = createTcpServer(() => void (connected += 1));
    const port = await listen(server);
    const resolve: Resolve = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);
    const strict = senderTo({ local: false, resolve });
    await failing(`https://rebound.example:${port}/`, strict);
    await failing(`https://127.0.0.1:${port}/`, strict);
    expect(connected).toBe(0);
  });
});

const certificate = makeSelfSigned();

describe.skipIf(!certificate)('over TLS (needs openssl)', () => {
  it('a certificate that nobody signed is not trusted, whatever the environment says', async () => {
    const port = await listen(createTlsServer(certificate ?? {}, (_, answer) => answer.end()));
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await send(`https://localhost:${port}/`)).toMatchObject({
      error: 'the certificate is not trusted: it is self-signed',
    });
  });

  it('a port that speaks http says so', async () => {
    const url = await listenHttp((_, response) => response.end());
    const { error } = await send(url.replace('http:', 'https:'));
    expect(error).toBe('TLS handshake failed');
  });
});

describe('a delivery that is aborted', () => {
  it('ends at once, with its connection', async () => {
    const controller = new AbortController();
    const reason = new Error('stopping');
    const closed = new Promise<void>((resolve) => {
      void listenRaw((socket) => {
        socket.on('close', () => resolve());
        controller.abort(reason);
      }).then((url) =>
        expect(send(url, { signal: controller.signal })).rejects.toThrow('stopping'),
      );
    });
    await closed;
    const late = send('http://127.0.0.1:1/', { signal: controller.signal });
    await expect(late).rejects.toThrow('stopping');
  });

  it('leaves nothing behind that is still connecting once its sender is closed', async () => {
    let closed: Promise<void> | undefined;
    const server = createTcpServer((socket) => {
      closed = new Promise((resolve) => socket.resume().on('close', () => resolve()));
    });
    const port = await listen(server);
    const { error } = await send(`https://localhost:${port}/`, { timeoutMs: 100 });
    expect(error).toBe('no response within 0.1 s');
    await sender.close();
    await closed;
  });

  it('as its sender is closed, says so', async () => {
    const url = await listenRaw(() => void sender.close());
    expect((await send(url)).error).toBe('the server was stopping');
  });
});

import { STATUS_CODES, createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { Server as NetServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { GovctlError } from '../../contract/errors.ts';
import { connectionAccepted, connectionsAccepted } from '../next-turn.ts';
import { createTurns } from '../threads/turns.ts';
import type { Turns } from '../threads/turns.ts';
import { createConnections, defaultMaxConnections } from './connections.ts';
import { gatherBody } from './gather.ts';
import type { Peer } from './peer.ts';
import { oneByOne } from './pipeline.ts';
import { createRequestTurns } from './request-turns.ts';
import { isSameCa, readTls, reloadTls, tlsOptions } from './tls.ts';
import type { ReloadOptions, TlsFiles } from './tls.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Changed files are used for new connections. */
  readonly tls?: TlsFiles & Pick<ReloadOptions, 'log' | 'every'>;
  readonly fetch: Fetch;
  /** Connections that are open at once, at most; default: what the process's limit of open files allows. */
  readonly maxConnections?: number;
  /** The flag that sets host and port, for errors; default: --port. */
  readonly flag?: string;
  /** For tests. */
  readonly patience?: Patience;
  /** Answers what is no request of this API's at all. */
  readonly refuse: (status: number, description: string) => Response;
}

/** Milliseconds after which a connection is closed. */
interface Patience {
  /** For the line and the headers of a request, and for a handshake of TLS. */
  readonly head: number;
  /** While nothing moves, neither what is sent nor what is answered, and it is not a request that is worked on. */
  readonly quiet: number;
}

/** Connections that wait to be accepted: those that find no place try again only after a second, and then later. */
const backlog = 4_096;

const usualPatience: Patience = { head: 10_000, quiet: 30_000 };

type Fetch = (request: Request, peer: Peer) => Response | Promise<Response>;

export interface Listener {
  readonly port: number;
  /** Reads the files of TLS again at once; absent where there are none. */
  readonly reload?: () => Promise<void>;
  /** Takes no new connections. Each that is open closes behind the answer to what came over it, or when it is idle. */
  stopListening(): Promise<void>;
  /** Answers 503 to requests that are still on their way. @returns how many of them lack only their bodies */
  refuseUnread(): number;
  /** Waits until all connections are closed; closes them after so many milliseconds. @returns how many were cut off */
  close(withinMs: number): Promise<number>;
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/** @throws GovctlError usage_error or file_error when the address or a TLS file can't be used */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { host, port, tls, fetch, refuse } = options;
  const { maxConnections = defaultMaxConnections(), patience = usualPatience } = options;
  const connections = createConnections(
    maxConnections,
    { isSecured: tls !== undefined, hasBehind: (socket) => pipeline.hasBehind(socket) },
    () => performance.now(),
  );
  /** One for each request whose body is not there yet. */
  const unread = new Set<() => boolean>();
  const answer = (request: Request, incoming: IncomingMessage): Response | Promise<Response> => {
    const hosts = countHosts(incoming);
    if (hosts === 0 && incoming.httpVersion !== '1.0') {
      return refuse(400, 'The request has no Host header');
    }
    // RFC 9112, 3.2: a proxy in front may have gone by the other.
    if (hosts > 1) return refuse(400, 'The request has more than one Host header');
    if (expectsMore(incoming)) return refuse(417, 'The Expect header supports only 100-continue');
    const answered = fetch(request, connections.of(incoming.socket) ?? {});
    if (incoming.complete || !('then' in answered)) return answered;
    return new Promise((resolve, reject) => {
      const giveUp = (): boolean => {
        if (!incoming.complete) resolve(refuse(503, stopping));
        return !incoming.complete;
      };
      unread.add(giveUp);
      void answered.then(resolve, reject).finally(() => unread.delete(giveUp));
    });
  };
  const handle = getRequestListener(
    // Only HTTP/1 servers are made here.
    (request, { incoming }) => answer(request, incoming as IncomingMessage),
    {
      hostname: 'localhost',
      errorHandler: () => refuse(400, 'The request line or its Host header is not valid'),
    },
  );
  const refusals = createTurns(refusedAtOnce);
  const cutOffs = createTurns(cutOffAtOnce);
  const cutOff = async (): Promise<void> =>
    void setTimeout(await cutOffs.take(), cutOffPause(patience)).unref();
  const refuseBroken = (error: Broken, socket: Socket): void =>
    void answerBroken(error, socket, {
      refuse,
      refusals,
      cutOff,
      isAnswerable: pipeline.isAnswerable,
    });
  const turnOf = createRequestTurns();
  const pipeline = oneByOne(
    (incoming, outgoing) => {
      connections.of(incoming.socket)?.began(outgoing);
      connections.checkWaiting();
      if (hasBody(incoming)) outgoing.once('finish', () => letGo(incoming));
      // What goes wrong in there is answered in there.
      void handle(incoming, outgoing);
    },
    (socket) => {
      const connection = connections.of(socket);
      // Where it closes behind the last answer: those that came in one piece with this one get in line first.
      return connection && (turnOf(connection) ?? (connection.isEnding ? nextTurn() : undefined));
    },
    (socket) => connections.of(socket)?.cameBehind(),
  );
  const listener = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const { socket } = incoming;
    if (hasBody(incoming))
      gatherBody(incoming, () => refuseBroken({ code: 'TINY_CHUNKS' }, socket));
    pipeline.takeUp(incoming, outgoing);
  };
  const contents = tls && (await readTls(tls));
  const httpOptions = { ...timesOf(patience), ...serverOptions };
  const secureServer =
    contents &&
    createHttpsServer(
      // Without one that the authority has signed, no connection gets to a request.
      { ...tlsOptions(contents), requestCert: contents.ca !== undefined, ...httpOptions },
      listener,
    );
  const server: Server = secureServer ?? createHttpServer(httpOptions, listener);
  server.timeout = patience.quiet;
  server.on('timeout', (socket: Socket) => {
    const connection = connections.of(socket);
    // While a request is worked on, it is not the other side that keeps quiet.
    if (!connection?.isBusy || connection.waiting > 0) socket.destroy();
  });
  server.on('connection', (socket: Socket) => {
    connectionAccepted();
    connections.add(socket);
  });
  if (tls) server.on('secureConnection', (socket: Socket) => connections.secured(socket));
  // Node would refuse it out of turn.
  server.on('checkExpectation', listener);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // One that has not shaken hands could read no answer.
    if (tls && !connections.of(socket)) socket.destroy();
    else refuseBroken(error, socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(explainListenError(error, host, port, options.flag)),
    );
    server.listen({ host, port, backlog }, resolve);
  });
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const reloader =
    contents &&
    reloadTls({
      ...tls,
      files: tls,
      contents,
      apply(found, earlier) {
        secureServer?.setSecureContext(tlsOptions(found));
        // Who was let in before may not be let in any more.
        if (!isSameCa(found, earlier)) connections.endSoon();
      },
    });
  return {
    port: (server.address() as AddressInfo).port, // listens on a port, not on a pipe
    ...(reloader ? { reload: reloader.now } : {}),
    async stopListening() {
      reloader?.stop();
      await acceptWaiting();
      // http's own close() would cut idle connections at once; a request on one of them is to be answered.
      NetServer.prototype.close.call(server);
      // Not before: whoever is told that the connection closes connects again at once.
      connections.endSoon();
      const closing = setInterval(() => connections.closeIdle(pipeline.isIdle), closeIdleEvery);
      void closed.then(() => clearInterval(closing));
    },
    refuseUnread() {
      for (const socket of connections.arriving()) refuseBroken({ code: 'STOPPING' }, socket);
      return [...unread].filter((giveUp) => giveUp()).length;
    },
    async close(withinMs) {
      const done = new AbortController();
      void closed.then(() => done.abort());
      return sleep(withinMs, undefined, { signal: done.signal, ref: false }).then(
        async () => {
          const cutOff = connections.closeAll();
          await closed;
          return cutOff;
        },
        () => 0,
      );
    },
  };
}

/** Milliseconds between two looks for connections that are idle. */
const closeIdleEvery = 10;

/**
 * Connections that the kernel has made and that nobody has accepted would be reset with the listener. One is accepted in
 * each turn of the event loop.
 */
async function acceptWaiting(): Promise<void> {
  for (let turns = 0, before = -1; turns < backlog && before !== connectionsAccepted(); turns++) {
    before = connectionsAccepted();
    await nextTurn();
  }
}

/** Also said to requests that come while the server stops. */
export const stopping = 'The server is stopping; try again in a moment';

/** Milliseconds that the sender of a body that nobody read may take to notice the answer. */
const noticeWithin = 500;

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** HTTP/1.0 has no Expect. */
const expectsMore = ({ headers: { expect }, httpVersion }: IncomingMessage): boolean =>
  expect !== undefined && httpVersion !== '1.0' && !/\b100-continue\b/i.test(expect);

/** Closes a connection after an answer that did not need all of the body: the rest is not waited for. */
function letGo(incoming: IncomingMessage): void {
  if (incoming.complete) return;
  const timer = setTimeout(() => incoming.socket.destroySoon(), noticeWithin);
  timer.unref();
  incoming.once('end', () => clearTimeout(timer));
  // Whoever read it would hold it up, though it takes no more of it.
  incoming.removeAllListeners('data');
  incoming.resume();
}

const timesOf = ({ head }: Patience) => ({
  headersTimeout: head,
  connectionsCheckingInterval: head / 5,
  handshakeTimeout: head,
});

const serverOptions: ServerOptions = {
  /** Milliseconds; longer than load balancers keep theirs, so that it is they who close. */
  keepAliveTimeout: 65_000,
  /** Milliseconds for all of a request; an import of any number of lines takes as long as they take to be stored. */
  requestTimeout: 3_600_000,
  /** Node's own refusal has no body. */
  requireHostHeader: false,
};

function explainListenError(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  flag = '--port',
): GovctlError {
  const where = `${host} port ${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return new GovctlError(
        'usage_error',
        `The server cannot listen on ${where}: the address is in use`,
        {
          hint: `Stop the other program, or pass another ${flag}; port 0 picks a free one.`,
        },
      );
    case 'EACCES':
      return new GovctlError('usage_error', `The server cannot listen on ${where}: not permitted`, {
        hint: `Ports below 1024 require root; pass a higher port with ${flag}.`,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new GovctlError(
        'usage_error',
        `The server cannot listen on ${where}: no such address on this machine`,
        {
          hint: 'Use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for all its addresses.',
        },
      );
    default:
      return new GovctlError(
        'usage_error',
        `The server cannot listen on ${where}: ${error.message}`,
        { cause: error },
      );
  }
}

/** Answered in one turn of the event loop: a thousand requests may be broken at the same moment. */
const refusedAtOnce = 20;

/**
 * Requests that ran out of time and are cut off before a pause (milliseconds). Node finds all of them at the same moment,
 * every few seconds; cut off together, their senders would connect again together, and whoever is new would wait behind
 * them, as each turn of the event loop accepts one connection.
 */
const cutOffAtOnce = 10;
const cutOffPause = ({ head }: Patience): number => head / 200;

/** Why a connection can't be read on: of node's, `TINY_CHUNKS` or `STOPPING`. */
interface Broken {
  readonly code?: string | undefined;
}

const ranOutOfTime = 'ERR_HTTP_REQUEST_TIMEOUT';

/** By code: status and what is said. */
const whyBroken: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are larger than 16 KiB'],
  [ranOutOfTime]: [408, 'The request did not arrive in time'],
  STOPPING: [503, stopping],
  TINY_CHUNKS: [400, 'The body has too many small chunks; send larger chunks'],
};

interface Refusing extends Pick<ListenerOptions, 'refuse'> {
  readonly refusals: Turns;
  /** Waits until another request that ran out of time may be cut off. */
  readonly cutOff: () => Promise<void>;
  readonly isAnswerable: (socket: Socket) => boolean;
}

/**
 * What isn't HTTP never becomes a request; it is answered by hand, a few in each turn. Behind a request that is being
 * answered it would land in the midst of that answer: the connection is closed.
 */
async function answerBroken(
  error: Broken,
  socket: Socket,
  { refuse, refusals, cutOff, isAnswerable }: Refusing,
): Promise<void> {
  if (error.code === ranOutOfTime) {
    await cutOff();
  } else {
    const giveBack = await refusals.take();
    void nextTurn().then(giveBack);
  }
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, why] = whyBroken[error.code ?? ''] ?? [400, 'The request is not valid HTTP'];
  const refusal = refuse(status, why);
  const body = await refusal.text();
  if (!isAnswerable(socket)) {
    socket.destroy();
    return;
  }
  refusal.headers.set('Connection', 'close');
  const headers = [...refusal.headers, ['Content-Length', String(Buffer.byteLength(body))]];
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${body}`);
  socket.destroySoon();
}

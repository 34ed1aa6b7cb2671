import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../deps.ts';
import { abortedBy, Exchange } from './exchange.ts';
import type { Outcome } from './exchange.ts';
import { readInParts } from './read-in-parts.ts';
import { checkConnect, guardedLookup } from './target.ts';
import type { Targets } from './target.ts';

export type { Outcome } from './exchange.ts';

/** One request to a receiver. */
export interface Outgoing<B extends string | Readable = string> {
  readonly url: string;
  /** Default: POST. */
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes, as UTF-8; a stream of them needs its `content-length` among the headers. */
  readonly body: B;
  /** From the connect to the answer's status. */
  readonly timeoutMs: number;
}

/** Sends without following redirects or heeding proxies, to allowed targets only. Never throws, but where it is aborted. */
export type Send<B extends string | Readable = string> = (
  outgoing: Outgoing<B>,
  signal: AbortSignal,
) => Promise<Outcome>;

export interface Sender {
  readonly send: Send<string | Readable>;
  /** Ends what is under way, and all connections. */
  close(): Promise<void>;
}

/** Milliseconds: a connection that nobody waits for any more is given up then. */
const connectWithin = 30_000;

/** Milliseconds that a connection is kept for the next request at most. */
const keptIdle = 4_000;

/**
 * Sends over connections of its own, which are kept: one request at a time on each. How many are sent at once is up to
 * the caller.
 */
export function createSender(targets: Targets, clock: Pick<Clock, 'monotonic'>): Sender {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const placeOf = createPlaces();
  let opened: Dispatcher | undefined;
  let opening: Promise<Dispatcher> | undefined;

  const open = async (): Promise<Dispatcher> =>
    (opened = await (opening ??= openNetwork(targets, closing.signal)));

  const sendOver = (
    network: Dispatcher,
    { url, method = 'POST', headers, body, timeoutMs }: Outgoing<string | Readable>,
    signal: AbortSignal,
  ): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const place = placeOf(url);
      if (!place) {
        resolve({ durationMs: 0, error: 'the host of the URL has no usable address' });
        return;
      }
      const { origin, path } = place;
      const underWay = abortedBy(signal);
      const exchange = new Exchange({ timeoutMs, underWay, clock, resolve, reject });
      network.dispatch({ origin, path, method, headers, body }, exchange);
    });

  return {
    send: (outgoing, signal) =>
      opened
        ? sendOver(opened, outgoing, signal)
        : open().then((network) => sendOver(network, outgoing, signal)),
    async close() {
      await (await opening)?.destroy();
      // Connections that are still being made would outlive it.
      closing.abort();
    },
  };
}

/** Parts of an address, as a request takes them. */
interface Place {
  readonly origin: string;
  readonly path: string;
}

/** Addresses that stay parsed: the same ones are sent to again and again. */
const mostPlaces = 1_000;

/** Undefined: it is none. What is wrong is not thrown, as that would hold all of it, with the keys in it. */
function createPlaces(): (url: string) => Place | undefined {
  const places = new Map<string, Place>();
  return (url) => {
    const known = places.get(url);
    if (known) return known;
    if (!URL.canParse(url)) return undefined;
    const { origin, pathname, search } = new URL(url);
    const place = { origin, path: pathname + search };
    if (places.size === mostPlaces) places.clear();
    places.set(url, place);
    return place;
  };
}

/** Loaded by whoever sends first: many servers have no webhook. */
async function openNetwork({ rules, resolve }: Targets, signal: AbortSignal): Promise<Dispatcher> {
  const [{ default: Agent }, { default: buildConnector }] = await Promise.all([
    import('undici/lib/dispatcher/agent.js'),
    import('undici/lib/core/connect.js'),
  ]);
  const connect = buildConnector({
    lookup: guardedLookup({ rules, resolve }),
    timeout: connectWithin,
    rejectUnauthorized: true,
  });
  // Not by the connector's own `signal`: Node never lets go of a connection that was made with one.
  const connections = new Set<Socket>();
  signal.addEventListener('abort', () => {
    for (const socket of connections) socket.destroy(new Error('the server was stopping'));
  });
  return new Agent({
    pipelining: 1,
    // A receiver may want its connections kept for as long as it likes: nobody could count those of hostile ones.
    keepAliveTimeout: keptIdle,
    keepAliveMaxTimeout: keptIdle,
    // Each exchange has its own time; a pool's timers are coarse.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(options, callback) {
      try {
        checkConnect(options.protocol, options.hostname, rules);
      } catch (error) {
        callback(error as Error, null); // a TargetRefused
        return;
      }
      // It returns the connection at once; its type doesn't say so.
      const socket = connect(options, callback) as unknown as Socket;
      connections.add(socket);
      socket.once('close', () => connections.delete(socket));
      readInParts(socket);
    },
  });
}

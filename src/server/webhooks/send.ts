import { setMaxListeners } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import type { Clock } from '../deps.ts';
import { explainFailure } from './send-failure.ts';
import { checkConnect, guardedLookup } from './target.ts';
import type { Targets } from './target.ts';

/** One request to a receiver. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes, as UTF-8. */
  readonly body: string;
  /** From the connect to the answer's status. */
  readonly timeoutMs: number;
}

/** What came of it. A status is an answer, whatever became of its body. */
export interface Outcome {
  /** Until its status, or its failure. */
  readonly durationMs: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The first 64 KiB, as UTF-8. */
  readonly body?: string;
  /** There was, or may have been, more. */
  readonly truncated?: boolean;
  /** Why there is no status, in words for the webhook's owner: no address of this network, no stack. */
  readonly error?: string;
}

/** Sends without following redirects or heeding proxies, to allowed targets only. Never throws, but where it is aborted. */
export type Send = (outgoing: Outgoing, signal: AbortSignal) => Promise<Outcome>;

export interface Sender {
  readonly send: Send;
  /** Ends what is under way, and all connections. */
  close(): Promise<void>;
}

/** Bytes of an answer's body that are read. */
const longestBody = 64 * 1024;
/** Milliseconds that a body gets once its status is there. */
const bodyWithin = 1_000;
/** Of an answer, so many headers with so many characters in all are kept. */
const mostHeaders = 50;
const longestHeaders = 8_192;
/** Milliseconds: a connection that nobody waits for any more is given up then. */
const connectWithin = 30_000;

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
    { url, headers, body, timeoutMs }: Outgoing,
    signal: AbortSignal,
  ): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const { origin, path } = placeOf(url);
      const underWay = abortedBy(signal);
      const exchange = new Exchange({ timeoutMs, underWay, clock, resolve, reject });
      network.dispatch({ origin, path, method: 'POST', headers, body }, exchange);
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

function createPlaces(): (url: string) => Place {
  const places = new Map<string, Place>();
  return (url) => {
    const known = places.get(url);
    if (known) return known;
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
    signal,
  });
  return new Agent({
    pipelining: 1,
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
      connect(options, callback);
    },
  });
}

/** What each signal ends: hundreds share one, which takes few listeners. */
const endedBy = new WeakMap<AbortSignal, Set<Exchange>>();

function abortedBy(signal: AbortSignal): Set<Exchange> {
  const known = endedBy.get(signal);
  if (known) return known;
  const underWay = new Set<Exchange>();
  endedBy.set(signal, underWay);
  signal.addEventListener('abort', () => {
    for (const exchange of underWay) exchange.abort(signal.reason);
  });
  return underWay;
}

interface ExchangeOptions {
  readonly timeoutMs: number;
  readonly underWay: Set<Exchange>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

/** A request and its answer. A class, as one is made for every request: its methods are not. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly started: number;
  private timer: NodeJS.Timeout;
  private connection: Dispatcher.DispatchController | undefined;
  private ended = false;
  private answer: Required<Pick<Outcome, 'durationMs' | 'status' | 'headers'>> | undefined;
  private readonly chunks: Buffer[] = [];
  private length = 0;

  constructor(private readonly options: ExchangeOptions) {
    this.started = options.clock.monotonic();
    this.timer = setTimeout(() => {
      this.fail(`did not answer within ${options.timeoutMs / 1_000} s`);
      this.hangUp();
    }, options.timeoutMs);
    options.underWay.add(this);
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    this.connection = connection;
    // It had to wait for its connection, and nobody waits for it any more.
    if (this.ended) this.hangUp();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: GivenHeaders): void {
    if (status < 200 || this.ended) return;
    this.answer = { durationMs: this.elapsed(), status, headers: keptHeaders(headers) };
    // A short body came along, mostly, and has ended in this very turn.
    queueMicrotask(() => this.limitBody());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.ended) return;
    const room = longestBody - this.length;
    this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.length += Math.min(chunk.length, room);
    if (chunk.length > room) this.cut();
  }

  onResponseEnd(): void {
    this.succeed(false);
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.answer) this.succeed(true);
    else this.fail(explainFailure(error));
  }

  abort(reason: unknown): void {
    this.end(() => this.options.reject(reason));
    this.hangUp();
  }

  private limitBody(): void {
    if (this.ended) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.cut(), bodyWithin);
  }

  /** The rest of the body is not waited for. */
  private cut(): void {
    this.succeed(true);
    this.hangUp();
  }

  private succeed(truncated: boolean): void {
    const { answer } = this;
    if (!answer) return;
    this.end(() => {
      const [first, second] = this.chunks;
      const bytes = first && !second ? first : Buffer.concat(this.chunks, this.length);
      // Of a body that was cut, a character may be there in part.
      const body = truncated ? new StringDecoder('utf8').write(bytes) : bytes.toString('utf8');
      this.options.resolve(truncated ? { ...answer, body, truncated } : { ...answer, body });
    });
  }

  private fail(error: string): void {
    this.end(() => this.options.resolve({ durationMs: this.elapsed(), error }));
  }

  /** Once. */
  private end(tell: () => void): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.options.underWay.delete(this);
    tell();
  }

  /** A connection that still has something to say is of no use to the next request. */
  private hangUp(): void {
    this.connection?.abort(new Error('nobody waits for the answer'));
  }

  private elapsed(): number {
    return this.options.clock.monotonic() - this.started;
  }
}

type GivenHeaders = Readonly<Record<string, string | string[] | undefined>>;

function keptHeaders(given: GivenHeaders): Readonly<Record<string, string>> {
  if (isKeptWhole(given)) return given;
  const kept: [string, string][] = [];
  let room = longestHeaders;
  for (const [name, value = ''] of Object.entries(given)) {
    const text = typeof value === 'string' ? value : value.join(', ');
    room -= name.length + text.length;
    if (room < 0 || kept.length === mostHeaders) break;
    kept.push([name, text]);
  }
  return Object.fromEntries(kept);
}

/** Whether they can be kept as they came, as those of most answers can. */
function isKeptWhole(given: GivenHeaders): given is Readonly<Record<string, string>> {
  let count = 0;
  let room = longestHeaders;
  for (const name in given) {
    const value = given[name];
    if (typeof value !== 'string') return false;
    count += 1;
    room -= name.length + value.length;
  }
  return count <= mostHeaders && room >= 0;
}

import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import type { Clock } from '../deps.ts';
import { explainFailure } from './send-failure.ts';

/** What came of a request. A status is an answer, whatever became of its body. */
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
  /** There was no connection to send anything over: not one byte was sent. */
  readonly unsent?: boolean;
}

/** Bytes of an answer's body that are read. */
const longestBody = 64 * 1024;
/** Pieces that a body is read in: each byte can be sent as one of its own. */
const mostChunks = 1_024;
/** Answers before the one that counts, such as 103. */
const mostInterim = 16;
/** Milliseconds that a body gets once its status is there. */
const bodyWithin = 1_000;
/** Of an answer, so many headers with so many characters in all are kept. */
const mostHeaders = 50;
const longestHeaders = 8_192;
/**
 * Those on their way, in no order; each knows its place. No Set: what comes and goes in one makes V8 replace its table
 * again and again, and the old tables hold on to each other with all that was in them until the next full collection.
 */
class UnderWay {
  private readonly all: Exchange[] = [];

  add(exchange: Exchange): void {
    exchange.place = this.all.push(exchange) - 1;
  }

  /** The last one takes its place. */
  remove({ place }: Exchange): void {
    const last = this.all.pop();
    if (!last || last.place === place) return;
    last.place = place;
    this.all[place] = last;
  }

  abort(reason: unknown): void {
    for (const exchange of [...this.all]) exchange.abort(reason);
  }
}

/** What each signal ends: hundreds share one, which takes few listeners. */
const endedBy = new WeakMap<AbortSignal, UnderWay>();

export function abortedBy(signal: AbortSignal): UnderWay {
  const known = endedBy.get(signal);
  if (known) return known;
  const underWay = new UnderWay();
  endedBy.set(signal, underWay);
  signal.addEventListener('abort', () => underWay.abort(signal.reason));
  return underWay;
}

interface ExchangeOptions {
  readonly timeoutMs: number;
  readonly underWay: UnderWay;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (reason: unknown) => void;
}

/** A request and its answer. A class, as one is made for every request: its methods are not. */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Among those under way. */
  place = 0;
  private readonly started: number;
  private timer: NodeJS.Timeout;
  private connection: Dispatcher.DispatchController | undefined;
  private ended = false;
  private answer: Required<Pick<Outcome, 'durationMs' | 'status' | 'headers'>> | undefined;
  private readonly chunks: Buffer[] = [];
  private length = 0;
  private interim = 0;

  constructor(private readonly options: ExchangeOptions) {
    this.started = options.clock.monotonic();
    this.timer = setTimeout(() => {
      this.fail(`no response within ${options.timeoutMs / 1_000} s`);
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
    if (this.ended) return;
    if (status < 200) {
      this.interim += 1;
      if (this.interim <= mostInterim) return;
      this.fail(`returned ${status} more than ${mostInterim} times instead of a final response`);
      this.hangUp();
      return;
    }
    this.answer = { durationMs: this.elapsed(), status, headers: keptHeaders(headers) };
    // A short body came along, mostly, and has ended in this very turn.
    queueMicrotask(() => this.limitBody());
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.ended) return;
    const room = longestBody - this.length;
    this.chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.length += Math.min(chunk.length, room);
    if (chunk.length > room || this.chunks.length === mostChunks) this.cut();
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
    const unsent = this.connection ? {} : { unsent: true };
    this.end(() => this.options.resolve({ durationMs: this.elapsed(), error, ...unsent }));
  }

  /** Once. */
  private end(tell: () => void): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.timer);
    this.options.underWay.remove(this);
    tell();
  }

  /** A connection that still has something to say is of no use to the next request. */
  private hangUp(): void {
    this.connection?.abort(new Error('no request is waiting for the response'));
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

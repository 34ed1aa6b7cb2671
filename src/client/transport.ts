import { defined } from '../contract/defined.ts';
import { GovctlError } from '../contract/errors.ts';
import { errorFromResponse } from './answer.ts';
import type { Fetch, HttpAnswer } from './http.ts';
import { parseRetryAfter, retryDelay } from './retry.ts';
import { signRequest } from './sign-request.ts';
import type { Signing } from './sign-request.ts';
import { causeCode, isFinal, unreachable } from './unreachable.ts';
import type { Upload } from '../contract/endpoint.ts';
import { trimEnd } from '../contract/trim-end.ts';

export interface TransportOptions {
  /** Where the service is, e.g. https://governance.example.com; a path prefix is kept. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  /**
   * Gives the bearer token; asked once per request, so it can refresh and be for just that request. Undefined: no
   * Authorization header.
   */
  readonly token?: (method: string, path: string) => Promise<string | undefined>;
  /** Signs every request that has a token, each try anew. */
  readonly signing?: Signing;
  readonly userAgent?: string;
  /** Tries after the first, for what may be repeated. Default 4. */
  readonly retries?: number;
  /** Milliseconds one try may take. Default 30,000. */
  readonly timeoutMs?: number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Between 0 and 1. */
  readonly random?: () => number;
  readonly idempotencyKey?: () => string;
  /**
   * Once aborted: no request is begun, none is tried again, and reads are cut off. A change that is on its way is let
   * finish, so that nobody has to wonder whether it was made.
   */
  readonly signal?: AbortSignal;
  /** Told of every try, for `-v`. Never sees a header or a body. */
  readonly onTry?: (event: TryEvent) => void;
}

export interface TryEvent {
  readonly method: string;
  readonly url: string;
  readonly attempt: number;
  /** Absent when no answer came. */
  readonly status?: number;
  readonly requestId?: string;
  readonly error?: string;
  readonly durationMs: number;
  /** Milliseconds until the next try; absent when this was the last. */
  readonly retryInMs?: number;
}

export interface SendOptions {
  /** Serialised JSON, or what is read as it is sent. */
  readonly body?: string | Upload;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string;
  readonly ifMatch?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds to wait for the answer. Default: those of the transport. */
  readonly timeoutMs?: number;
  /** Send no token. */
  readonly anonymous?: boolean;
  /**
   * True: a POST that may be sent twice without harm, though it carries no key. False: one that may not be trusted
   * to its key; it is tried again only where the server surely did not begin it (refused connection, 429, 503).
   */
  readonly repeatable?: boolean;
  /** The body is read as it comes, and may take any time. What was not asked for so is read before the answer is given. */
  readonly streamed?: true;
}

export interface Transport {
  /** Resolves with any 2xx answer; throws the GovctlError of any other. `path` begins with `/`. */
  send(method: string, path: string, options?: SendOptions): Promise<HttpAnswer>;
  /** Resolves with any answer at all, after the same retries; throws only where none came. */
  exchange(method: string, path: string, options?: SendOptions): Promise<HttpAnswer>;
}

/** Resolves after `ms`, or as soon as the signal is aborted. */
const realSleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end, { once: true });
    if (signal?.aborted) end();
  });

const anyOf = (signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined => {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0];
};

interface Timeout {
  readonly signal: AbortSignal;
  /** The time begins again. */
  readonly extend: () => void;
  readonly clear: () => void;
}

/** Holds for the answer and its body; of one that is streamed until it is cleared. */
function timeoutOf(ms: number, isStreamed = false): Timeout {
  if (!isStreamed) {
    return { signal: AbortSignal.timeout(ms), extend: () => undefined, clear: () => undefined };
  }
  const controller = new AbortController();
  const late = new DOMException('timeout', 'TimeoutError');
  const begin = () => setTimeout(() => controller.abort(late), ms);
  let timer = begin();
  return {
    signal: controller.signal,
    extend() {
      clearTimeout(timer);
      timer = begin();
    },
    clear: () => clearTimeout(timer),
  };
}

/** The bytes of an upload: it may take any time while parts of it are taken. */
async function* sent({ open }: Upload, { extend }: Timeout): AsyncGenerator<Uint8Array> {
  for await (const chunk of open()) {
    extend();
    yield chunk;
  }
  extend();
}

export function createTransport(options: TransportOptions): Transport {
  const { retries = 4, timeoutMs = 30_000, sleep = realSleep, random = Math.random } = options;
  const newKey = options.idempotencyKey ?? (() => crypto.randomUUID());
  const base = trimEnd(options.baseUrl, '/');

  // Where only reads went out, whoever interrupts them wants to know just that.
  let isChanging = false;

  function interrupted(method: string, url: string, cause: unknown): GovctlError {
    const what = isChanging
      ? `Interrupted before a response to ${method} ${new URL(url).pathname}`
      : 'Interrupted; nothing was changed';
    return new GovctlError('interrupted', what, { cause });
  }

  async function tryOnce(
    method: string,
    url: string,
    headers: Record<string, string>,
    send: SendOptions,
  ) {
    if (method !== 'GET' && !send.anonymous) isChanging = true;
    const { body } = send;
    const waitMs = send.timeoutMs ?? timeoutMs;
    const isUpload = typeof body === 'object';
    // Before its time begins: all of an upload is read for it.
    const signed = { ...headers, ...(await signatureOf(method, url, headers, body)) };
    const timeout = timeoutOf(waitMs, send.streamed === true || isUpload);
    const cut = anyOf([send.signal, method === 'GET' ? options.signal : undefined]);
    try {
      return await options.fetch(url, {
        method,
        headers: signed,
        signal: cut ? AbortSignal.any([cut, timeout.signal]) : timeout.signal,
        redirect: 'manual',
        ...(send.streamed ? { streamed: true } : {}),
        ...(isUpload ? { upload: sent(body, timeout) } : defined({ body })),
      });
    } catch (cause) {
      if (cause instanceof GovctlError) throw cause;
      if (cut?.aborted) throw interrupted(method, url, cause);
      throw unreachable(url, cause, timeout.signal.aborted ? waitMs : undefined);
    } finally {
      timeout.clear();
    }
  }

  const signatureOf = async (
    method: string,
    url: string,
    headers: Record<string, string>,
    body: SendOptions['body'],
  ) => {
    const { signing } = options;
    return signing && headers.authorization !== undefined
      ? signRequest({ method, url, headers, body }, signing)
      : {};
  };

  async function exchange(
    method: string,
    path: string,
    request: SendOptions = {},
  ): Promise<HttpAnswer> {
    const url = base + path;
    const stop = anyOf([request.signal, options.signal]);
    const idempotent = method !== 'POST' || request.repeatable === true || !request.anonymous;
    const headers = await requestHeaders(method, path, request);
    for (let attempt = 1; ; attempt++) {
      if (stop?.aborted) throw interrupted(method, url, stop.reason);
      const started = performance.now();
      const outcome = await tryOnce(method, url, headers, request).catch((error: unknown) => {
        if (error instanceof GovctlError && error.error === 'unreachable') return error;
        throw error;
      });
      const answer = outcome instanceof GovctlError ? undefined : outcome;
      const again =
        attempt <= (isTimeout(outcome) ? Math.min(retries, 1) : retries) &&
        idempotent &&
        (request.repeatable === false ? wasNotBegun(outcome) : mayRetry(outcome));
      const asked = answer && again ? await parseRetryAfter(answer) : undefined;
      const retryInMs = again ? retryDelay(attempt, asked, random) : undefined;
      options.onTry?.({
        method,
        url,
        attempt,
        durationMs: performance.now() - started,
        ...(outcome instanceof GovctlError
          ? { error: outcome.message }
          : { status: outcome.status, ...requestIdOf(outcome) }),
        ...defined({ retryInMs }),
      });
      if (retryInMs !== undefined) {
        await sleep(retryInMs, stop);
        continue;
      }
      if (answer === undefined) throw outcome;
      return answer;
    }
  }

  async function send(method: string, path: string, request?: SendOptions): Promise<HttpAnswer> {
    const answer = await exchange(method, path, request);
    if (answer.ok) return answer;
    throw await errorFromResponse(answer, `${method} ${path}`);
  }

  async function requestHeaders(
    method: string,
    path: string,
    request: SendOptions,
  ): Promise<Record<string, string>> {
    const token = request.anonymous ? undefined : await options.token?.(method, path);
    return {
      accept: 'application/json',
      ...(options.userAgent ? { 'user-agent': options.userAgent } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      // Without a key a POST that was cut off could not be tried again: it might have worked.
      ...(method === 'POST' && !request.anonymous
        ? { 'idempotency-key': request.idempotencyKey ?? newKey() }
        : {}),
      ...(request.ifMatch ? { 'if-match': request.ifMatch } : {}),
      ...request.headers,
    };
  }

  return { send, exchange };
}

function mayRetry(outcome: HttpAnswer | GovctlError): boolean {
  if (outcome instanceof GovctlError) return !isFinal(outcome);
  return [429, 500, 502, 503, 504].includes(outcome.status);
}

/** Who was silent for all of the timeout is asked once more only: five times would be minutes. */
const isTimeout = (outcome: HttpAnswer | GovctlError): boolean =>
  outcome instanceof GovctlError &&
  outcome.cause instanceof Error &&
  outcome.cause.name === 'TimeoutError';

/** Whether the server surely did nothing, so that the same can be sent again whatever it is. */
function wasNotBegun(outcome: HttpAnswer | GovctlError): boolean {
  if (outcome instanceof GovctlError) return causeCode(outcome.cause) === 'ECONNREFUSED';
  return outcome.status === 429 || outcome.status === 503;
}

function requestIdOf(response: HttpAnswer): { requestId?: string } {
  const requestId = response.headers.get('x-request-id');
  return requestId ? { requestId } : {};
}

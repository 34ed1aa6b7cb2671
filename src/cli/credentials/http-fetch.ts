import { Readable } from 'node:stream';
import { defined } from '../../contract/defined.ts';
import type { AnswerHeaders, Fetch, FetchInit, HttpAnswer } from '../../client/http.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Dispatcher } from 'undici';
import { isLoopback } from './base-url.ts';

/** Milliseconds until a connection must stand, TLS included. */
const connectTimeoutMs = 10_000;
/** Milliseconds an unused connection is kept; a command's requests come in bursts. */
const keepAliveMs = 10_000;
/** Milliseconds in which a file that is on its way brings nothing: it was cut off, though nobody said so. */
const longestSilence = 30_000;
/** Bytes of an answer's body that is read whole; what is longer is none of this API's. A file may be of any length. */
const longestAnswer = 256 * 1024 * 1024;
const anyLength = -1;

/**
 * The network, by undici: connections are kept, HTTP/1.1 without pipelining, a proxy where the environment names
 * one and the address is not of this machine. The answer's body is read before it resolves, so a connection cut in its middle counts as no answer; but not that
 * of a file that is asked for as it comes.
 */
export function createHttpFetch(env: NodeJS.ProcessEnv): Fetch {
  let direct: Promise<Network> | undefined;
  let proxied: Promise<Network> | undefined;
  return async (url, init) => {
    const proxy = proxySettings(env);
    const network =
      proxy && !isLoopback(url) ? (proxied ??= openNetwork(proxy)) : (direct ??= openNetwork());
    return (await network)(url, init);
  };
}

type Network = (url: string, init: FetchInit) => Promise<HttpAnswer>;

interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy: string;
}

/** A proxy as curl and others read it from the environment; undefined when none is named. */
function proxySettings(env: NodeJS.ProcessEnv): ProxySettings | undefined {
  const http = env.http_proxy || env.HTTP_PROXY;
  const https = env.https_proxy || env.HTTPS_PROXY;
  if (!http && !https) return undefined;
  for (const proxy of [http, https]) {
    if (!proxy || (URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol))) continue;
    throw new GovctlError(
      'usage_error',
      'The proxy that http_proxy or https_proxy names is not an http:// or https:// address',
      { hint: 'Write it as http://proxy.example.com:3128, or unset the variable.' },
    );
  }
  return {
    ...(http ? { httpProxy: http } : {}),
    ...(https ? { httpsProxy: https } : {}),
    noProxy: env.no_proxy || env.NO_PROXY || '',
  };
}

const optionsFor = (maxResponseSize: number) => ({
  pipelining: 1,
  connect: { timeout: connectTimeoutMs },
  keepAliveTimeout: keepAliveMs,
  maxResponseSize,
});

async function openNetwork(proxy?: ProxySettings): Promise<Network> {
  // These two files are what a request needs; all of undici takes 45 ms longer to load.
  const [{ default: request }, dispatcherFor] = await Promise.all([
    import('undici/lib/api/api-request.js'),
    proxy
      ? import('undici').then(
          ({ EnvHttpProxyAgent }) =>
            (most: number) =>
              new EnvHttpProxyAgent({ ...optionsFor(most), ...proxy }),
        )
      : import('undici/lib/dispatcher/agent.js').then(
          ({ default: Agent }) =>
            (most: number) =>
              new Agent(optionsFor(most)),
        ),
  ]);
  const whole = dispatcherFor(longestAnswer);
  let files: Dispatcher | undefined;
  return async (url, { method, headers, body, upload, signal, streamed }) => {
    const { origin, pathname, search } = new URL(url);
    const dispatcher = streamed ? (files ??= dispatcherFor(anyLength)) : whole;
    const answer = await request.call(dispatcher, {
      origin,
      path: pathname + search,
      // Any token is a method on the wire; undici's type lists the usual ones.
      method: method as Dispatcher.HttpMethod,
      headers,
      ...(upload ? { body: Readable.from(upload) } : defined({ body })),
      ...(signal ? { signal } : {}),
      ...(streamed ? { bodyTimeout: longestSilence } : {}),
    });
    if (streamed && answer.statusCode < 300) {
      return {
        ...answerOf(answer.statusCode, answer.headers, () => answer.body.text()),
        body: answer.body,
      };
    }
    return bufferedAnswer(answer.statusCode, answer.headers, await answer.body.text());
  };
}

function bufferedAnswer(status: number, headers: GivenHeaders, text: string): HttpAnswer {
  return answerOf(status, headers, () => Promise.resolve(text));
}

type GivenHeaders = Readonly<Record<string, string | string[] | undefined>>;

function answerOf(status: number, headers: GivenHeaders, text: () => Promise<string>): HttpAnswer {
  const answer: HttpAnswer = {
    status,
    ok: status >= 200 && status < 300,
    headers: answerHeaders(headers),
    text,
    clone: () => answer,
  };
  return answer;
}

function answerHeaders(given: GivenHeaders): AnswerHeaders {
  const valueOf = (value: string | string[]): string =>
    Array.isArray(value) ? value.join(', ') : value;
  return {
    get: (name) => {
      const value = given[name.toLowerCase()];
      return value === undefined ? null : valueOf(value);
    },
    *[Symbol.iterator]() {
      for (const [name, value] of Object.entries(given)) {
        if (value !== undefined) yield [name, valueOf(value)];
      }
    },
  };
}

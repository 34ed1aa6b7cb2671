import { Readable } from 'node:stream';
import { defined } from '../../contract/defined.ts';
import type { AnswerHeaders, Fetch, FetchInit, HttpAnswer } from '../../client/http.ts';
import { cutWithCertificate } from '../../client/unreachable.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Dispatcher, buildConnector } from 'undici';
import { isLoopback, sameOrigin } from './base-url.ts';
import type { ClientCertificate } from './client-certificate.ts';

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
 * @param identity shown to a service that requires client certificates
 */
export function createHttpFetch(env: NodeJS.ProcessEnv, identity?: Identity): Fetch {
  const networks = new Map<string, Promise<Network>>();
  return async (url, init) => {
    // A wrong one is refused whatever the address: the next one may not be of this machine.
    const named = proxySettings(env);
    const proxy = isLoopback(url) ? undefined : named;
    const shown = identity && sameOrigin(identity.baseUrl, url) ? identity : undefined;
    const name = `${proxy !== undefined} ${shown !== undefined}`;
    let network = networks.get(name);
    if (!network) networks.set(name, (network = openNetwork(proxy, shown)));
    return (await network)(url, init);
  };
}

/** Who this machine is for one service, and for no other origin: neither proxies nor the provider of a CI job ask for it. */
interface Identity {
  readonly baseUrl: string;
  /** Read when it is first needed. */
  readonly certificate: () => Promise<ClientCertificate>;
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
      'The proxy in http_proxy or https_proxy is not an http:// or https:// URL',
      { hint: 'Use a URL such as http://proxy.example.com:3128, or unset the variable.' },
    );
  }
  return {
    ...(http ? { httpProxy: http } : {}),
    ...(https ? { httpsProxy: https } : {}),
    noProxy: env.no_proxy || env.NO_PROXY || '',
  };
}

const optionsFor = (maxResponseSize: number, connect: buildConnector.connector) => ({
  pipelining: 1,
  connect,
  keepAliveTimeout: keepAliveMs,
  maxResponseSize,
});

/** Makes connections that end with what TLS says of them: undici would only say that they ended. */
const sayingWhy =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      // Of TLS 1.3, a server refuses a client's certificate only after the handshake.
      socket.prependListener('error', (why: NodeJS.ErrnoException) => {
        if (why.code?.startsWith('ERR_SSL')) socket.destroy();
      });
      callback(null, socket);
    });

async function openNetwork(
  proxy: ProxySettings | undefined,
  identity: Identity | undefined,
): Promise<Network> {
  const certificate = await identity?.certificate();
  // These three files are what a request needs; all of undici takes 45 ms longer to load.
  const [{ default: request }, { default: buildConnector }] = await Promise.all([
    import('undici/lib/api/api-request.js'),
    import('undici/lib/core/connect.js'),
  ]);
  const connect = sayingWhy(buildConnector({ timeout: connectTimeoutMs, ...certificate }));
  const dispatcherFor = proxy
    ? await import('undici').then(
        ({ EnvHttpProxyAgent }) =>
          (most: number) =>
            new EnvHttpProxyAgent({
              ...optionsFor(most, connect),
              ...proxy,
              // For what is behind the proxy.
              ...(certificate ? { requestTls: { ...certificate } } : {}),
            }),
      )
    : await import('undici/lib/dispatcher/agent.js').then(
        ({ default: Agent }) =>
          (most: number) =>
            new Agent(optionsFor(most, connect)),
      );
  const whole = dispatcherFor(longestAnswer);
  let files: Dispatcher | undefined;
  return async (url, { method, headers, body, upload, signal, streamed }) => {
    const { origin, pathname, search } = new URL(url);
    const dispatcher = streamed ? (files ??= dispatcherFor(anyLength)) : whole;
    const sending = request.call(dispatcher, {
      origin,
      path: pathname + search,
      // Any token is a method on the wire; undici's type lists the usual ones.
      method: method as Dispatcher.HttpMethod,
      headers,
      ...(upload ? { body: Readable.from(upload) } : defined({ body })),
      ...(signal ? { signal } : {}),
      ...(streamed ? { bodyTimeout: longestSilence } : {}),
    });
    const answer = await (certificate ? sending.catch(mayBeRefused) : sending);
    if (streamed && answer.statusCode < 300) {
      return {
        ...answerOf(answer.statusCode, answer.headers, () => answer.body.text()),
        body: answer.body,
      };
    }
    const text = await answer.body.text();
    const { statusCode: status } = answer;
    return bufferedAnswer(status, answer.headers, status < 300 ? text : hideToken(text, headers));
  };
}

/** A server made with Node.js cuts the connection of whoever shows a certificate that it does not accept, and says nothing. */
function mayBeRefused(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'UND_ERR_SOCKET' && code !== 'ECONNRESET') throw error;
  throw Object.assign(new Error(cutWithCertificate, { cause: error }), {
    code: cutWithCertificate,
  });
}

/** Characters from which a token is one, and not a word that an error may contain. */
const shortestToken = 16;

/** A proxy may repeat a request in its error, and what a command prints is in the log of CI. */
function hideToken(error: string, { authorization = '' }: FetchInit['headers']): string {
  const token = authorization.replace(/^Bearer /, '');
  return token.length < shortestToken ? error : error.replaceAll(token, '***');
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

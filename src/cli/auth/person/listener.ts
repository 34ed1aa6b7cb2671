import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GovctlError } from '../../../contract/errors.ts';

/** Waits for the browser to come back from a login (RFC 8252, section 7.3). */
export interface Listener {
  readonly redirectUri: string;
  /**
   * Where the browser came back to, with the code. Whatever else comes to this port is turned away, and changes nothing.
   * @throws the reason of the signal
   */
  answer(signal: AbortSignal): Promise<URL>;
  close(): Promise<void>;
}

const callbackPath = '/callback';
/** Milliseconds that the page has to reach the browser at the end. */
const closeWithin = 1_000;

/** @param state that the answer must bring */
export async function listenForAnswer(state: string): Promise<Listener> {
  let found: (url: URL) => void;
  const arrived = new Promise<URL>((resolve) => (found = resolve));
  let isOver = false;
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 10_000, keepAliveTimeout: 1 },
    (request, response) => {
      const url = answerIn(request, origin, state);
      if (url === undefined || isOver) {
        return page(response, 404, 'Page not found', 'This page is not part of a login.');
      }
      isOver = true;
      page(
        response,
        200,
        'Return to govctl',
        'The login continues in your terminal. You can close this page.',
      );
      found(url);
    },
  );
  // Programs of this machine could open any number.
  server.maxConnections = 64;
  server.listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new GovctlError(
      'file_error',
      `No free port on 127.0.0.1 for the browser login: ${(cause as Error).message}`,
      { cause, hint: 'Use `govctl auth login --device`.' },
    );
  }
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    redirectUri: origin + callbackPath,
    async answer(signal) {
      signal.throwIfAborted();
      const ended = new AbortController();
      const aborted = once(signal, 'abort', { signal: ended.signal }).then(
        () => Promise.reject(signal.reason as Error),
        () => new Promise<never>(() => undefined),
      );
      try {
        return await Promise.race([arrived, aborted]);
      } finally {
        ended.abort();
      }
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      const timer = setTimeout(() => server.closeAllConnections(), closeWithin);
      server.closeIdleConnections();
      await closed;
      clearTimeout(timer);
    },
  };
}

/** The address of a request that answers this very login. */
function answerIn(
  { method, url = '', headers }: IncomingMessage,
  origin: string,
  state: string,
): URL | undefined {
  // A page of the web may have a name that leads here; it cannot change what its browser calls this host.
  if (method !== 'GET' || headers.host !== new URL(origin).host) return undefined;
  if (!url.startsWith(`${callbackPath}?`)) return undefined;
  const { searchParams } = new URL(url, origin);
  const only = (name: string): string | undefined => {
    const values = searchParams.getAll(name);
    return values.length === 1 ? values[0] : undefined;
  };
  if (only('state') !== state) return undefined;
  return (only('code') === undefined) === (only('error') === undefined)
    ? undefined
    : new URL(url, origin);
}

function page(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Cache-Control': 'no-store',
    // The address has the code.
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  });
  response.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark">` +
      `<meta name="viewport" content="width=device-width"><title>${title}</title></head>` +
      `<body><main><h1>${title}</h1><p>${text}</p></main></body></html>\n`,
  );
}

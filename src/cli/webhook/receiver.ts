import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GovctlError } from '../../contract/errors.ts';

/** One request, as it was on the wire. */
export interface Received {
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** It was not taken: the service is to send it elsewhere, or again. */
  readonly isRefusal?: true;
}

export interface Receiver {
  readonly port: number;
  /** Lets answers that are on their way out finish, and takes nothing more. */
  close(): Promise<void>;
}

/** What a GET of the path is answered with, so that another run can tell a live listener from a leftover. */
export const greeting = 'govctl webhook listen\n';

/** Bytes; the service's events are far smaller. */
const longestBody = 10 * 1024 * 1024;

/**
 * Takes POSTs to one path on 127.0.0.1, which nobody can guess, and answers anything else with 404.
 * @param handle never rejects
 * @param answered called when the answer to a delivery that was taken is out
 * @throws GovctlError usage_error where the port can't be had
 */
export async function startReceiver(
  options: { readonly port: number; readonly path: string },
  handle: (received: Received) => Promise<Answer>,
  answered: () => void,
): Promise<Receiver> {
  const server = createServer((request, response) => {
    serve(request, response, options.path, handle).then(
      (isDelivery) => {
        if (isDelivery) answered();
      },
      () => response.destroy(),
    );
  });
  const { port } = await listening(server, options.port);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 1_000).unref();
      }),
  };
}

const listening = (server: Server, port: number): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new GovctlError(
          'usage_error',
          `--port ${port}: ${cause.code === 'EADDRINUSE' ? 'already in use' : cause.message}`,
          { cause, hint: 'Omit --port to use a free port.' },
        ),
      ),
    );
    // It listens on TCP.
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });

/** Whether it was a delivery that was taken, and its answer is out. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  handle: (received: Received) => Promise<Answer>,
): Promise<boolean> {
  // A tunnel may have put a path of its own before it.
  const isHere = new URL(request.url ?? '/', 'http://receiver').pathname.endsWith(path);
  if (!isHere || request.method !== 'POST') {
    request.resume();
    const isGreeted = isHere && request.method === 'GET';
    await send(response, isGreeted ? { status: 200, body: greeting } : { status: 404 });
    return false;
  }
  const body = await readBody(request).catch(() => undefined);
  if (body === undefined) {
    await send(response, { status: 413, headers: { connection: 'close' } });
    return false;
  }
  const { rawHeaders, headers } = request;
  const answer = await handle({ rawHeaders, headers, body });
  await send(response, answer);
  return !answer.isRefusal;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > longestBody) throw new RangeError('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Resolves when it is out, or when nobody waits for it any more. */
const send = (response: ServerResponse, { status, headers, body }: Answer): Promise<void> =>
  new Promise((resolve) => {
    if (response.closed) {
      resolve();
      return;
    }
    response.once('close', resolve);
    response.writeHead(status, headers);
    response.end(body);
  });

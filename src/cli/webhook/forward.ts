import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Received } from './receiver.ts';

export interface Forwarded {
  readonly ms: number;
  /** Absent where no answer came. */
  readonly status?: number;
  readonly error?: string;
}

export const isAccepted = ({ status }: Forwarded): boolean =>
  status !== undefined && status >= 200 && status < 300;

/** Bytes of an answer that are read: a service reads no more. */
const longestAnswer = 64 * 1024;
/** Milliseconds; a service waits 30 s for an answer. */
const longestWait = 29_000;
/** Of one connection only, or of this one's host. */
const ownOfConnection = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
]);

/**
 * Sends a delivery on: the same bytes, and its headers as they came. Redirects are not followed, as the service does not
 * either. Never rejects: what goes wrong is in the result.
 */
export async function forward(
  target: URL,
  { rawHeaders, body }: Pick<Received, 'rawHeaders' | 'body'>,
  timeoutMs: number = longestWait,
): Promise<Forwarded> {
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  try {
    const status = await exchange(target, headersOf(target, rawHeaders, body), body, timeoutMs);
    return { ms: elapsed(), status };
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === 'TimeoutError';
    const error = isLate ? `no response within ${timeoutMs / 1_000} s` : explain(cause);
    return { ms: elapsed(), error };
  }
}

function headersOf(target: URL, rawHeaders: readonly string[], body: Buffer): string[] {
  const headers = ['Host', target.host, 'Content-Length', String(body.length)];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!ownOfConnection.has(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}

const exchange = (
  target: URL,
  headers: string[],
  body: Buffer,
  timeoutMs: number,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const fail = (error: unknown): void => reject(signal.aborted ? signal.reason : error);
    const open = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = open(
      target,
      { method: 'POST', headers, signal },
      (response) => void readAnswer(response).then(resolve, fail),
    );
    request.on('error', fail);
    request.end(body);
  });

/** The status of an answer that has arrived whole. */
async function readAnswer(response: IncomingMessage): Promise<number> {
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size >= longestAnswer) break;
  }
  const { statusCode: status = 0 } = response;
  if (status < 200 || status > 599) throw new Error(`invalid HTTP status ${status}`);
  return status;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host name',
  ECONNRESET: 'connection reset',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'self-signed certificate',
};

function explain(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? (message || code || 'connection failed');
}

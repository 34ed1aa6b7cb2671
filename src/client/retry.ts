import type { HttpAnswer } from './http.ts';

/** Longest wait a server can ask of us, in seconds; past it the 429 is handed on. */
const longestWait = 120;

/** Milliseconds the server asked to wait: `retry_after` of a 429 body, `Retry-After` or `X-RateLimit-Retry-After`. */
export async function parseRetryAfter(response: HttpAnswer): Promise<number | undefined> {
  if (response.status !== 429 && response.status !== 503) return undefined;
  const header =
    response.headers.get('retry-after') ?? response.headers.get('x-ratelimit-retry-after');
  const seconds = header === null ? await bodyRetryAfter(response) : headerSeconds(header);
  return seconds === undefined ? undefined : Math.min(Math.max(seconds, 0), longestWait) * 1000;
}

function headerSeconds(header: string): number | undefined {
  if (/^\d+$/.test(header.trim())) return Number(header);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : (date - Date.now()) / 1000;
}

async function bodyRetryAfter(response: HttpAnswer): Promise<number | undefined> {
  const body: unknown = await response
    .clone()
    .text()
    .then(JSON.parse)
    .catch(() => undefined); // not JSON: then it asked for nothing
  if (typeof body !== 'object' || body === null || !('retry_after' in body)) return undefined;
  return typeof body.retry_after === 'number' ? body.retry_after : undefined;
}

/**
 * Milliseconds before the next try: what the server asked for, else exponential from 250 ms to 8 s with full
 * jitter over the upper half, so that clients that failed together do not come back together.
 */
export function retryDelay(
  attempt: number,
  asked: number | undefined,
  random: () => number,
): number {
  if (asked !== undefined) return asked + random() * 250;
  const ceiling = Math.min(250 * 2 ** (attempt - 1), 8_000);
  return ceiling / 2 + (random() * ceiling) / 2;
}

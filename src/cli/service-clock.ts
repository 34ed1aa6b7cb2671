import type { Client } from '../client/client.ts';
import type { AnswerHeaders, Fetch } from '../client/http.ts';
import { isLoopback } from './credentials/base-url.ts';

/** The clock of a service. That of a local server may have been moved; each of its answers says how far. */
export interface ServiceClock {
  /** Milliseconds since the epoch. Before the first answer: the time of this machine. */
  now(): number;
  /** The given `fetch`; the clock reads its answers. */
  reading(fetch: Fetch): Fetch;
}

export function createServiceClock(now: () => number): ServiceClock {
  let offset = 0;
  return {
    now: () => now() + offset,
    reading: (fetch) => async (url, init) => {
      const answer = await fetch(url, init);
      offset = readOffset(answer.headers);
      return answer;
    },
  };
}

/** How far the service says its clock was moved, in milliseconds. */
export function readOffset(headers: Pick<AnswerHeaders, 'get'>): number {
  const told = headers.get('x-govctl-local') ?? '';
  const [, offset = '0'] = /\boffset_ms=(-?\d{1,15})\b/.exec(told) ?? [];
  return Number(offset);
}

/** The time of a service that was not asked anything yet, in milliseconds since the epoch. */
export async function serviceNow(
  { serviceClock }: { readonly serviceClock: ServiceClock },
  client: Client,
): Promise<number> {
  if (!isLoopback(client.baseUrl)) return serviceClock.now();
  try {
    const { data } = await client.local.getClock();
    return Date.parse(data.now);
  } catch {
    // Other services, and servers that other machines can reach, have no clock that could have been moved.
    return serviceClock.now();
  }
}

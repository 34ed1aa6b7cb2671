import type { Client } from '../client/client.ts';
import type { AnswerHeaders, Fetch } from '../client/http.ts';
import { isLoopback } from './credentials/base-url.ts';

/** The clock of a local server may have been moved; each of its answers tells how far. */
export interface ServiceClock {
  /** Milliseconds since the epoch. Before the first answer: the time of this machine. */
  now(): number;
  /** The same fetch, whose answers are looked at. */
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

/** By how many milliseconds a service says that its clock was moved. */
export function readOffset(headers: Pick<AnswerHeaders, 'get'>): number {
  const told = headers.get('x-govctl-local') ?? '';
  const [, offset = '0'] = /\boffset_ms=(-?\d{1,15})\b/.exec(told) ?? [];
  return Number(offset);
}

/** The time of a service before anything else was asked, in milliseconds since the epoch. */
export async function serviceNow(
  { serviceClock }: { readonly serviceClock: ServiceClock },
  client: Client,
): Promise<number> {
  if (!isLoopback(client.baseUrl)) return serviceClock.now();
  try {
    const { data } = await client.local.getClock();
    return Date.parse(data.now);
  } catch {
    // Another server, or one that other machines can reach, has no clock that could have been moved.
    return serviceClock.now();
  }
}

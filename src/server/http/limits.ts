import { GovctlError } from '../../contract/errors.ts';
import type { Clock } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { TokenFailure } from './token-failure.ts';

export type RateLimitMode = 'enforce' | 'report' | 'off';

/** Requests in a window of so many milliseconds; the day's are counted over all keys together. */
const windows = {
  minute: { ms: 60_000, limit: 200 },
  hour: { ms: 3_600_000, limit: 10_000 },
  day: { ms: 86_400_000, limit: 100_000 },
} as const;
type WindowName = keyof typeof windows;

/** Windows are fixed and aligned to the epoch; `number` is which one the count belongs to. */
interface Counter {
  number: number;
  count: number;
}

interface KeyCounters {
  readonly minute: Counter;
  readonly hour: Counter;
}

export interface RateLimiter {
  /**
   * Counts one request and gives the headers that describe the window with the least left.
   * @throws GovctlError rate_limit_exceeded in mode enforce; a refused request is not counted
   */
  take(key: string): Readonly<Record<string, string>>;
  /**
   * Counts what failed to authenticate under the address it came from. Who knows the right secret is let in all the
   * same: behind a proxy, many share an address.
   * @returns the error to answer: rate_limit_exceeded in mode enforce, where one address failed too often
   */
  failed(error: unknown, address: string | undefined): unknown;
}

/** Failed authentications in a minute from one address. */
const maxFailures = 60;
const addressesKept = 10_000;

const none: Readonly<Record<string, string>> = {};

/** Counts in memory: a restart starts the windows afresh. */
export function createRateLimiter(mode: RateLimitMode, clock: Clock): RateLimiter {
  if (mode === 'off') return { take: () => none, failed: (error) => error };
  const keys = new Map<string, KeyCounters>();
  const day: Counter = { number: 0, count: 0 };
  let hourOfSweep = 0;

  const countersOf = (key: string, hour: number): KeyCounters => {
    if (hour !== hourOfSweep) {
      hourOfSweep = hour;
      for (const [name, counters] of keys) if (counters.hour.number !== hour) keys.delete(name);
    }
    let counters = keys.get(key);
    if (!counters) {
      counters = { minute: { number: 0, count: 0 }, hour: { number: 0, count: 0 } };
      keys.set(key, counters);
    }
    return counters;
  };

  return {
    take(key) {
      const now = clock.now();
      const { minute, hour } = countersOf(key, Math.floor(now / windows.hour.ms));
      let tightest: WindowName = 'minute';
      let left = remaining(minute, 'minute', now);
      const leftOfHour = remaining(hour, 'hour', now);
      if (leftOfHour < left) [tightest, left] = ['hour', leftOfHour];
      const leftOfDay = remaining(day, 'day', now);
      if (leftOfDay < left) [tightest, left] = ['day', leftOfDay];
      const { ms, limit } = windows[tightest];
      const resetMs = (Math.floor(now / ms) + 1) * ms;
      if (left <= 0 && mode === 'enforce') {
        const whose = tightest === 'day' ? 'of all keys together' : 'of this key';
        throw exceeded({ window: tightest, limit, whose, resetMs, now });
      }
      minute.count += 1;
      hour.count += 1;
      day.count += 1;
      return rateHeaders(limit, Math.max(0, left - 1), resetMs);
    },
    failed: mode === 'enforce' ? createFailureCount(clock) : (error) => error,
  };
}

function createFailureCount(clock: Clock): RateLimiter['failed'] {
  const failures = new Map<string, number>();
  let minute = 0;
  return (error, address) => {
    if (address === undefined || !isFailedAuthentication(error)) return error;
    const now = clock.now();
    const current = Math.floor(now / windows.minute.ms);
    if (minute !== current) {
      minute = current;
      failures.clear();
    }
    const count = (failures.get(address) ?? 0) + 1;
    // With very many addresses the oldest is forgotten: memory stays bounded.
    const [oldest] = failures.keys();
    if (oldest !== undefined && failures.size >= addressesKept && count === 1) {
      failures.delete(oldest);
    }
    failures.set(address, count);
    if (count <= maxFailures) return error;
    const whose = 'that failed to authenticate from this address';
    return exceeded({
      window: 'minute',
      limit: maxFailures,
      whose,
      resetMs: (minute + 1) * windows.minute.ms,
      now,
    });
  };
}

const isFailedAuthentication = (error: unknown): boolean =>
  (error instanceof GovctlError && error.error === 'invalid_token') ||
  (error instanceof TokenFailure && error.error === 'invalid_client');

/** Begins the window anew where time has moved past it. */
function remaining(counter: Counter, name: WindowName, now: number): number {
  const { ms, limit } = windows[name];
  const number = Math.floor(now / ms);
  if (counter.number !== number) {
    counter.number = number;
    counter.count = 0;
  }
  return limit - counter.count;
}

const rateHeaders = (
  limit: number,
  remaining: number,
  resetMs: number,
): Record<string, string> => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(resetMs / 1000),
});

function exceeded({
  window,
  limit,
  whose,
  resetMs,
  now,
}: {
  readonly window: WindowName;
  readonly limit: number;
  readonly whose: string;
  readonly resetMs: number;
  readonly now: number;
}): GovctlError {
  const retryAfter = Math.ceil((resetMs - now) / 1000);
  const message = `The ${limit} requests a ${window} ${whose} are used up; try again in ${retryAfter} s`;
  return new GovctlError('rate_limit_exceeded', message, {
    extra: { message, retry_after: retryAfter, limit, reset_time: timestamp(resetMs) },
    headers: {
      ...rateHeaders(limit, 0, resetMs),
      'X-RateLimit-Retry-After': String(retryAfter),
      'Retry-After': String(retryAfter),
    },
  });
}

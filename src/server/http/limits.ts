import { inThrees } from '../../contract/in-threes.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Clock } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { networkOf } from './address.ts';
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
  /** Requests since they were last saved. */
  unsaved: number;
}

/** What would be counted afresh after a restart. */
export interface RequestCount {
  /** Of the key or client; `all` of all together. */
  readonly id: string;
  readonly windows: Readonly<Partial<Record<WindowName, Readonly<Counter>>>>;
  /** Milliseconds since the epoch: the end of its longest window. */
  readonly ends_at: number;
}

export interface RateLimiter {
  /**
   * Counts one request and gives the headers that describe the window with the least left.
   * @throws GovctlError rate_limit_exceeded where limits are enforced; a refused request is not counted
   */
  take(key: string, isLocal: boolean): Readonly<Record<string, string>>;
  /** The counts of all requests, and of keys with at least so many, that were not saved; `done` when they are. */
  unsaved(least: number): readonly { readonly count: RequestCount; readonly done: () => void }[];
  /** Goes on from saved counts. */
  restore(counts: readonly RequestCount[]): void;
  /**
   * Counts what failed to authenticate under the address it came from.
   * @returns the error to answer: rate_limit_exceeded where limits are enforced and one address failed too often
   */
  failed(error: unknown, address: string | undefined, isLocal: boolean): unknown;
  /**
   * Whether an address failed too often in this minute. Who knows the right secret is let in all the same, as behind a
   * proxy many share an address; but for what somebody could hit upon by trying.
   */
  failedTooOften(address: string | undefined, isLocal: boolean): boolean;
  /**
   * Counts the beginning of a login.
   * @throws GovctlError rate_limit_exceeded where limits are enforced and one address began too many
   */
  loginBegun(address: string | undefined): void;
}

/** Failed authentications in a minute from one address. */
const maxFailures = 60;
/** Logins that are begun in a minute from one address: each is stored, though nobody is known yet. */
const maxLogins = 120;
const addressesKept = 10_000;

const none: Readonly<Record<string, string>> = {};

/**
 * Counts in memory; request-counts.ts saves the counts.
 * @param mode undefined: `report` for requests that are local, `enforce` for others
 */
export function createRateLimiter(mode: RateLimitMode | undefined, clock: Clock): RateLimiter {
  if (mode === 'off') {
    return {
      take: () => none,
      unsaved: () => [],
      restore: () => undefined,
      failed: (error) => error,
      failedTooOften: () => false,
      loginBegun: () => undefined,
    };
  }
  const isEnforced = (isLocal: boolean): boolean => mode === 'enforce' || (!mode && !isLocal);
  const failures = createNetworkCount(clock, {
    most: maxFailures,
    whose: 'with failed authentication from this address',
  });
  const logins = createNetworkCount(clock, {
    most: maxLogins,
    whose: 'to start a login from this address',
  });
  const keys = new Map<string, KeyCounters>();
  const all = { day: { number: 0, count: 0 }, unsaved: 0 };
  let hourOfSweep = 0;

  const countersOf = (key: string, hour: number): KeyCounters => {
    if (hour !== hourOfSweep) {
      hourOfSweep = hour;
      for (const [name, counters] of keys) if (counters.hour.number !== hour) keys.delete(name);
    }
    let counters = keys.get(key);
    if (!counters) {
      counters = { minute: { number: 0, count: 0 }, hour: { number: 0, count: 0 }, unsaved: 0 };
      keys.set(key, counters);
    }
    return counters;
  };

  return {
    take(key, isLocal) {
      const now = clock.now();
      const counters = countersOf(key, Math.floor(now / windows.hour.ms));
      const { minute, hour } = counters;
      const { day } = all;
      // Of windows with as little left, the longest is told of: before it ends, another try is in vain.
      let tightest: WindowName = 'minute';
      let left = remaining(minute, 'minute', now);
      const leftOfHour = remaining(hour, 'hour', now);
      if (leftOfHour <= left) [tightest, left] = ['hour', leftOfHour];
      const leftOfDay = remaining(day, 'day', now);
      if (leftOfDay <= left) [tightest, left] = ['day', leftOfDay];
      const { ms, limit } = windows[tightest];
      const resetMs = (Math.floor(now / ms) + 1) * ms;
      if (left <= 0 && isEnforced(isLocal)) {
        const whose = tightest === 'day' ? 'of all keys combined' : 'of this key';
        throw exceeded({ window: tightest, limit, whose, resetMs, now });
      }
      minute.count += 1;
      hour.count += 1;
      day.count += 1;
      counters.unsaved += 1;
      all.unsaved += 1;
      return rateHeaders(limit, Math.max(0, left - 1), resetMs);
    },
    unsaved(least) {
      const counts = [...keys]
        .filter(([, { unsaved }]) => unsaved >= least)
        .map(([id, counters]) => {
          const { minute, hour } = counters;
          return unsavedCount(id, { minute: { ...minute }, hour: { ...hour } }, counters);
        });
      const total = unsavedCount(ofAll, { day: { ...all.day } }, all);
      return all.unsaved > 0 ? [total, ...counts] : counts;
    },
    restore(counts) {
      for (const { id, windows } of counts) {
        const { minute, hour, day } = windows;
        if (day && id === ofAll) all.day = { ...day };
        if (minute && hour) keys.set(id, { minute: { ...minute }, hour: { ...hour }, unsaved: 0 });
      }
    },
    failed: (error, address, isLocal) =>
      isEnforced(isLocal) && address !== undefined && isFailedAuthentication(error)
        ? (failures.add(networkOf(address)) ?? error)
        : error,
    loginBegun(address) {
      const error = logins.add(networkOf(address));
      if (error && mode !== 'report') throw error;
    },
    failedTooOften: (address, isLocal) =>
      isEnforced(isLocal) && address !== undefined && failures.isUsedUp(networkOf(address)),
  };
}

const ofAll = 'all';

function unsavedCount(
  id: string,
  counts: RequestCount['windows'],
  counters: { unsaved: number },
): ReturnType<RateLimiter['unsaved']>[number] {
  const { unsaved } = counters;
  const { hour, day } = counts;
  const ends = [
    hour && (hour.number + 1) * windows.hour.ms,
    day && (day.number + 1) * windows.day.ms,
  ];
  return {
    count: { id, windows: counts, ends_at: Math.max(...ends.map((end) => end ?? 0)) },
    // Others came meanwhile.
    done: () => void (counters.unsaved -= unsaved),
  };
}

/** What each network did in this minute. */
function createNetworkCount(
  clock: Clock,
  { most, whose }: { readonly most: number; readonly whose: string },
): {
  /** @returns the error to answer where there were too many */
  add(network: string): GovctlError | undefined;
  isUsedUp(network: string): boolean;
} {
  const counts = new Map<string, number>();
  let minute = 0;
  const countOf = (network: string): number => {
    const current = Math.floor(clock.now() / windows.minute.ms);
    if (minute !== current) {
      minute = current;
      counts.clear();
    }
    return counts.get(network) ?? 0;
  };
  return {
    isUsedUp: (network) => countOf(network) >= most,
    add(network) {
      const count = countOf(network) + 1;
      // With very many addresses the oldest is forgotten: memory stays bounded.
      const [oldest] = counts.keys();
      if (oldest !== undefined && counts.size >= addressesKept && count === 1) {
        counts.delete(oldest);
      }
      counts.set(network, count);
      if (count <= most) return undefined;
      const resetMs = (minute + 1) * windows.minute.ms;
      return exceeded({ window: 'minute', limit: most, whose, resetMs, now: clock.now() });
    },
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
  const message = `The limit of ${inThrees(limit)} requests per ${window} ${whose} is exceeded; retry in ${retryAfter} s`;
  return new GovctlError('rate_limit_exceeded', message, {
    extra: { message, retry_after: retryAfter, limit, reset_time: timestamp(resetMs) },
    headers: {
      ...rateHeaders(limit, 0, resetMs),
      'X-RateLimit-Retry-After': String(retryAfter),
      'Retry-After': String(retryAfter),
    },
  });
}

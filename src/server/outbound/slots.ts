import type { Awaitable } from '../awaitable.ts';
import { whenKnown } from '../awaitable.ts';

/** Requests at once, in all and to one host (with its port). */
export interface SlotLimits {
  readonly all: number;
  readonly host: number;
  /** Milliseconds up to which an answer is quick. Default: 1,000. */
  readonly quick?: number;
}

/**
 * Lanes at work at once. Those that wait for their host have nothing on their way, so there may be far more of them than
 * requests.
 */
export const mostLanes = 100_000;

/** Gives a place back. @param tookMs how long the request took; absent: none was made */
type Leave = (tookMs?: number) => void;

export interface Slots {
  /**
   * Waits for a place among the requests to a host, and only then for one among all: those that wait for a host that
   * hangs are in nobody's way.
   */
  take(host: string, signal: AbortSignal): Awaitable<Leave>;
}

/** Places that a host has before it is known, and at least. */
const firstPlaces = 8;
const leastPlaces = 4;
const defaultQuick = 1_000;

/**
 * A host has few places first, twice as many with each quick answer, and half as many with each request that took long:
 * so it takes very many hosts that hang to use up the places of all.
 */
export function createSlots(limits: SlotLimits): Slots {
  const all = createLimit(limits.all);
  const hosts = new Map<string, Limit>();
  const least = Math.min(leastPlaces, limits.host);
  const { quick = defaultQuick } = limits;
  return {
    take(host, signal) {
      const limit = hosts.get(host) ?? createLimit(Math.min(firstPlaces, limits.host));
      hosts.set(host, limit);
      const leaveHost: Leave = (tookMs) => {
        if (tookMs !== undefined) {
          const places = tookMs < quick ? limit.most() * 2 : limit.most() / 2;
          limit.resize(Math.max(least, Math.min(Math.floor(places), limits.host)));
        }
        limit.leave();
        if (limit.isIdle()) hosts.delete(host);
      };
      return whenKnown(limit.enter(signal), () => {
        const entered = all.enter(signal);
        const leave: Leave = (tookMs) => {
          all.leave();
          leaveHost(tookMs);
        };
        if (!(entered instanceof Promise)) return leave;
        return entered.then(
          () => leave,
          (error: unknown) => {
            leaveHost();
            throw error;
          },
        );
      });
    },
  };
}

interface Limit {
  /** In the order of asking. Rejects with the signal's reason. */
  enter(signal: AbortSignal): Awaitable<void>;
  leave(): void;
  most(): number;
  /** Whoever is in stays. */
  resize(most: number): void;
  /** Nobody is in, and nobody waits. */
  isIdle(): boolean;
}

function createLimit(first: number): Limit {
  let most = first;
  let inside = 0;
  const waiting = new Set<() => void>();
  const admit = (): void => {
    for (const next of waiting) {
      if (inside >= most) return;
      waiting.delete(next);
      inside += 1;
      next();
    }
  };
  return {
    enter(signal) {
      signal.throwIfAborted();
      if (inside < most) {
        inside += 1;
        return undefined;
      }
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          waiting.delete(goIn);
          reject(signal.reason as Error); // an AbortSignal's reason is one, unless someone gave another
        };
        const goIn = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        };
        waiting.add(goIn);
        signal.addEventListener('abort', giveUp, { once: true });
      });
    },
    leave() {
      inside -= 1;
      admit();
    },
    most: () => most,
    resize(next) {
      most = next;
      admit();
    },
    isIdle: () => inside === 0 && waiting.size === 0,
  };
}

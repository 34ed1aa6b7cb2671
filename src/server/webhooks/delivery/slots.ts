import type { Awaitable } from '../../awaitable.ts';
import { whenKnown } from '../../awaitable.ts';

/** Requests at once, in all and to one host (with its port). */
export interface SlotLimits {
  readonly all: number;
  readonly host: number;
}

export interface Slots {
  /**
   * Waits for a place among the requests to a host, and only then for one among all: those that wait for a host that
   * hangs are in nobody's way.
   * @returns gives the place back
   */
  take(host: string, signal: AbortSignal): Awaitable<() => void>;
}

export function createSlots(limits: SlotLimits): Slots {
  const all = createLimit(limits.all);
  const hosts = new Map<string, Limit>();
  return {
    take(host, signal) {
      const limit = hosts.get(host) ?? createLimit(limits.host);
      hosts.set(host, limit);
      const leaveHost = (): void => {
        limit.leave();
        if (limit.isIdle()) hosts.delete(host);
      };
      return whenKnown(limit.enter(signal), () => {
        const entered = all.enter(signal);
        const leave = (): void => {
          all.leave();
          leaveHost();
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
  /** Nobody is in, and nobody waits. */
  isIdle(): boolean;
}

function createLimit(most: number): Limit {
  let inside = 0;
  const waiting = new Set<() => void>();
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
      const [next] = waiting;
      if (next === undefined) {
        inside -= 1;
        return;
      }
      // The place goes from one to the other.
      waiting.delete(next);
      next();
    },
    isIdle: () => inside === 0 && waiting.size === 0,
  };
}

import { TimeUp } from './time-up.ts';

/** Places of which each is had by one at a time. */
export interface Turns {
  /**
   * Resolves when there is a place. Owners that wait are served in turn, whatever each has waiting; what one owner
   * waits for, in the order in which it came.
   * @returns gives it back
   * @param withinMs milliseconds that it waits at most; absent: any time
   * @throws TimeUp, or the reason of `signal` where that is aborted before
   */
  take(signal: AbortSignal, owner?: string, withinMs?: number): Promise<() => void>;
}

export function createTurns(most: number): Turns {
  let taken = 0;
  /** By owner, those served longest ago first. */
  const waiting = new Map<string, Set<() => void>>();
  const giveBack = (): void => {
    const [served] = waiting;
    if (!served) {
      taken -= 1;
      return;
    }
    const [owner, places] = served;
    waiting.delete(owner);
    const [next] = places;
    if (!next) return giveBack();
    places.delete(next);
    if (places.size > 0) waiting.set(owner, places);
    next();
  };
  return {
    async take(signal, owner = '', withinMs) {
      signal.throwIfAborted();
      if (taken < most) {
        taken += 1;
        return giveBack;
      }
      const places = waiting.get(owner) ?? new Set();
      waiting.set(owner, places);
      await placeInTime(places, signal, withinMs);
      return giveBack;
    },
  };
}

const placeInTime = (
  waiting: Set<() => void>,
  signal: AbortSignal,
  withinMs: number | undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      waiting.delete(onPlace);
      signal.removeEventListener('abort', onAbort);
    };
    const onPlace = (): void => {
      end();
      resolve();
    };
    const giveUp = (error: Error): void => {
      end();
      reject(error);
    };
    const onAbort = (): void => giveUp(signal.reason as Error); // whatever it was aborted with
    const onTime = (): void => giveUp(new TimeUp(`no place within ${withinMs} ms`));
    const timer = withinMs === undefined ? undefined : setTimeout(onTime, withinMs);
    signal.addEventListener('abort', onAbort, { once: true });
    waiting.add(onPlace);
  });

/** Places of which each is had by one at a time. */
export interface Turns {
  /**
   * Resolves when there is a place. Owners that wait are served in turn, whatever each has waiting; what one owner
   * waits for, in the order in which it came.
   * @returns gives it back
   * @throws the reason of `signal` where that is aborted before
   */
  take(signal: AbortSignal, owner?: string): Promise<() => void>;
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
    async take(signal, owner = '') {
      signal.throwIfAborted();
      if (taken < most) {
        taken += 1;
        return giveBack;
      }
      const places = waiting.get(owner) ?? new Set();
      waiting.set(owner, places);
      await placeOrAbort(places, signal);
      return giveBack;
    },
  };
}

const placeOrAbort = (waiting: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const onPlace = (): void => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = (): void => {
      waiting.delete(onPlace);
      reject(signal.reason as Error); // whatever it was aborted with
    };
    signal.addEventListener('abort', onAbort, { once: true });
    waiting.add(onPlace);
  });

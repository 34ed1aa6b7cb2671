/** Places of which each is had by one at a time; who comes first is served first. */
export interface Turns {
  /**
   * Resolves when there is a place.
   * @returns gives it back
   * @throws the reason of `signal` where that is aborted before
   */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createTurns(most: number): Turns {
  let taken = 0;
  const waiting = new Set<() => void>();
  const giveBack = (): void => {
    const [next] = waiting;
    if (!next) {
      taken -= 1;
      return;
    }
    waiting.delete(next);
    next();
  };
  return {
    async take(signal) {
      signal.throwIfAborted();
      if (taken < most) taken += 1;
      else await placeOrAbort(waiting, signal);
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

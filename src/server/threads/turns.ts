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

/** @param mostOfOwner places that one owner has at once */
export function createTurns(most: number, mostOfOwner = most): Turns {
  let taken = 0;
  const takenBy = new Map<string, number>();
  /** By owner, those served longest ago first. */
  const waiting = new Map<string, Set<() => void>>();

  const isFree = (owner: string): boolean =>
    taken < most && (takenBy.get(owner) ?? 0) < mostOfOwner;

  function occupy(owner: string): () => void {
    taken += 1;
    takenBy.set(owner, (takenBy.get(owner) ?? 0) + 1);
    return () => {
      taken -= 1;
      const left = (takenBy.get(owner) ?? 1) - 1;
      if (left > 0) takenBy.set(owner, left);
      else takenBy.delete(owner);
      serveNext();
    };
  }

  function serveNext(): void {
    for (const [owner, places] of waiting) {
      const [next] = places;
      if (next && !isFree(owner)) continue;
      waiting.delete(owner);
      if (!next) continue;
      places.delete(next);
      if (places.size > 0) waiting.set(owner, places);
      next();
      return;
    }
  }

  return {
    async take(signal, owner = '', withinMs) {
      signal.throwIfAborted();
      if (isFree(owner)) return occupy(owner);
      const places = waiting.get(owner) ?? new Set();
      waiting.set(owner, places);
      return placeInTime({ places, occupy: () => occupy(owner) }, signal, withinMs);
    },
  };
}

const placeInTime = (
  { places, occupy }: { readonly places: Set<() => void>; readonly occupy: () => () => void },
  signal: AbortSignal,
  withinMs: number | undefined,
): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      places.delete(onPlace);
      signal.removeEventListener('abort', onAbort);
    };
    const onPlace = (): void => {
      end();
      resolve(occupy());
    };
    const giveUp = (error: Error): void => {
      end();
      reject(error);
    };
    const onAbort = (): void => giveUp(signal.reason as Error); // whatever it was aborted with
    const onTime = (): void => giveUp(new TimeUp(`no place within ${withinMs} ms`));
    const timer = withinMs === undefined ? undefined : setTimeout(onTime, withinMs);
    signal.addEventListener('abort', onAbort, { once: true });
    places.add(onPlace);
  });

import { TimeUp } from './time-up.ts';

/** A semaphore that is fair between owners. */
export interface Turns {
  /**
   * Waits for a place. Waiting owners are served round robin, however many waits each has; the waits of one owner are
   * served in order.
   * @param signal who waits leaves; default: never
   * @param withinMs maximum wait in milliseconds; default: no maximum
   * @returns a function that gives the place back
   * @throws TimeUp, or the reason of `signal` if it is aborted first
   */
  take(signal?: AbortSignal, owner?: string, withinMs?: number): Promise<() => void>;
}

/** @param mostOfOwner maximum places of one owner at a time */
export function createTurns(most: number, mostOfOwner = most): Turns {
  let taken = 0;
  const takenBy = new Map<string, number>();
  /** Waits by owner; the owner served longest ago comes first. */
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
      signal?.throwIfAborted();
      if (isFree(owner)) return occupy(owner);
      const places = waiting.get(owner) ?? new Set();
      waiting.set(owner, places);
      return placeInTime({ places, occupy: () => occupy(owner) }, signal, withinMs);
    },
  };
}

const placeInTime = (
  { places, occupy }: { readonly places: Set<() => void>; readonly occupy: () => () => void },
  signal: AbortSignal | undefined,
  withinMs: number | undefined,
): Promise<() => void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      places.delete(onPlace);
      signal?.removeEventListener('abort', onAbort);
    };
    const onPlace = (): void => {
      end();
      resolve(occupy());
    };
    const giveUp = (error: Error): void => {
      end();
      reject(error);
    };
    const onAbort = (): void => giveUp(signal?.reason as Error); // abort reasons in this program are errors
    const onTime = (): void => giveUp(new TimeUp(`no free thread within ${withinMs} ms`));
    const timer = withinMs === undefined ? undefined : setTimeout(onTime, withinMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    places.add(onPlace);
  });

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../deps.ts';
import { createTurns } from '../threads/turns.ts';

/** Who waits in which queue. */
type Queue = 'known' | 'stranger';

/** Those that wait, of each queue. */
const mostWaiting = 8;

export interface Hashing {
  /** Runs one at a time. @returns undefined: too many wait already, and nothing was done */
  run<T>(queue: Queue, work: () => Promise<T>): Promise<T | undefined>;
}

/**
 * One hash at a time, as each takes a core, much memory, and one of the few threads that the journal is written with.
 * Browsers that somebody signed in with before wait for one hash of strangers at most; strangers get half of a core.
 */
export function createHashing(clock: Clock): Hashing {
  const all = createTurns(1);
  const strangers = createTurns(1);
  const waiting = { known: 0, stranger: 0 };

  const hash = async <T>(work: () => Promise<T>): Promise<T> => {
    const leave = await all.take();
    return work().finally(leave);
  };
  const hashOfStranger = async <T>(work: () => Promise<T>): Promise<T> => {
    const leave = await strangers.take();
    const started = clock.monotonic();
    return hash(work).finally(() => {
      const took = Math.max(0, clock.monotonic() - started);
      void sleep(took, undefined, { ref: false }).then(leave);
    });
  };

  return {
    async run(queue, work) {
      if (waiting[queue] >= mostWaiting) return undefined;
      waiting[queue] += 1;
      const running = queue === 'known' ? hash(work) : hashOfStranger(work);
      return running.finally(() => (waiting[queue] -= 1));
    },
  };
}

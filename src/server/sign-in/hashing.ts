import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../deps.ts';
import { createTurns } from '../threads/turns.ts';

/** Who waits in which queue. */
type Queue = 'known' | 'stranger';

/** Those that wait, of each queue, and of one account there: strangers are paced once five tries of an account were wrong. */
const mostWaiting = 8;
const mostOfAccount = { known: 2, stranger: 5 };

interface Asked {
  readonly queue: Queue;
  /** Whose password it is: one account leaves room for others, also where the passwords are right. */
  readonly account: string;
}

export interface Hashing {
  /** Runs one at a time. @returns undefined: too many wait already, and nothing was done */
  run<T>(asked: Asked, work: () => Promise<T>): Promise<T | undefined>;
}

/**
 * One hash at a time, as each takes a core, much memory, and one of the few threads that the journal is written with.
 * Browsers that somebody signed in with before wait for one hash of strangers at most; strangers get half of a core.
 */
export function createHashing(clock: Clock): Hashing {
  const all = createTurns(1);
  const strangers = createTurns(1);
  const waiting: Record<Queue, string[]> = { known: [], stranger: [] };

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
    async run({ queue, account }, work) {
      const before = waiting[queue];
      const ofAccount = before.filter((other) => other === account).length;
      if (before.length >= mostWaiting || ofAccount >= mostOfAccount[queue]) return undefined;
      before.push(account);
      const running = queue === 'known' ? hash(work) : hashOfStranger(work);
      return running.finally(() => before.splice(before.indexOf(account), 1));
    },
  };
}

import type { Awaitable } from '../awaitable.ts';
import type { LaneRunner } from '../lanes/runner.ts';
import type { LaneSpec, Store } from '../store/store.ts';

/** What works in the background, as far as moving the clock needs to know it. */
export interface Worker {
  /** When its next work is due, in milliseconds since the epoch; undefined: none waits. */
  nextDue(): Awaitable<number | undefined>;
  /** Resolves when it has done what is due now. */
  settle(): Promise<void>;
}

export const laneWorker = (store: Store, lanes: LaneSpec, runner: LaneRunner): Worker => ({
  nextDue: () => store.nextDue(lanes),
  settle() {
    runner.poke();
    return runner.idle();
  },
});

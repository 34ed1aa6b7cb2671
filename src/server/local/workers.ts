import type { Awaitable } from '../awaitable.ts';
import type { BackgroundEvaluator } from '../evaluation/background-evaluator.ts';
import { evaluationWork } from '../evaluation/work.ts';
import type { LaneRunner } from '../lanes/runner.ts';
import type { LaneSpec, Reader, Store } from '../store/store.ts';

/** What works in the background, as far as moving the clock needs to know it. */
export interface Worker {
  /** When its next work is due, in milliseconds since the epoch; undefined: none waits. */
  nextDue(): Awaitable<number | undefined>;
  /** Resolves when it has done what is due now. */
  settle(): Promise<void>;
}

export const evaluationWorker = (store: Reader, evaluator: BackgroundEvaluator): Worker => ({
  async nextDue() {
    const first = { orderBy: 'due_at', direction: 'asc', limit: 1 } as const;
    const { rows } = await store.page(evaluationWork, first);
    return rows[0]?.doc.due_at;
  },
  settle: () => evaluator.run(),
});

export const laneWorker = (store: Store, lanes: LaneSpec, runner: LaneRunner): Worker => ({
  nextDue: () => store.nextDue(lanes),
  settle() {
    runner.poke();
    return runner.idle();
  },
});

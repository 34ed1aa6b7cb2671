import { nextTurn } from './next-turn.ts';

/** Evaluations between two turns of others: some milliseconds. */
const perTurn = 2_000;

/** Lets others have their turn. */
export interface Pace {
  /** @throws the reason of the signal once it is aborted */
  spend(cost: number): Promise<void>;
}

export function createPace(signal: AbortSignal): Pace {
  let spent = 0;
  return {
    async spend(cost) {
      signal.throwIfAborted();
      spent += cost;
      if (spent < perTurn) return;
      spent = 0;
      await nextTurn();
      signal.throwIfAborted();
    },
  };
}

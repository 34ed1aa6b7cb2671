import { nextTurn } from '../../next-turn.ts';

/** Items compared, read or moved between two turns of others: some tenths of a millisecond. */
export const PER_TURN = 2048;

/** Gives others their turn each time enough work is done. */
export interface Turns {
  /** Undefined: there is no need yet. @param items that were gone through */
  spend(items: number): Promise<void> | undefined;
}

export const createTurns = (): Turns => {
  let spent = 0;
  return {
    spend(items) {
      spent += items;
      if (spent < PER_TURN) return undefined;
      spent = 0;
      return nextTurn();
    },
  };
};

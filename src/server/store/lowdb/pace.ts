import { nextTurn } from '../../next-turn.ts';

/** Items compared, read or moved between two yields: some tenths of a millisecond. */
export const PER_TURN = 2048;

/** Yields to the event loop each time enough work is done. */
export interface Pace {
  /** @param items processed since the last call. @returns undefined if there is no need to yield yet */
  spend(items: number): Promise<void> | undefined;
}

export const createPace = (): Pace => {
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

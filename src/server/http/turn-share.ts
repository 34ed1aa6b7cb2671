import type { Awaitable } from '../awaitable.ts';
import { nextTurn } from '../next-turn.ts';

/** Characters of answers that are made for one caller in one turn of the event loop, before the next one waits. */
const mostInTurn = 1 << 18;
/** Answers below are quick to make: how many there are is the rate limit's. */
const counted = 1 << 14;

/** Shares the turns of the event loop between callers: requests for long answers that come at once are answered in turn. */
export interface TurnShare {
  /** Waits for a turn where much was made for this caller in the present one. */
  next(caller: string): Awaitable<void>;
  /** So many characters were made for a caller. */
  made(caller: string, characters: number): void;
}

export function createTurnShare(): TurnShare {
  const inThisTurn = new Map<string, number>();
  return {
    next: (caller) => ((inThisTurn.get(caller) ?? 0) < mostInTurn ? undefined : nextTurn()),
    made(caller, characters) {
      if (characters < counted) return;
      if (inThisTurn.size === 0) setImmediate(() => inThisTurn.clear());
      inThisTurn.set(caller, (inThisTurn.get(caller) ?? 0) + characters);
    },
  };
}

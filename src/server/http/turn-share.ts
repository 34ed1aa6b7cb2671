import type { Awaitable } from '../awaitable.ts';
import { createTurnQueue, nextTurn } from '../next-turn.ts';

/** Shares the turns of the event loop between callers: what takes long and is asked for at once is done in turn. */
export interface TurnShare {
  /** Waits for a turn where much was done for this caller in the present one. */
  next(caller: string): Awaitable<void>;
  /** So many characters were made, or bytes read, for a caller. */
  made(caller: string, length: number): void;
}

interface Share {
  /** For one caller in one turn, before the next one waits. */
  readonly mostInTurn: number;
  /** What is shorter takes no time. */
  readonly counted: number;
  readonly wait: () => Promise<void>;
}

/** Of answers: those below 16 KiB are quick to make, and how many there are is the rate limit's. */
export const createAnswerTurns = (): TurnShare =>
  createTurnShare({ mostInTurn: 1 << 18, counted: 1 << 14, wait: nextTurn });

/**
 * Of bodies, which are parsed and checked once they are there: those of hundreds of connections may end in one turn. They
 * wait in a queue of their own, so that nothing else waits for all of them.
 */
export const createBodyTurns = (): TurnShare =>
  createTurnShare({ mostInTurn: 1 << 16, counted: 0, wait: createTurnQueue() });

function createTurnShare({ mostInTurn, counted, wait }: Share): TurnShare {
  const inThisTurn = new Map<string, number>();
  return {
    next: (caller) => ((inThisTurn.get(caller) ?? 0) < mostInTurn ? undefined : wait()),
    made(caller, length) {
      if (length < counted) return;
      if (inThisTurn.size === 0) setImmediate(() => inThisTurn.clear());
      inThisTurn.set(caller, (inThisTurn.get(caller) ?? 0) + length);
    },
  };
}

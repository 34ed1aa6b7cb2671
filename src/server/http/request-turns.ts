import { createTurnQueue } from '../next-turn.ts';

/** A connection, as far as it says when its requests are begun. */
interface Asking {
  /** What its caller's connections share. */
  readonly group: string;
  /** Whether it has shown a valid token. */
  readonly isKnown: boolean;
  /** Whether it has sent a request before. */
  readonly hasAsked: boolean;
}

/** Requests of one caller that are begun in a turn of the event loop before its next ones wait. */
const mostOfCaller = 16;

/**
 * Keeps turns short while a caller sends requests over hundreds of connections: each turn accepts one connection only, so
 * somebody new would wait as many turns as others came before. The first request of a connection is begun at once. Of
 * connections without a token, one more is begun in each turn; of a caller, some.
 * @returns what a request waits for before it is begun, if anything
 */
export function createRequestTurns(): (connection: Asking) => Promise<void> | undefined {
  const turnOfUnknown = createTurnQueue();
  const turnOfKnown = createTurnQueue();
  const begun = new Map<string, number>();
  return ({ group, isKnown, hasAsked }) => {
    if (!hasAsked) return undefined;
    if (!isKnown) return turnOfUnknown();
    if (begun.size === 0) setImmediate(() => begun.clear());
    const inThisTurn = (begun.get(group) ?? 0) + 1;
    begun.set(group, inThisTurn);
    return inThisTurn > mostOfCaller ? turnOfKnown() : undefined;
  };
}

import { connectionsAccepted, createTurnQueue } from '../next-turn.ts';

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
/** The same while connections come in turn after turn. */
const mostWhileAccepting = 1;

/** Requests of those that have shown the same token. */
interface Caller {
  /** How many began in this turn. */
  begun: number;
  readonly waiting: (() => void)[];
}

/**
 * Keeps turns short while a caller sends requests over hundreds of connections: each turn accepts one connection only, so
 * somebody new would wait as many turns as others came before. The first request of a connection is begun at once. Of
 * connections without a token, one more is begun in each turn; of each caller, some, or one while others wait to be
 * accepted.
 * @returns what a request waits for before it is begun, if anything
 */
export function createRequestTurns(): (connection: Asking) => Promise<void> | undefined {
  const turnOfUnknown = createTurnQueue();
  const callers = new Map<string, Caller>();
  let accepted = 0;
  let most = mostOfCaller;

  const nextTurn = (): void => {
    most = connectionsAccepted() === accepted ? mostOfCaller : mostWhileAccepting;
    accepted = connectionsAccepted();
    for (const [group, caller] of callers) {
      const next = caller.waiting.splice(0, most);
      caller.begun = next.length;
      if (next.length === 0) callers.delete(group);
      for (const begin of next) begin();
    }
    if (callers.size > 0) setImmediate(nextTurn);
  };
  const callerOf = (group: string): Caller => {
    const known = callers.get(group);
    if (known) return known;
    if (callers.size === 0) setImmediate(nextTurn);
    const caller = { begun: 0, waiting: [] };
    callers.set(group, caller);
    return caller;
  };
  return ({ group, isKnown, hasAsked }) => {
    if (!hasAsked) return undefined;
    if (!isKnown) return turnOfUnknown();
    const caller = callerOf(group);
    if (caller.begun >= most) return new Promise((resolve) => caller.waiting.push(resolve));
    caller.begun += 1;
    return undefined;
  };
}

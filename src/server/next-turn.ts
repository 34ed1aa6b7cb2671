/** Turns in a row that work gives away while each of them accepts a connection. */
const mostGiven = 64;

/** Connections accepted in this process. */
let accepted = 0;

/**
 * A connection was accepted. Each turn of the event loop accepts one at most, so others may be waiting, as many turns as
 * they are: work that is done in turns lets them pass.
 */
export const connectionAccepted = (): void => void (accepted += 1);

/** How many connections were accepted so far: where it grows from turn to turn, more are waiting. */
export const connectionsAccepted = (): number => accepted;

/**
 * A queue of work that is done in turns. What it returns lets others have their turn: requests, answers, connections. Of all
 * that waits in one queue, one goes on in each turn of the event loop, so that turns stay short however much works at once.
 */
export function createTurnQueue(): () => Promise<void> {
  /** What goes on in its turn, one piece of work in each. */
  const waiting: (() => void)[] = [];
  let isTurning = false;
  const turn = (before: number, given: number): void => {
    setImmediate(() => {
      if (accepted !== before && given < mostGiven) return turn(accepted, given + 1);
      waiting.shift()?.();
      if (waiting.length > 0) turn(accepted, 0);
      else isTurning = false;
    });
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (isTurning) return;
      isTurning = true;
      turn(accepted, 0);
    });
}

/** The queue of everything that is asked for by those who may. */
export const nextTurn = createTurnQueue();

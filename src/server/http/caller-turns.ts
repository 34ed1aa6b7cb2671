import { createTurns } from '../threads/turns.ts';
import type { Call } from './call.ts';

/** Answers that are made at once, and for one caller. */
const mostAtOnce = 4;
const mostOfCaller = 1;

export type CallerTurns = <T>(
  call: Pick<Call, 'principal' | 'signal'>,
  work: () => Promise<T>,
) => Promise<T>;

/** For answers that look at very many rows: each caller's are made one after the other. */
export function createCallerTurns(): CallerTurns {
  const turns = createTurns(mostAtOnce, mostOfCaller);
  return async ({ principal, signal }, work) => {
    const leave = await turns.take(signal, principal.countedAs);
    return work().finally(leave);
  };
}

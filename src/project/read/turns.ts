import { setImmediate as nextTurn } from 'node:timers/promises';
import { GovctlError } from '../../contract/errors.ts';

/**
 * Gives whoever waits (the network, a spinner, Ctrl-C) a turn at each `every`th call.
 * @throws GovctlError interrupted, from the function it returns, once the signal is given
 */
export function takingTurns(every: number, signal: AbortSignal | undefined): () => Promise<void> {
  let calls = 0;
  return async () => {
    if (calls++ % every !== 0) return;
    await nextTurn();
    if (signal?.aborted) throw new GovctlError('interrupted', 'Interrupted; nothing was changed');
  };
}

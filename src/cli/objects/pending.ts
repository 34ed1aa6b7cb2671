import type { Client } from '../../client/client.ts';
import type { PendingEvaluation } from '../../contract/pending-evaluation.ts';
import type { Context } from '../context.ts';
import { count } from '../terminal/printable.ts';
import { waitUntilEnded } from './wait.ts';

/** Warns that what was shown may lack the results of evaluations that are pending. */
export async function warnOfPending(
  context: Pick<Context, 'warn'>,
  pending: PendingEvaluation | undefined,
): Promise<void> {
  if (pending) await context.warn(`evaluation is not complete${whatIsPending(pending)}`);
}

function whatIsPending({ evaluations, policies }: PendingEvaluation): string {
  if (evaluations === 0) return '';
  const verb = evaluations === 1 ? 'is' : 'are';
  const some = `${count(evaluations, 'evaluation')} of ${count(policies, 'policy', 'policies')}`;
  return `: ${some} ${verb} pending`;
}

/** Waits until nothing is pending, or the timeout. @returns what is pending then */
export const waitUntilEvaluated = (
  { world }: Pick<Context, 'world'>,
  client: Client,
  pending: PendingEvaluation | undefined,
  { timeoutMs, update }: { readonly timeoutMs: number; readonly update: (text: string) => void },
): Promise<PendingEvaluation | undefined> =>
  waitUntilEnded(world, pending, {
    timeoutMs,
    isUnderway: (one) => one !== undefined,
    lookLater: 'Use `govctl overview` to see what is pending.',
    look: async () => {
      const { data } = await client.evaluations.list({ query: { limit: '1' } });
      if (data.pending) update(`Evaluating${whatIsPending(data.pending)}`);
      return data.pending;
    },
  });

import { GovctlError } from '../../contract/errors.ts';
import type { Evaluation } from './evaluation.ts';
import type { StoredSubject, Verdicts } from './verdicts.ts';
import type { Asker } from '../threads/threads.ts';
import type { Clock } from '../deps.ts';

/** Policies or resources have changed between evaluation and transaction: it is to be evaluated again. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/** Times that a request evaluates: others would have to change its policies again and again meanwhile. */
const mostTries = 10;

/**
 * Evaluates first, then writes: conditions run outside of transactions. What has changed by then is evaluated again.
 * @param write in a transaction; throws Outdated where the verdicts are not of what is stored by now
 * @throws GovctlError unavailable
 */
export async function evaluateAndWrite<R>(
  { evaluation, clock }: { readonly evaluation: Evaluation; readonly clock: Clock },
  asker: Asker,
  subjectsOf: () => Promise<readonly StoredSubject[]>,
  write: (verdicts: Verdicts) => Promise<R>,
): Promise<R> {
  for (let tries = 1; ; tries += 1) {
    const subjects = await subjectsOf();
    const verdicts = await evaluation.ofStored(asker, {
      now: clock.now(),
      subjects,
      request: true,
    });
    try {
      return await write(verdicts);
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
      if (tries === mostTries) {
        throw new GovctlError(
          'unavailable',
          'Policies kept changing during the evaluation; nothing was changed',
          {
            cause: error,
            headers: { 'Retry-After': '1' },
          },
        );
      }
    }
  }
}

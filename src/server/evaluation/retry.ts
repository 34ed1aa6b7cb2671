import { GovctlError } from '../../contract/errors.ts';
import type { Evaluation } from './evaluation.ts';
import type { StoredSubject, Verdicts } from './verdicts.ts';
import type { Asker } from '../threads/threads.ts';
import type { Clock } from '../deps.ts';

/** Policies or resources changed between evaluation and transaction, so the evaluation must be repeated. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/** Maximum evaluations per request. Only constant changes to its policies by others can reach this. */
const mostTries = 10;

/**
 * Evaluates, then writes, because conditions must not run in transactions. If something changed in between, evaluates again.
 * @param write runs in a transaction; throws Outdated if the stored policies or resources differ from the evaluated ones
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
      flips: true,
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

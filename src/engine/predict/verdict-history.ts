import type { Violation } from '../../contract/violations.ts';
import type { PairRecord, VerdictHistory } from './recurrence.ts';

type Change = Violation['history'][number];

/** Status changes that a violation stores: if it has this many, earlier ones are lost. */
const mostChanges = 20;
/** A violation that is found so soon after its policy and resource came together was there from the beginning. */
const soon = 3_600_000;

/**
 * The verdicts behind the statuses of a violation.
 * @param since when its policy and its resource came together, in milliseconds since the epoch
 */
export function verdictHistory(changes: readonly Change[], since: number): VerdictHistory {
  const [first] = changes;
  const history: [at: number, state: PairRecord['state']][] = [];
  if (!first) return [[since, 'PASS']];
  if (changes.length < mostChanges && Date.parse(first.at) - since > soon) {
    history.push([since, 'PASS']);
  }
  for (const change of changes) {
    const state = stateAfter(change);
    if (state && state !== history.at(-1)?.[1]) history.push([Date.parse(change.at), state]);
  }
  return history;
}

/** Undefined where the verdict stayed as it was: somebody resolved the violation by hand. */
function stateAfter({ status, cause }: Change): PairRecord['state'] | undefined {
  if (status !== 'RESOLVED') return 'FAIL';
  if (cause === 'manual') return undefined;
  return cause === 'passes' ? 'PASS' : 'gone';
}

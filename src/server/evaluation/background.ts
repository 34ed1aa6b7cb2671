import type { Deps } from '../deps.ts';
import { expireExemption } from '../exemptions/expire.ts';
import type { LaneRunnerOptions } from '../lanes/runner.ts';
import { scanStep } from '../scans/scan-step.ts';
import type { Evaluation } from './evaluation.ts';
import { createJudge } from './judge.ts';
import { policyStep } from './policy-step.ts';
import { beginStep } from './step.ts';
import { evaluationLanes, evaluationWork } from './work.ts';

/** Evaluations that one step is about: a resource's policies are not split, so it may be a few more. */
const mostEvaluations = 2_000;
/** Pieces of work under way at once: one evaluates while another writes down what it found. */
const mostAtOnce = 2;

/**
 * The background evaluation. A step evaluates outside of any transaction, and writes down what it found, and how far it
 * came, in short ones.
 */
export const backgroundEvaluation = (
  deps: Deps,
  evaluation: Evaluation,
  most = mostEvaluations,
): LaneRunnerOptions => ({
  lanes: evaluationLanes,
  most: mostAtOnce,
  async perform(claimed, signal) {
    const row = await deps.store.get(evaluationWork, claimed.work);
    if (!row) {
      await deps.store.transact((tx) => tx.complete(evaluationLanes, claimed));
    } else if (row.doc.due_at > deps.clock.now()) {
      // The clock was set back.
      await deps.store.transact((tx) => tx.putOff(evaluationLanes, claimed.lane, row.doc.due_at));
    } else if (row.doc.kind === 'expiry') {
      await deps.store.transact((tx) => expireExemption(createJudge(deps, tx), row.doc.id));
    } else {
      const step = beginStep(deps, evaluation, { claimed, revision: row.revision, signal, most });
      await (row.doc.kind === 'policy' ? policyStep(step, row.doc) : scanStep(step, row.doc));
    }
  },
});

import type { Deps } from '../deps.ts';
import { expireExemption } from '../exemptions/expire.ts';
import type { LaneRunnerOptions } from '../lanes/runner.ts';
import { scanStep } from '../scans/scan-step.ts';
import type { Evaluation } from './evaluation.ts';
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
      return;
    }
    const { doc: work } = row;
    const step = beginStep(deps, evaluation, { claimed, signal, most });
    if (work.due_at > deps.clock.now()) {
      // The clock was set back.
      await step.write(async ({ tx }) => {
        await tx.putOff(evaluationLanes, claimed.lane, work.due_at);
        return {};
      });
    } else if (work.kind === 'expiry') {
      await step.write(async (judge) => {
        await expireExemption(judge, work.id);
        return {};
      });
    } else await (work.kind === 'policy' ? policyStep(step, work) : scanStep(step, work));
  },
});

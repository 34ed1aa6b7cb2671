import type { PredictionMethod } from '../../contract/predictions.ts';
import type { Deps } from '../deps.ts';
import { coverStep, expireExemption } from '../exemptions/expire.ts';
import type { LaneRunnerOptions } from '../lanes/runner.ts';
import { scanStep } from '../scans/scan-step.ts';
import { forecastStep } from '../prediction/forecast-step.ts';
import type { Evaluation } from './evaluation.ts';
import { policyStep } from './policy-step.ts';
import { beginStep } from './step.ts';
import { evaluationLanes, evaluationWork } from './work.ts';

/** Evaluations per step. A resource's policies are not split, so a step can have a few more. */
const mostEvaluations = 2_000;
/** Work items at once: one evaluates while another stores its results. */
const mostAtOnce = 2;

/**
 * Runs the background evaluation. Each step evaluates outside transactions, and stores results and progress in short
 * transactions.
 * @param methods of prediction that are on
 */
export const backgroundEvaluation = (
  deps: Deps,
  evaluation: Evaluation,
  methods: ReadonlySet<PredictionMethod>,
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
    } else if (work.kind === 'cover') {
      await step.write(async (judge) => {
        await coverStep(judge, work);
        return {};
      });
    } else if (work.kind === 'forecast') await forecastStep(step, work, methods);
    else await (work.kind === 'policy' ? policyStep(step, work) : scanStep(step, work));
  },
});

import type { Deps } from '../../../src/server/deps.ts';
import { backgroundEvaluation } from '../../../src/server/evaluation/background.ts';
import { createEvaluation } from '../../../src/server/evaluation/evaluation.ts';
import type { Evaluation } from '../../../src/server/evaluation/evaluation.ts';
import { createEvaluationThreads } from '../../../src/server/evaluation/thread/threads.ts';
import { evaluationLanes } from '../../../src/server/evaluation/work.ts';
import type { ServerConfig } from '../../../src/server/config/config.ts';
import { methodsOf } from '../../../src/server/prediction/service.ts';
import { createLaneRunner } from '../../../src/server/lanes/runner.ts';

export const testEvaluation = (deps: Deps): Evaluation =>
  createEvaluation(deps, createEvaluationThreads());

/** The background evaluation, which does nothing by itself. @param most evaluations that one step is about */
export function testEvaluator(
  deps: Deps,
  most?: number,
  evaluation = testEvaluation(deps),
  config: ServerConfig = {},
) {
  const work = backgroundEvaluation(deps, evaluation, methodsOf(config), most);
  return {
    /** One step of what is due. @returns whether there was any */
    async step(): Promise<boolean> {
      const now = deps.clock.now();
      const [claimed] = await deps.store.claim(evaluationLanes, { now, most: 1 });
      if (!claimed) return false;
      try {
        await work.perform(claimed, new AbortController().signal);
      } finally {
        await deps.store.release(evaluationLanes, claimed);
      }
      return true;
    },
    /** Goes on until nothing is due. */
    async run(): Promise<void> {
      const runner = createLaneRunner(deps, work);
      await runner.idle();
      await runner.stop(1_000);
    },
  };
}

import { endEvaluation, startEvaluation } from '../../src/engine/condition/budget.ts';
import * as backEnds from '../../src/engine/condition/create-evaluator.ts';
import type { Evaluator } from '../../src/engine/condition/evaluate.ts';
import type { Program } from '../../src/engine/condition/program.ts';

/** Steps that a run takes, and its answer. */
export function stepsOf(run: Evaluator, resource: unknown, now: number) {
  const allowance = { left: Number.MAX_SAFE_INTEGER };
  startEvaluation(allowance);
  const answer = run(resource, now);
  endEvaluation(allowance);
  return { answer, steps: Number.MAX_SAFE_INTEGER - allowance.left };
}

/** Each run an evaluation of its own. */
const alone =
  (evaluator: (program: Program) => Evaluator) =>
  (program: Program): Evaluator => {
    const run = evaluator(program);
    return (resource, now) => {
      startEvaluation();
      return run(resource, now);
    };
  };

export const closureEvaluator = alone(backEnds.closureEvaluator);
export const codeEvaluator = alone(backEnds.codeEvaluator);

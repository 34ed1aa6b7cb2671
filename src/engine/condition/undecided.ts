import { evaluationBudget, givenSteps, OverBudget, requestBudget } from './budget.ts';
import { Failure } from './values.ts';
import { inThrees } from '../../contract/in-threes.ts';

function overBudget(): Failure {
  const given = givenSteps();
  return new Failure(
    'budget',
    given === evaluationBudget
      ? `the policy exceeds the budget of ${inThrees(evaluationBudget)} steps on this resource`
      : `the request exceeds the budget of ${inThrees(requestBudget)} steps; ${inThrees(given)} were left for this policy on this resource`,
  );
}

/** The failure of a condition that ran out of steps, or of stack or memory: a condition throws nothing else. */
export const undecided = (error: unknown): Failure =>
  error instanceof OverBudget
    ? overBudget()
    : new Failure('budget', `the resource is too deep or too large to evaluate: ${String(error)}`);

import { evaluationBudget, givenSteps, OverBudget, requestBudget } from './budget.ts';
import { Failure } from './values.ts';

const shown = (steps: number): string => steps.toLocaleString('en-US');

function overBudget(): Failure {
  const given = givenSteps();
  return new Failure(
    'budget',
    given === evaluationBudget
      ? `the policy takes more than ${shown(evaluationBudget)} steps over this resource`
      : `the request takes more than ${shown(requestBudget)} steps: ${shown(given)} of them were left for this policy over this resource`,
  );
}

/** The answer of a condition that was stopped, or that the machine could not go on with; it throws nothing else. */
export const undecided = (error: unknown): Failure =>
  error instanceof OverBudget
    ? overBudget()
    : new Failure(
        'budget',
        `the resource is too deep or too long to be looked at: ${String(error)}`,
      );

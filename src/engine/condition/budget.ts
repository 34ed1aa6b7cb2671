import { Failure } from './values.ts';

/**
 * Steps that one evaluation may take: one policy over one resource, all of its rules together. What a step pays for is
 * fixed and never a time, so that the same policy and resource give the same verdict on any machine.
 */
export const evaluationBudget = 2_000_000;

/** Steps of all evaluations that one request asks for. */
export const requestBudget = 20 * evaluationBudget;

/** Steps that are left to many evaluations together, such as those of a request. Each subtracts what it took. */
export interface Allowance {
  left: number;
}

/** What the evaluation under way has left, of how many. There is one at a time, as nothing in it waits. */
const budget = { left: evaluationBudget, given: evaluationBudget };

/** Of each evaluation, whatever its rules are. */
const stepsOfEvaluation = 4;

/** Begins an evaluation. Without an allowance it has all that an evaluation may take. */
export function startEvaluation(allowance?: Allowance): void {
  budget.given =
    allowance && allowance.left < evaluationBudget ? Math.max(allowance.left, 0) : evaluationBudget;
  budget.left = budget.given - stepsOfEvaluation;
}

/** Takes what the evaluation took from the allowance: all that it was given, if that was not enough. */
export function endEvaluation(allowance: Allowance): void {
  allowance.left -= budget.given - Math.max(budget.left, 0);
}

/** Does work that is no part of the evaluation under way, with a budget of its own. */
export function apart<T>(work: () => T): T {
  const { left, given } = budget;
  startEvaluation();
  try {
    return work();
  } finally {
    budget.left = left;
    budget.given = given;
  }
}

class OverBudget extends Error {}

/** Made once: where it is thrown from says nothing. */
const spent = new OverBudget('the budget of steps is spent');

/** Pays for work before it is done. It throws, as a Failure could be absorbed, and the work go on. */
export function spend(steps: number): void {
  if ((budget.left -= steps) < 0) throw spent;
}

/** Work on a shorter text is part of the step that asks for it. */
export const freeLength = 256;

/** Pays for reading a text or list from end to end. */
export function spendOn({ length }: { readonly length: number }): void {
  if (length > freeLength) spend(length / 64);
}

const shown = (steps: number): string => steps.toLocaleString('en-US');

function overBudget(): Failure {
  return new Failure(
    'budget',
    budget.given === evaluationBudget
      ? `the policy takes more than ${shown(evaluationBudget)} steps over this resource`
      : `the request takes more than ${shown(requestBudget)} steps: ${shown(budget.given)} of them were left for this policy over this resource`,
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

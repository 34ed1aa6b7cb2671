import { Failure } from './values.ts';

/**
 * Steps that one evaluation may take: one for each item that a macro looks at and each part of a list or map that is
 * compared or made, and one for each 64 characters that a function reads or makes. Spending it all takes about a second.
 */
export const stepBudget = 2_000_000;

/** What the evaluation under way has left. There is one at a time, as nothing in it waits. */
export const budget = { left: stepBudget };

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

/** The answer of a condition that was stopped, or that the machine could not go on with; it throws nothing else. */
export const undecided = (error: unknown): Failure =>
  error instanceof OverBudget
    ? new Failure(
        'budget',
        `the condition takes more than ${stepBudget.toLocaleString('en-US')} steps over this resource`,
      )
    : new Failure(
        'budget',
        `the resource is too deep or too long to be looked at: ${String(error)}`,
      );

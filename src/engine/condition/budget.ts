import { prices } from './prices.ts';

/**
 * Maximum steps of one evaluation: all rules of one policy on one resource. Prices in steps are fixed and never measure
 * time, so the same policy and resource get the same verdict on any machine.
 */
export const evaluationBudget = 2_000_000;

/** Maximum steps of all evaluations of one request. */
export const requestBudget = 20 * evaluationBudget;

/** Steps left for a group of evaluations, such as those of a request. Each evaluation subtracts what it used. */
export interface Allowance {
  left: number;
}

/** Steps left and given for the current evaluation. There is only one at a time, as evaluations are synchronous. */
const budget = { left: evaluationBudget, given: evaluationBudget };

/** Values that the current evaluation has created and paid for, by their source. */
let made: Map<string, unknown> | undefined;

/** Starts an evaluation. Without an allowance it gets the full `evaluationBudget`. */
export function startEvaluation(allowance?: Allowance): void {
  budget.given = allowance ? given(allowance) : evaluationBudget;
  budget.left = budget.given - prices.evaluation;
  made = undefined;
}

const given = ({ left }: Allowance): number => Math.min(Math.max(left, 0), evaluationBudget);

/** Subtracts the used steps from the allowance; all the given steps if the evaluation ran out. */
export function endEvaluation(allowance: Allowance): void {
  allowance.left -= budget.given - Math.max(budget.left, 0);
}

/** Steps that the current evaluation was given. */
export const givenSteps = (): number => budget.given;

/** Runs work that does not belong to the current evaluation, with its own budget. */
export function apart<T>(work: () => T): T {
  const { left, given } = budget;
  const before = made;
  startEvaluation();
  try {
    return work();
  } finally {
    budget.left = left;
    budget.given = given;
    made = before;
  }
}

/**
 * Creates an expensive value once per evaluation. Each evaluation pays for it again, even if an earlier one created the
 * same value, because the steps of an evaluation must not depend on earlier evaluations.
 */
export function onceForEvaluation<T>(of: string, make: () => T): T {
  made ??= new Map();
  if (made.has(of)) return made.get(of) as T;
  const value = make();
  made.set(of, value);
  return value;
}

export class OverBudget extends Error {}

/** Created once, as its stack trace is not needed. */
const spent = new OverBudget('the step budget is exhausted');

/** Pays for work before it is done. Throws, because `||` could absorb a Failure and the work would continue. */
export function spend(steps: number): void {
  if ((budget.left -= steps) < 0) throw spent;
}

/** Reading or comparing a string up to this length is included in the step of the operation. */
export const freeLength = 256;

/** The same for operations that process each character. */
export const freeCharacters = 32;

/** Pays for reading a whole string or bytes value. */
export function spendOn({ length }: { readonly length: number }): void {
  if (length > freeLength) spend(Math.ceil(length / prices.readCharacters));
}

/** Pays for processing or creating `length` characters. */
export function spendOnEach(length: number): void {
  if (length > freeCharacters) spend(Math.ceil(length / prices.characters));
}

/** Searches up to this much work are free; see `spendOnSearch` for the unit. */
const freeSearch = 128;

/** In the worst case JavaScript's search visits each character once per character of `part`. */
export function spendOnSearch(text: string, part: string): void {
  const work = text.length * (1 + part.length / 4);
  if (work > freeSearch) spend(Math.ceil(work / prices.readCharacters));
}

/** The string length up to which searching for `partLength` characters is free. */
export const freeToSearch = (partLength: number): number =>
  Math.floor(freeSearch / (1 + partLength / 4));

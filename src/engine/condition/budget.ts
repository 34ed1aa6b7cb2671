import { prices } from './prices.ts';

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

/** What the evaluation under way has made and paid for, by what it was made of. */
let made: Map<string, unknown> | undefined;

/** Begins an evaluation. Without an allowance it has all that an evaluation may take. */
export function startEvaluation(allowance?: Allowance): void {
  budget.given = allowance ? given(allowance) : evaluationBudget;
  budget.left = budget.given - prices.evaluation;
  made = undefined;
}

const given = ({ left }: Allowance): number => Math.min(Math.max(left, 0), evaluationBudget);

/** Takes what the evaluation took from the allowance: all that it was given, if that was not enough. */
export function endEvaluation(allowance: Allowance): void {
  allowance.left -= budget.given - Math.max(budget.left, 0);
}

/** Steps that the evaluation under way was given. */
export const givenSteps = (): number => budget.given;

/** Does work that is no part of the evaluation under way, with a budget of its own. */
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
 * What is dear to make, made once for each evaluation. Each evaluation pays for it anew, even where an earlier one has
 * left it: what an evaluation takes must not depend on those before.
 */
export function onceForEvaluation<T>(of: string, make: () => T): T {
  made ??= new Map();
  if (made.has(of)) return made.get(of) as T;
  const value = make();
  made.set(of, value);
  return value;
}

export class OverBudget extends Error {}

/** Made once: where it is thrown from says nothing. */
const spent = new OverBudget('the budget of steps is spent');

/** Pays for work before it is done. It throws, as a Failure could be absorbed, and the work go on. */
export function spend(steps: number): void {
  if ((budget.left -= steps) < 0) throw spent;
}

/** A shorter text is read, or compared for equality, as a part of the step that asks for it. */
export const freeLength = 256;

/** The same where its characters are looked at one by one. */
export const freeCharacters = 32;

/** Pays for reading a text or bytes at once, from end to end. */
export function spendOn({ length }: { readonly length: number }): void {
  if (length > freeLength) spend(Math.ceil(length / prices.readCharacters));
}

/** Pays for looking at each of so many characters, or for making them. */
export function spendOnEach(length: number): void {
  if (length > freeCharacters) spend(Math.ceil(length / prices.characters));
}

/** Searching is free up to here, in characters times what is looked for. */
const freeSearch = 128;

/** JavaScript's search comes back to each character, at worst, as often as what it looks for is long. */
export function spendOnSearch(text: string, part: string): void {
  const work = text.length * (1 + part.length / 4);
  if (work > freeSearch) spend(Math.ceil(work / prices.readCharacters));
}

/** Characters of a text in which a part of so many is looked for without pay. */
export const freeToSearch = (partLength: number): number =>
  Math.floor(freeSearch / (1 + partLength / 4));

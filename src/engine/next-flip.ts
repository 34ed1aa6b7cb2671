import type { Rule } from '../contract/policies.ts';
import { compileRule } from './compile-rule.ts';
import { evaluationBudget } from './condition/budget.ts';
import type { Allowance } from './condition/budget.ts';
import { watchCondition } from './condition/watch.ts';
import type { Comparison } from './condition/watch.ts';
import { createDecider } from './decide.ts';
import type { Verdict } from './decide.ts';

/** A verdict that changes because time goes on, and nothing else does. */
interface Flip {
  /** The first moment of the new verdict, in milliseconds since the epoch. */
  readonly at: number;
  readonly from: Verdict['status'];
  readonly to: Verdict;
  /** The comparisons with time that answer otherwise from then on: a few, each cut where it is long. */
  readonly because: readonly { readonly rule: number; readonly text: string }[];
}

/** Gives what comes first; see `createFlipFinder`. */
export type FindFlip = (
  resource: unknown,
  now: number,
  until: number,
  allowance?: Allowance,
) => Flip | 'none' | 'unknown';

/** Steps for finding one flip: some 10 ms. */
export const flipBudget = evaluationBudget / 10;

/** Verdicts that are looked at on the way: comparisons may change without changing the verdict. */
const mostSteps = 200;

/**
 * Makes a function that finds the first moment after `now`, up to `until` (milliseconds since the epoch), at which these
 * rules decide otherwise over a resource. 'unknown' → a condition uses time in a way that can't be
 * followed, or finding out takes more steps than there are.
 *
 * It is found by watching, not by solving: a verdict stays as long as every comparison with time that was made to reach
 * it answers the same. So the next moment at which one answers otherwise is looked for, the rules are decided anew at
 * that moment, and so on.
 * @throws Error when a condition does not compile: callers have checked it
 */
export function createFlipFinder(given: readonly Rule[]): FindFlip {
  const rules = given.map((rule, index) => {
    const compiled = compileRule(rule);
    if (!compiled.ok) throw new Error(`rules[${index}].condition: ${compiled.problem.message}`);
    return { index, rule, condition: watchCondition(compiled.condition) };
  });
  const decide = createDecider(rules);
  return (resource, now, until, allowance = { left: flipBudget }) => {
    const decideAt = (moment: number) => {
      const verdict = decide(resource, moment, allowance);
      const made = rules.flatMap(({ index, condition }) =>
        condition.take().map((comparison) => ({ rule: index, comparison })),
      );
      return { verdict, made };
    };
    let at = now;
    let seen = decideAt(at);
    const from = seen.verdict.status;
    for (let step = 0; step < mostSteps; step++) {
      if (isSpent(seen.verdict)) return 'unknown';
      let next = until;
      let changing: typeof seen.made = [];
      for (const one of seen.made) {
        const change = one.comparison.nextChange(at, next, allowance);
        if (change === 'unknown') return 'unknown';
        if (change === undefined) continue;
        changing = change === next ? [...changing, one] : [one];
        next = change;
      }
      if (changing.length === 0) return 'none';
      at = next;
      seen = decideAt(at);
      if (seen.verdict.status !== from && !isSpent(seen.verdict)) {
        return { at, from, to: seen.verdict, because: someOf(changing) };
      }
    }
    return 'unknown';
  };
}

/** Of a list with a thousand dates that are the same, a thousand comparisons change at once. */
const mostBecause = 10;
const longestBecause = 1_000;

function someOf(changing: readonly { readonly rule: number; readonly comparison: Comparison }[]) {
  const found = new Map<string, Flip['because'][number]>();
  for (const { rule, comparison } of changing) {
    if (found.size === mostBecause) break;
    const text = comparison.text.slice(0, longestBecause);
    found.set(`${rule} ${text}`, { rule, text });
  }
  return [...found.values()];
}

const isSpent = (verdict: Verdict): boolean =>
  verdict.status === 'ERROR' && verdict.reason === 'budget';

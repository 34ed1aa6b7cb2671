import { compileCondition } from '../../engine/condition/compile.ts';
import { createEvaluator } from '../../engine/condition/create-evaluator.ts';
import type { Evaluator } from '../../engine/condition/evaluate.ts';
import type { LocalPolicy } from '../model.ts';
import type { Observe, TestResult } from './run-suite.ts';

/** How often a rule came out how, over the resources of its policy's type. */
interface RuleCoverage {
  readonly index: number;
  readonly effect: string;
  readonly condition: string;
  readonly matched: number;
  readonly not_matched: number;
  readonly undecided: number;
}

export interface PolicyCoverage {
  readonly policy: string;
  readonly key: string;
  readonly file: string;
  readonly line: number;
  readonly outcomes: Readonly<Record<TestResult, number>>;
  readonly rules: readonly RuleCoverage[];
}

/** One case matches the rule and another does not, so both sides of its condition are tested. */
export const isCovered = ({ matched, not_matched: not }: RuleCoverage): boolean =>
  matched > 0 && not > 0;

/** The share of rules that are covered; of no rules at all, 100. */
export function coverageShare(coverage: readonly PolicyCoverage[]): number {
  const rules = coverage.flatMap((each) => each.rules);
  if (rules.length === 0) return 100;
  return (rules.filter(isCovered).length * 100) / rules.length;
}

/** The share of rules that are covered, to two decimals, rounded down: 100 means all. */
export const coveragePercent = (coverage: readonly PolicyCoverage[]): number =>
  Math.floor(coverageShare(coverage) * 100) / 100;

/** Counts what the cases of tests see of policies. */
export function createCoverage(): {
  readonly observe: Observe;
  of(policies: readonly LocalPolicy[]): PolicyCoverage[];
} {
  const seen = new Map<string, Counted>();
  const countedFor = (local: LocalPolicy): Counted => {
    const there = seen.get(idOf(local));
    if (there) return there;
    const made = createCounted(local);
    seen.set(idOf(local), made);
    return made;
  };
  return {
    observe(findings, now) {
      for (const { policy, read, result } of findings) {
        const { outcomes, rules } = countedFor(policy);
        outcomes[result]++;
        if (result === 'skip') continue;
        for (const rule of rules) {
          const held = rule.holds(read.resource, now);
          if (typeof held !== 'boolean') rule.counts.undecided++;
          else if (held) rule.counts.matched++;
          else rule.counts.not_matched++;
        }
      }
    },
    of: (policies) =>
      policies.map((local) => {
        const { outcomes, rules } = countedFor(local);
        const { policy, key, place } = local;
        return {
          policy: policy.name,
          key,
          file: place.file,
          line: place.line,
          outcomes,
          rules: rules.map(({ counts }) => counts),
        };
      }),
  };
}

interface Counted {
  readonly outcomes: Record<TestResult, number>;
  readonly rules: { readonly counts: Writable<RuleCoverage>; readonly holds: Evaluator }[];
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

const idOf = ({ place, key }: LocalPolicy): string => `${place.file}\0${key}`;

function createCounted({ policy }: LocalPolicy): Counted {
  return {
    outcomes: { pass: 0, fail: 0, skip: 0, exempt: 0, error: 0 },
    rules: policy.rules.map(({ effect, condition }, index) => {
      const compiled = compileCondition(condition);
      // Files with a condition that does not compile are refused before their tests run.
      if (!compiled.ok) throw new Error(`${policy.name}, rules[${index}]: does not compile`);
      const { holds } = createEvaluator(compiled.condition);
      const counts = { index, effect, condition, matched: 0, not_matched: 0, undecided: 0 };
      return { counts, holds };
    }),
  };
}

import { defined } from '../contract/defined.ts';
import type { FindingRule } from '../contract/findings.ts';
import type { Rule } from '../contract/policies.ts';
import { endEvaluation, startEvaluation } from './condition/budget.ts';
import type { Allowance } from './condition/budget.ts';
import type { Evaluator, Undecided } from './condition/evaluate.ts';

/** What a policy says of a resource, before exemptions. `rules` as in a finding. */
export type Verdict =
  | {
      readonly status: 'PASS';
      /** The ALLOW rule that matched, if it has a message. */ readonly allowed?: FindingRule;
    }
  | { readonly status: 'FAIL'; readonly rules: readonly FindingRule[] }
  | {
      readonly status: 'ERROR';
      readonly rules: readonly FindingRule[];
      readonly reason: Undecided['reason'];
      readonly path?: string;
    };

/** A rule with its condition made ready to run. */
interface PreparedRule {
  readonly index: number;
  readonly rule: Rule;
  /** Asked for each time, as it gets faster while it runs. */
  readonly condition: { readonly decides: Evaluator };
}

type Decide = (resource: unknown, now: number, allowance?: Allowance) => Verdict;

const pass: Verdict = { status: 'PASS' };

/**
 * Decides a policy over a resource. Deny overrides: a DENY rule that holds → FAIL with every one of them; else
 * ALLOW rules of which none holds → FAIL; else PASS. A rule that can't be decided never counts as a match; where it could
 * change the outcome, the result is ERROR.
 */
export function createDecider(rules: readonly PreparedRule[]): Decide {
  const [first, ...others] = rules;
  if (first?.rule.effect === 'DENY' && others.length === 0) return decideByOne(first);
  const decide = decideByAll(rules);
  return (resource, now, allowance) => {
    startEvaluation(allowance);
    const verdict = decide(resource, now);
    if (allowance) endEvaluation(allowance);
    return verdict;
  };
}

function decideByAll(rules: readonly PreparedRule[]): (resource: unknown, now: number) => Verdict {
  const denials = rules.filter(({ rule }) => rule.effect === 'DENY');
  const allowances = rules.filter(({ rule }) => rule.effect === 'ALLOW');
  return (resource, now) => {
    let denied: FindingRule[] | undefined;
    let open: Open[] | undefined;
    for (const denial of denials) {
      const held = denial.condition.decides(resource, now);
      if (held === true) (denied ??= []).push(matched(denial));
      else if (held !== false) (open ??= []).push({ ...denial, why: held });
    }
    if (denied) return { status: 'FAIL', rules: denied };
    if (allowances.length > 0) {
      let openAllowances: Open[] | undefined;
      let allowed: PreparedRule | undefined;
      for (const allowance of allowances) {
        const held = allowance.condition.decides(resource, now);
        if (held === true) {
          allowed = allowance;
          break;
        }
        if (held !== false) (openAllowances ??= []).push({ ...allowance, why: held });
      }
      if (!allowed) {
        // No open DENY could make it worse.
        if (!openAllowances) return { status: 'FAIL', rules: [noneMatched(allowances)] };
        open = [...(open ?? []), ...openAllowances];
      }
      if (allowed?.rule.message !== undefined && !open) return allowedBy(allowed);
    }
    return open ? undecided(open) : pass;
  };
}

/** Most policies are one DENY rule, and a large inventory asks each of them a million times. */
function decideByOne(denial: PreparedRule): Decide {
  const { condition } = denial;
  return (resource, now, allowance) => {
    startEvaluation(allowance);
    const held = condition.decides(resource, now);
    if (allowance) endEvaluation(allowance);
    if (held === false) return pass;
    return held === true
      ? { status: 'FAIL', rules: [matched(denial)] }
      : undecided([{ ...denial, why: held }]);
  };
}

type Open = PreparedRule & { readonly why: Undecided };

const matched = ({ index, rule }: PreparedRule): FindingRule => ({
  index,
  effect: rule.effect,
  ...defined({ message: rule.message }),
});

const allowedBy = (allowance: PreparedRule): Verdict => ({
  status: 'PASS',
  allowed: matched(allowance),
});

/** Characters: each violation holds them. */
const shownOfConditions = 4_096;

function noneMatched(allowances: readonly PreparedRule[]): FindingRule {
  const all = allowances.map(({ rule }) => rule.condition.trim()).join(' | ');
  const conditions = all.length > shownOfConditions ? `${all.slice(0, shownOfConditions)}…` : all;
  return {
    index: allowances[0]?.index ?? 0,
    effect: 'ALLOW',
    message: `no ALLOW rule matched: ${conditions}`,
  };
}

function undecided(open: readonly Open[]): Verdict {
  const [first] = open;
  return {
    status: 'ERROR',
    rules: open.map(({ index, rule, why }) => ({
      index,
      effect: rule.effect,
      message: why.message,
    })),
    reason: first?.why.reason ?? 'type_error',
    ...(first?.why.path === undefined ? {} : { path: first.why.path }),
  };
}

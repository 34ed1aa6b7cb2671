import { defined } from '../contract/defined.ts';
import { enforcementOf } from '../contract/enforcement.ts';
import type { Finding, FindingRule } from '../contract/findings.ts';
import type { PolicyInput, Rule } from '../contract/policies.ts';
import type { Resource } from '../contract/resources.ts';
import { compileRule } from './compile-rule.ts';
import type { Allowance } from './condition/budget.ts';
import { createEvaluator } from './condition/create-evaluator.ts';
import type { PatternRoom } from './condition/regex.ts';
import type { Verdict } from './decide.ts';
import { createDecider } from './decide.ts';
import { exemptionEnd, matchesId } from './exempt.ts';
import type { Exemption } from './exempt.ts';
import { createFlipFinder } from './next-flip.ts';
import type { FindFlip } from './next-flip.ts';
import { createTypeIndex } from './type-index.ts';

/** A policy with what it is known by beside its name. */
export interface EvaluatedPolicy {
  readonly policy: PolicyInput;
  readonly id?: string;
  readonly key?: string;
}

/** The rules of a policy made ready to run. */
export interface PreparedRules {
  /** Whether they read `now`, so that their verdict changes with time alone. */
  readonly readsNow: boolean;
  /** The attributes they read, such as `resource.tags["team"]` and `resource.ingress[*].cidr`. */
  attributes(): readonly string[];
  /**
   * Decides them over a resource, within the budget of one evaluation and what `allowance` has left.
   * @param now of the evaluation, in milliseconds since the epoch
   * @param allowance what it takes is subtracted; left out: the budget of an evaluation alone counts
   */
  decide(resource: unknown, now: number, allowance?: Allowance): Verdict;
  /** When they decide otherwise only because time goes on. */
  readonly findFlip: FindFlip;
}

/** A policy made ready to run. */
export interface PreparedPolicy extends EvaluatedPolicy, PreparedRules {}

/**
 * Makes rules ready to run.
 * @param room what their patterns take is subtracted
 * @throws Error when a condition does not compile: callers have checked it
 */
export function prepareRules(given: readonly Rule[], room?: PatternRoom): PreparedRules {
  let readsNow = false;
  const rules = given.map((rule, index) => {
    const compiled = compileRule(rule, room);
    if (!compiled.ok) throw new Error(`rules[${index}].condition: ${compiled.problem.message}`);
    const evaluator = createEvaluator(compiled.condition);
    readsNow ||= evaluator.readsNow;
    return { index, rule, condition: evaluator };
  });
  let find: FindFlip | undefined;
  return {
    readsNow,
    attributes: () => [...new Set(rules.flatMap(({ condition }) => [...condition.attributes()]))],
    decide: createDecider(rules),
    findFlip: (...asked) => (find ??= createFlipFinder(given))(...asked),
  };
}

/** Makes a policy ready to run. @throws as `prepareRules` */
export const preparePolicy = (given: EvaluatedPolicy): PreparedPolicy => ({
  ...given,
  ...prepareRules(given.policy.rules),
});

/** Policies by the types they are about. */
export type PolicySet<P extends EvaluatedPolicy = PreparedPolicy> = (type: string) => readonly P[];

export const createPolicySet = <P extends EvaluatedPolicy>(policies: readonly P[]): PolicySet<P> =>
  createTypeIndex(policies, ({ policy }) => policy.resource_type);

export const policiesFor = <P extends EvaluatedPolicy>(
  set: PolicySet<P>,
  type: string,
): readonly P[] => set(type);

/**
 * The finding of one policy over one resource. A disabled policy is SKIPPED; an exemption that counts at `now` turns
 * FAIL into EXEMPT.
 */
export function evaluate(
  prepared: PreparedPolicy,
  resource: Resource,
  now: number,
  exemptions: readonly Exemption[] = [],
  allowance?: Allowance,
): Finding {
  if (!prepared.policy.enabled) return findingOf(prepared, resource, { status: 'SKIPPED' });
  return conclude(prepared, resource, prepared.decide(resource, now, allowance), exemptions, now)
    .finding;
}

/** What a verdict comes to with exemptions, and the one that covers it. */
function conclude<E extends Exemption>(
  policy: EvaluatedPolicy,
  resource: Resource,
  verdict: Verdict,
  exemptions: readonly E[],
  now: number,
): { readonly finding: Finding; readonly cover?: E } {
  const cover =
    verdict.status === 'FAIL'
      ? exemptions.find((one) => isExempt(one, policy, resource.id, now))
      : undefined;
  if (!cover) return { finding: findingOf(policy, resource, verdict) };
  return { finding: findingOf(policy, resource, verdict, describeExemption(cover)), cover };
}

/** Why a finding is exempt, in one line. */
export const describeExemption = ({ reason, owner, expires }: Exemption): string =>
  `${reason} (${owner}, until ${expires})`;

/** What an exemption may name a policy by. */
type NamedPolicy = Pick<EvaluatedPolicy, 'id' | 'key'> & {
  readonly policy: { readonly name: string };
};

/** Whether an exemption covers a policy's finding over a resource at `now` (milliseconds since the epoch). */
export const isExempt = (
  exemption: Exemption,
  { policy, id, key }: NamedPolicy,
  resourceId: string,
  now: number,
): boolean =>
  (exemption.policy === policy.name || exemption.policy === key || exemption.policy === id) &&
  now < exemptionEnd(exemption.expires) &&
  exemption.resources.some((pattern) => matchesId(pattern, resourceId));

/** A verdict as a finding; EXEMPT where there is an exemption. */
export function findingOf(
  { policy, id, key }: EvaluatedPolicy,
  resource: Resource,
  verdict: Verdict | { readonly status: 'SKIPPED' },
  exemption?: string,
): Finding {
  return {
    policy: policy.name,
    ...defined({ policy_id: id, policy_key: key }),
    resource: resource.id,
    resource_type: resource.type,
    status: exemption === undefined ? verdict.status : 'EXEMPT',
    severity: policy.severity ?? 'MEDIUM',
    ...defined({ enforcement: enforcementOf(policy.tags) }),
    rules: rulesOf(verdict),
    ...('reason' in verdict ? { reason: verdict.reason } : {}),
    ...('path' in verdict && verdict.path !== undefined ? { path: verdict.path } : {}),
    ...defined({ exemption }),
  };
}

function rulesOf(verdict: Verdict | { readonly status: 'SKIPPED' }): FindingRule[] {
  if ('rules' in verdict) return [...verdict.rules];
  return 'allowed' in verdict && verdict.allowed ? [verdict.allowed] : [];
}

import { enforcementOf } from '../../contract/enforcement.ts';
import type { Enforcement } from '../../contract/enforcement.ts';
import type { Finding } from '../../contract/findings.ts';
import { severities } from '../../contract/policies.ts';
import type { PolicyTally, Tally } from '../../project/check/checker.ts';
import type { LocalPolicy } from '../../project/model.ts';
import type { Collector } from './collect.ts';
import type { CheckOptions } from './options.ts';

/** What a check found, in figures. `evaluated` counts (policy, resource) pairs: all that follow add up to it. */
export interface CheckSummary {
  readonly resources: number;
  readonly evaluated: number;
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly exempt: number;
  /** Of `fail` and `error`, those of advisory policies; only where there are any. */
  readonly advisory?: number;
  /** Only where there is a baseline: what it had already. */
  readonly baselined?: number;
}

export type Severity = (typeof severities)[number];

export const severityOf = ({ policy }: LocalPolicy): Severity => policy.severity ?? 'MEDIUM';

export const enforcementOfPolicy = ({ policy }: LocalPolicy): Enforcement | undefined =>
  enforcementOf(policy.tags);

const rank = (severity: Severity): number => severities.indexOf(severity);

/** The worst first. */
export const compareSeverity = (a: Severity, b: Severity): number => rank(b) - rank(a);

/** Counts by policy, without what the baseline had. */
export function newCounts(
  policies: readonly LocalPolicy[],
  tally: Tally,
  accepted: Collector['accepted'],
): readonly PolicyTally[] {
  return tally.policies.map((counts, index) => {
    const old = accepted.get(policies[index]?.policy.name ?? '');
    if (!old) return counts;
    return {
      ...counts,
      fail: counts.fail - old.fail,
      error: counts.error - old.error,
      unknown: counts.unknown - old.unknown,
    };
  });
}

export function summarise(
  policies: readonly LocalPolicy[],
  tally: Tally,
  counts: readonly PolicyTally[],
  hasBaseline: boolean,
): CheckSummary {
  const sum = (from: readonly PolicyTally[], field: keyof PolicyTally): number =>
    from.reduce((total, each) => total + each[field], 0);
  const [pass, fail, error, exempt] = (['pass', 'fail', 'error', 'exempt'] as const).map((field) =>
    sum(counts, field),
  ) as [number, number, number, number]; // one for each field
  const baselined = sum(tally.policies, 'fail') + sum(tally.policies, 'error') - fail - error;
  const advising = counts.filter((_, at) => isAdvisory(policies[at]));
  const advisory = sum(advising, 'fail') + sum(advising, 'error');
  return {
    resources: tally.resources,
    evaluated: pass + fail + error + exempt + baselined,
    pass,
    fail,
    error,
    exempt,
    ...(advisory > 0 ? { advisory } : {}),
    ...(hasBaseline ? { baselined } : {}),
  };
}

const isAdvisory = (policy: LocalPolicy | undefined): boolean =>
  policy !== undefined && enforcementOfPolicy(policy) === 'advisory';

type Limits = Pick<CheckOptions, 'failOn' | 'onError' | 'onUnknown'>;

/** How many findings fail the check. */
export const countFailing = (
  policies: readonly LocalPolicy[],
  counts: readonly PolicyTally[],
  limits: Limits,
): number =>
  policies.reduce((total, policy, index) => {
    const { fail = 0, error = 0, unknown = 0 } = counts[index] ?? {};
    if (!doesCount(severityOf(policy), enforcementOfPolicy(policy), limits)) return total;
    const undecided =
      limits.onError === 'warn' ? 0 : limits.onUnknown === 'warn' ? error - unknown : error;
    return total + fail + undecided;
  }, 0);

/** Whether findings of this severity count, which an enforcement decides before --fail-on does. */
const doesCount = (
  severity: Severity,
  enforcement: Enforcement | undefined,
  { failOn = 'LOW' }: Limits,
): boolean =>
  enforcement === undefined ? rank(severity) >= rank(failOn) : enforcement === 'mandatory';

/** Whether this finding is one of those that fail the check. */
export function isFailing(
  { status, severity, enforcement, reason }: Finding,
  limits: Limits,
): boolean {
  if (!doesCount(severity, enforcement, limits)) return false;
  if (status !== 'ERROR') return status === 'FAIL';
  return limits.onError === 'fail' && !(limits.onUnknown === 'warn' && reason === 'unknown_value');
}

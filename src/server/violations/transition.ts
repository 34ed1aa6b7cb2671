import { defined } from '../../contract/defined.ts';
import type { Finding } from '../../contract/findings.ts';
import type { Policy } from '../../contract/policies.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { StatusCause, ViolationStatus } from '../../contract/violations.ts';
import { historyKept } from './collection.ts';
import type { StoredViolation } from './collection.ts';

/** What an evaluation says of a policy and a resource, or that there is none any more. */
export type Said = Finding['status'] | 'GONE';

/**
 * What becomes of a violation's status. What can't be decided leaves it as it is, but for exemptions: these hold
 * while it is not resolved, whatever the verdict.
 */
export function statusAfter(
  before: ViolationStatus | undefined,
  said: Said,
  isCovered: boolean,
): ViolationStatus | undefined {
  switch (said) {
    case 'FAIL':
    case 'EXEMPT':
      return isCovered ? 'EXEMPT' : 'OPEN';
    case 'ERROR':
      if (before === undefined || before === 'RESOLVED') return before;
      return isCovered ? 'EXEMPT' : 'OPEN';
    default:
      return before && 'RESOLVED';
  }
}

/** When and why a status changes; `reason` and `by` where a person did it. */
export interface Change {
  readonly at: string;
  readonly cause: StatusCause;
  readonly reason?: string;
  readonly by?: string;
  /** Of `remediated`. */
  readonly remediation_id?: string;
}

const ofOneStatus: ReadonlySet<string> = new Set([
  'resolved_at',
  'exemption_id',
  'reason',
  'remediation_id',
]);

/** A violation under another status. */
export function moveTo(
  before: StoredViolation,
  status: ViolationStatus,
  change: Change,
  exemptionId?: string,
): StoredViolation {
  const kept = Object.entries(before).filter(
    ([field]) => !ofOneStatus.has(field) && !(field === 'undecided' && status === 'RESOLVED'),
  );
  return {
    ...(Object.fromEntries(kept) as StoredViolation), // those that go are optional
    status,
    ...(change.cause === 'manual' && change.reason !== undefined ? { reason: change.reason } : {}),
    ...defined({ exemption_id: exemptionId, remediation_id: change.remediation_id }),
    // Found again: the time between does not count.
    detected_at: before.status === 'RESOLVED' ? change.at : before.detected_at,
    ...(status === 'RESOLVED' ? { resolved_at: change.at } : {}),
    updated_at: change.at,
    history: [...before.history, { status, ...change }].slice(-historyKept),
  };
}

/** A violation that stays as it is, for a further reason. */
export const withReason = (
  before: StoredViolation,
  change: Change & Required<Pick<Change, 'reason'>>,
): StoredViolation => ({
  ...before,
  reason: change.reason,
  updated_at: change.at,
  history: [...before.history, { status: before.status, ...change }].slice(-historyKept),
});

/** The part of a violation that is not about its policy, its resource and what is wrong. */
export const stateOf = ({
  id,
  status,
  reason,
  exemption_id: exemptionId,
  detected_at: detectedAt,
  resolved_at: resolvedAt,
  updated_at: updatedAt,
  history,
}: StoredViolation) => ({
  id,
  status,
  ...defined({ reason, exemption_id: exemptionId }),
  detected_at: detectedAt,
  ...defined({ resolved_at: resolvedAt }),
  updated_at: updatedAt,
  history,
});

/** Why a violation is no longer resolved, or how an exemption moved it. */
export function causeOf(before: ViolationStatus | undefined, after: ViolationStatus): StatusCause {
  if (after === 'EXEMPT') return 'exempted';
  if (after === 'RESOLVED') return 'passes';
  return before === 'EXEMPT' ? 'exemption_ended' : 'fails';
}

/** What a violation says of its policy and its resource, as they are now. */
export function describePair(policy: Policy, resource: KnownResource) {
  const { id, type, name, provider, account_id, region, environment, tags } = resource;
  return {
    policy_id: policy.id,
    policy_name: policy.name,
    resource_id: id,
    resource_type: type,
    ...defined({ resource_name: name }),
    severity: policy.severity ?? 'MEDIUM',
    provider,
    ...defined({ account_id, region, environment }),
    tags,
    compliance_frameworks: policy.compliance_frameworks ?? [],
  };
}

/** What is wrong, in words. */
export function describeFinding({ policy, rules }: Pick<Finding, 'policy' | 'rules'>): string {
  const messages = rules.flatMap(({ message }) => (message === undefined ? [] : [message]));
  return messages.length > 0 ? messages.join('; ') : `violates ${policy}`;
}

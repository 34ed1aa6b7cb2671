import type { Violation, ViolationStatus } from '../../contract/violations.ts';
import { defined } from '../../contract/defined.ts';
import { splitLabel } from '../../engine/labels.ts';

const severityIds = { LOW: 2, MEDIUM: 3, HIGH: 4, CRITICAL: 5 } as const;
const severityNames = { LOW: 'Low', MEDIUM: 'Medium', HIGH: 'High', CRITICAL: 'Critical' } as const;

const activities: Record<ViolationStatus, readonly [id: number, name: string]> = {
  OPEN: [1, 'Create'],
  EXEMPT: [2, 'Update'],
  RESOLVED: [3, 'Close'],
};

const statuses: Record<ViolationStatus, readonly [id: number, name: string]> = {
  OPEN: [1, 'New'],
  EXEMPT: [3, 'Suppressed'],
  RESOLVED: [4, 'Resolved'],
};

/** `account.type_id`, by the provider of a resource. */
const accounts: ReadonlyMap<string, readonly [id: number, name: string]> = new Map([
  ['aws', [10, 'AWS Account']],
  ['gcp', [11, 'GCP Project']],
  ['azure', [13, 'Azure Subscription']],
]);

const classUid = 2003;

/** A JSON array of Compliance Findings (class 2003) of OCSF 1.4.0, one for each violation. @see https://schema.ocsf.io/1.4.0/classes/compliance_finding */
export function renderOcsf(violations: readonly Violation[], version: string): string {
  return `${JSON.stringify(
    violations.map((violation) => findingOf(violation, version)),
    null,
    2,
  )}\n`;
}

function findingOf(violation: Violation, version: string): object {
  const { id, policy_id, policy_name, message, severity, status, region, provider } = violation;
  const { environment, exemption_id, remediation_id, reason } = violation;
  const [activityId, activity] = activities[status];
  const [statusId, statusName] = statuses[status];
  const found = times('time', violation.detected_at);
  return {
    metadata: {
      version: '1.4.0',
      profiles: ['cloud', 'datetime'],
      product: { name: 'govctl', vendor_name: 'govctl', version },
    },
    category_uid: 2,
    category_name: 'Findings',
    class_uid: classUid,
    class_name: 'Compliance Finding',
    activity_id: activityId,
    activity_name: activity,
    type_uid: classUid * 100 + activityId,
    type_name: `Compliance Finding: ${activity}`,
    ...found,
    severity_id: severityIds[severity],
    severity: severityNames[severity],
    status_id: statusId,
    status: statusName,
    message,
    finding_info: {
      uid: id,
      title: policy_name,
      desc: message,
      analytic: { uid: policy_id, name: policy_name, type_id: 1, type: 'Rule' },
      ...times('created_time', violation.detected_at),
      ...times('modified_time', violation.updated_at),
    },
    compliance: complianceOf(violation),
    resources: [
      {
        uid: violation.resource_id,
        type: violation.resource_type,
        ...defined({ name: violation.resource_name, region }),
        labels: Object.entries(violation.tags).map(([key, value]) => `${key}:${value}`),
      },
    ],
    cloud: {
      provider,
      ...defined({ region }),
      ...(violation.account_id === undefined ? {} : { account: accountOf(violation) }),
    },
    unmapped: defined({ environment, exemption_id, remediation_id, reason }),
  };
}

const accountOf = ({ provider, account_id: uid }: Violation): object => {
  const [id, name] = accounts.get(provider.toLowerCase()) ?? [99, 'Other'];
  return { uid, type_id: id, type: name };
};

function complianceOf(violation: Violation): object {
  const labels = violation.compliance_frameworks;
  const [id, name] = outcomes[outcomeOf(violation)];
  return {
    control: violation.policy_name,
    standards: [...new Set(labels.map((label) => splitLabel(label).framework))],
    requirements: labels.filter((label) => splitLabel(label).control !== ''),
    status_id: id,
    status: name,
    ...defined({ status_detail: violation.undecided?.message }),
  };
}

const outcomes = {
  pass: [1, 'Pass'],
  warning: [2, 'Warning'],
  fail: [3, 'Fail'],
  unknown: [0, 'Unknown'],
} as const;

/** What the policy said last; unknown where a violation was resolved by hand or its resource or policy is gone. */
export function outcomeOf({ status, undecided, history }: Violation): keyof typeof outcomes {
  if (status !== 'RESOLVED') return undecided ? 'warning' : 'fail';
  const cause = history.at(-1)?.cause;
  return cause === 'passes' || cause === 'remediated' ? 'pass' : 'unknown';
}

const times = (name: string, at: string): Readonly<Record<string, number | string>> => ({
  [name]: Date.parse(at),
  [`${name}_dt`]: at,
});

import { severities } from '../../contract/policies.ts';
import { StringTags, typeKey } from '../../contract/resources.ts';
import { Violation } from '../../contract/violations.ts';
import type { ViolationFilter, violationSortFields } from '../../contract/violations.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { alertId } from '../prediction/collection.ts';
import type { CollectionSpec, Scalar } from '../store/store.ts';
import { Id, Key, shape } from '../shape.ts';

/** A violation as stored is a violation as answered. */
export type StoredViolation = Violation;

/** Changes of status that a violation keeps. */
export const historyKept = 20;

type SortField = (typeof violationSortFields)[number];

// A place in an order travels in a cursor, so long texts order by their beginning.
const beginning = (text: string | undefined): string | undefined => text?.slice(0, 256);

const order: Record<SortField, (violation: StoredViolation) => Scalar | undefined> = {
  detected_at: (violation) => violation.detected_at,
  updated_at: (violation) => violation.updated_at,
  resolved_at: (violation) => violation.resolved_at,
  id: (violation) => violation.id,
  policy_id: (violation) => violation.policy_id,
  policy_name: (violation) => violation.policy_name,
  resource_id: (violation) => beginning(violation.resource_id),
  resource_type: (violation) => violation.resource_type,
  resource_name: (violation) => beginning(violation.resource_name),
  severity: (violation) => severities.indexOf(violation.severity),
  status: (violation) => violation.status,
  message: (violation) => beginning(violation.message),
  reason: (violation) => beginning(violation.reason),
  exemption_id: (violation) => violation.exemption_id,
  provider: (violation) => violation.provider,
  account_id: (violation) => violation.account_id,
  region: (violation) => violation.region,
  environment: (violation) => violation.environment,
};

/** What a violation is found by when its policy is evaluated over its resource again. */
export const pairOf = (policyId: string, resourceId: string): string => `${policyId} ${resourceId}`;

/** The day on which a violation was resolved, and whether by a remediation. */
export const resolvedOn = (at: string, byRemediation: boolean): string =>
  `${at.slice(0, 10)}${byRemediation ? ' remediated' : ''}`;

const isStanding = ({ status }: StoredViolation): boolean => status !== 'RESOLVED';

export const violations: CollectionSpec<StoredViolation> = {
  name: 'violations',
  unique: {
    pair: (violation) => pairOf(violation.policy_id, violation.resource_id),
    /** The alert of the end of its exemption. */
    expiry_alert: ({ exemption_id: exemption, policy_id: policy, resource_id: resource }) =>
      exemption === undefined ? undefined : alertId(policy, resource, 'exemption_expiry'),
  },
  index: {
    status: (violation) => violation.status,
    severity: (violation) => violation.severity,
    policy_id: (violation) => violation.policy_id,
    resource_id: (violation) => violation.resource_id,
    resource_type: (violation) => typeKey(violation.resource_type),
    provider: (violation) => violation.provider.toLowerCase(),
    account_id: (violation) => violation.account_id,
    region: (violation) => violation.region,
    environment: (violation) => violation.environment,
    exemption_id: (violation) => violation.exemption_id,
    resolved_on: (violation) => {
      if (violation.status !== 'RESOLVED' || violation.resolved_at === undefined) return undefined;
      return resolvedOn(violation.resolved_at, violation.remediation_id !== undefined);
    },
    /** The policies and resources of those that are not resolved. */
    standing_of_policy: (violation) => (isStanding(violation) ? violation.policy_id : undefined),
    standing_of_resource: (violation) =>
      isStanding(violation) ? violation.resource_id : undefined,
  },
  order,
};

const plainFilters = [
  'status',
  'severity',
  'policy_id',
  'resource_id',
  'provider',
  'account_id',
  'region',
  'environment',
] as const;

/** Any of the values of each field that has an index; `sift.ts` has the others. */
export const violationFilters = (query: ViolationFilter): Filters => ({
  ...anyOf(query, plainFilters),
  ...(query.resource_type ? { resource_type: { any: query.resource_type.map(typeKey) } } : {}),
});

export const violationShape = shape<StoredViolation>({
  ...Violation.shape,
  id: Id,
  policy_id: Id,
  resource_id: Key,
  tags: StringTags,
});

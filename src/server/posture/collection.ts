import { hash } from 'node:crypto';
import { Evaluation } from '../../contract/governance.ts';
import { Timestamp } from '../../contract/lists.ts';
import type {
  EvaluationListQuery,
  ScoreDay,
  evaluationSortFields,
} from '../../contract/governance.ts';
import { Severity, severities } from '../../contract/policies.ts';
import { typeKey } from '../../contract/resources.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import type { CollectionSpec, Scalar } from '../store/store.ts';
import * as z from 'zod';
import { Count, Id, Key, keyed, shape } from '../shape.ts';
import type { Named } from '../shape.ts';

/** The latest outcome of a policy on a resource, where it is not PASS: passes are never stored, there may be millions. */
export type StoredOutcome = Evaluation;

/** The same for the same policy and resource. */
export const outcomeId = (policyId: string, resourceId: string): string =>
  `evl_${hash('sha256', `${policyId}\n${resourceId}`, 'hex').slice(0, 26)}`;

type SortField = (typeof evaluationSortFields)[number];

const order: Record<SortField, (outcome: StoredOutcome) => Scalar | undefined> = {
  updated_at: ({ updated_at }) => updated_at,
  since: ({ since }) => since,
  id: ({ id }) => id,
  severity: ({ severity }) => severities.indexOf(severity),
  policy_name: ({ policy_name }) => policy_name,
  status: ({ status }) => status,
};

export const outcomes: CollectionSpec<StoredOutcome> = {
  name: 'outcomes',
  index: {
    status: ({ status }) => status,
    reason: ({ reason }) => reason,
    severity: ({ severity }) => severity,
    policy_id: ({ policy_id }) => policy_id,
    resource_id: ({ resource_id }) => resource_id,
    resource_type: ({ resource_type }) => typeKey(resource_type),
    provider: ({ provider }) => provider.toLowerCase(),
    account_id: ({ account_id }) => account_id,
    region: ({ region }) => region,
    environment: ({ environment }) => environment,
  },
  order,
};

const plainFilters = [
  'status',
  'reason',
  'severity',
  'policy_id',
  'resource_id',
  'provider',
  'account_id',
  'region',
  'environment',
] as const;

/** Any of the values of each field. */
export const outcomeFilters = (query: EvaluationListQuery): Filters => ({
  ...anyOf(query, plainFilters),
  ...(query.resource_type ? { resource_type: { any: query.resource_type.map(typeKey) } } : {}),
});

/** How many resources of which types there are in an account and environment of a provider. */
export interface StoredScope {
  readonly id: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly environment?: string;
  /** By `typeKey`; of at most some hundred types: those that come later have a document each. */
  readonly types: Readonly<Record<string, number>>;
}

export const scopes: CollectionSpec<StoredScope> = {
  name: 'inventory_scopes',
  index: {
    provider: ({ provider }) => provider.toLowerCase(),
    account_id: ({ account_id }) => account_id,
    environment: ({ environment }) => environment,
  },
  order: { id: ({ id }) => id },
};

/**
 * What an enabled policy counts for. `counted`: each of its outcomes is known. `pending`: not yet, or not after a change;
 * nothing of it counts. `quarantined`: it is not evaluated, so that it is met nowhere. A policy that is disabled or deleted
 * is `pending` until its outcomes are removed.
 */
export interface StoredStanding {
  /** Of the policy. */
  readonly id: string;
  readonly state: 'counted' | 'pending' | 'quarantined';
  readonly severity: Severity;
  readonly resource_type: string;
}

export const standings: CollectionSpec<StoredStanding> = {
  name: 'policy_standings',
  index: { state: ({ state }) => state },
  order: { id: ({ id }) => id },
};

/** The score of everything on one day. */
export interface StoredScoreDay extends Named<ScoreDay> {
  /** The day. */
  readonly id: string;
}

export const scoreDays: CollectionSpec<StoredScoreDay> = {
  name: 'score_days',
  order: { id: ({ id }) => id, at: ({ at }) => at },
};

export const scoreDayShape = keyed(
  shape<StoredScoreDay>({
    id: Key,
    day: z.iso.date(),
    at: Timestamp,
    compliance_score: z.number().min(0).max(100),
    evaluated: Count,
  }),
  ({ day }) => day,
);

export const outcomeShape = keyed(
  shape<StoredOutcome>({ ...Evaluation.shape, id: Id, policy_id: Id, resource_id: Key }),
  ({ policy_id, resource_id }) => outcomeId(policy_id, resource_id),
);

export const scopeShape = shape<StoredScope>({
  id: Key,
  provider: z.string(),
  account_id: z.string().optional(),
  environment: z.string().optional(),
  types: z.record(z.string(), Count),
});

export const standingShape = shape<StoredStanding>({
  id: Id,
  state: z.enum(['counted', 'pending', 'quarantined']),
  severity: Severity,
  resource_type: z.string(),
});

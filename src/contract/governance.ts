import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { UndecidedReason } from './findings.ts';
import { Timestamp, commaList, commaListOf, digits, listEndpoint, listQuery } from './lists.ts';
import { PendingEvaluation } from './pending-evaluation.ts';
import { ResourceType, Severity } from './policies.ts';
import { PredictiveAlert } from './predictions.ts';
import { scopeFilters } from './scope-filters.ts';
import { MonthlyCosts } from './violations.ts';

const OverviewQuery = z.strictObject(scopeFilters);
export type OverviewQuery = z.infer<typeof OverviewQuery>;

const GovernanceOverview = z.looseObject({
  /** From 0 to 100 with two decimals, of the latest outcomes; 0 where `evaluated` is 0. */
  compliance_score: z.number(),
  /** Open ones. */
  policy_violations: z.looseObject({
    critical: z.int(),
    high: z.int(),
    medium: z.int(),
    low: z.int(),
  }),
  /** The ten that come first. */
  predictive_alerts: z.array(PredictiveAlert),
  /** What unused and too large resources cost in a month. 0 without a cost scope. */
  cost_optimization: z.looseObject({
    potential_savings: z.number(),
    rightsizing_opportunities: z.int(),
    unused_resources: z.int(),
    /** By currency, the largest first: `potential_savings` is the first, rounded. For who may see costs, where any is known. */
    savings: MonthlyCosts.optional(),
  }),
  /** Of the service's eight capabilities, how many were used in the last 30 days. */
  tools_replaced: z.int(),
  /** Percent of the violations resolved in the last 30 days that a remediation resolved. */
  automation_level: z.number(),
  generated_at: Timestamp,
  /** Policies times the resources that they are about, as far as their outcomes are known. */
  evaluated: z.int(),
  /** How many of these ended in an error. They count as not met. */
  errors: z.int(),
  /**
   * Resources with no policy for their type or service: none is about them, or only policies for a whole provider. `types`
   * has the five with the most resources, of Azure in lower case. Absent where there are none.
   */
  uncovered: z
    .looseObject({
      resources: z.int(),
      types: z.array(z.looseObject({ resource_type: z.string(), resources: z.int() })),
    })
    .optional(),
  pending: PendingEvaluation.optional(),
});
export type GovernanceOverview = z.infer<typeof GovernanceOverview>;

/** Days for which scores are stored. */
export const scoreDaysKept = 400;

/** The score of the whole inventory on one day: the last one, or one less than an hour older. */
const ScoreDay = z.looseObject({
  /** `2026-01-31`, UTC. */
  day: z.string(),
  at: Timestamp,
  compliance_score: z.number(),
  evaluated: z.int(),
});
export type ScoreDay = z.infer<typeof ScoreDay>;

const ScoreHistoryQuery = z.strictObject({
  days: digits(z.int().min(1).max(scoreDaysKept)).prefault(30),
});

export const governance = {
  overview: endpoint({
    method: 'GET',
    path: '/v1/governance/overview',
    summary: 'Get the current posture of the inventory, or of a part of it',
    scope: 'governance:read',
    query: OverviewQuery,
    response: { status: 200, body: z.looseObject({ governance_overview: GovernanceOverview }) },
    errors: [],
  }),
  scoreHistory: endpoint({
    method: 'GET',
    path: '/v1/governance/score-history',
    summary: 'List daily scores; days without evaluations are omitted',
    scope: 'governance:read',
    ext: true,
    query: ScoreHistoryQuery,
    response: { status: 200, body: z.looseObject({ score_history: z.array(ScoreDay) }) },
    errors: [],
  }),
};

export const outcomeStatuses = ['FAIL', 'ERROR', 'EXEMPT'] as const;
const OutcomeStatus = z.enum(outcomeStatuses);

/** What a policy found in a resource the last time, where it did not pass. */
export const Evaluation = z.looseObject({
  /** The same for the same policy and resource. */
  id: z.string(),
  policy_id: z.string(),
  policy_name: z.string(),
  resource_id: z.string(),
  resource_type: z.string(),
  status: OutcomeStatus,
  severity: Severity,
  /** ERROR only: why it could not be decided, the attribute, and what is to be done. */
  reason: UndecidedReason.optional(),
  path: z.string().optional(),
  message: z.string().optional(),
  provider: z.string(),
  account_id: z.string().optional(),
  region: z.string().optional(),
  environment: z.string().optional(),
  /** Since when it has had this status. */
  since: Timestamp,
  updated_at: Timestamp,
});
export type Evaluation = z.infer<typeof Evaluation>;

export const evaluationSortFields = [
  'updated_at',
  'since',
  'id',
  'severity',
  'policy_name',
  'status',
] as const;

const EvaluationListQuery = listQuery(evaluationSortFields, {
  status: commaListOf(OutcomeStatus).optional(),
  reason: commaListOf(UndecidedReason).optional(),
  severity: commaListOf(Severity).optional(),
  policy_id: commaList().optional(),
  resource_id: z.string().min(1).max(2_048).optional(),
  resource_type: commaListOf(ResourceType).optional(),
  provider: commaList().optional(),
  account_id: commaList().optional(),
  region: commaList().optional(),
  environment: commaList().optional(),
});
export type EvaluationListQuery = z.infer<typeof EvaluationListQuery>;

export const evaluations = {
  list: listEndpoint({
    path: '/v1/evaluations',
    summary: 'List the latest outcomes other than PASS: FAIL, EXEMPT and ERROR',
    ext: true,
    query: EvaluationListQuery,
    rows: { evaluations: z.array(Evaluation), pending: PendingEvaluation.optional() },
  }),
};

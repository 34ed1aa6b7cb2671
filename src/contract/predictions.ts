import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { ById, Pagination, Timestamp, commaListOf, digits } from './lists.ts';
import { Severity } from './policies.ts';
import { scopeFilters, scopeValues } from './scope-filters.ts';

export const predictionMethods = [
  'date_certain',
  'exemption_expiry',
  'trend',
  'recurrence',
] as const;
export const PredictionMethod = z.enum(predictionMethods);
export type PredictionMethod = z.infer<typeof PredictionMethod>;

/** A violation that is to come. */
export const PredictiveAlert = z.looseObject({
  /** The same for the same policy, resource and method. */
  id: z.string(),
  severity: z.enum(['low', 'medium', 'high', 'critical']),
  resource: z.string(),
  /** The policy's name. */
  predicted_violation: z.string(),
  /** From 0 to 1. */
  confidence: z.number().min(0).max(1),
  /** Whole days that are left. */
  days_until_violation: z.int().min(0),
  recommendation: z.string(),
  method: PredictionMethod,
  /** When it begins to fail. */
  at: Timestamp,
  /** `trend`: in 8 of 10 cases it begins to fail within this time. */
  interval: z.tuple([Timestamp, Timestamp]).optional(),
  /** `trend` and `recurrence`: what it is concluded from. */
  because: z.string().optional(),
  /**
   * What the confidence rests on: dates of this policy and resource that came or were moved away; values of the attribute;
   * failures.
   */
  observations: z.int().min(0),
  /** The share of such cases that came true; null where there are too few to tell. */
  base_rate: z.number().nullable(),
  policy_id: z.string(),
  resource_id: z.string(),
  resource_type: z.string(),
  provider: z.string(),
  account_id: z.string().optional(),
  environment: z.string().optional(),
  exemption_id: z.string().optional(),
});
export type PredictiveAlert = z.infer<typeof PredictiveAlert>;

const states = z.enum(['on', 'off']);
/** Which methods are in use. */
const Methods = z.looseObject({
  date_certain: states,
  exemption_expiry: states,
  trend: states,
  recurrence: states,
});

/** A number from 0 to 1 in a query. */
const share = z
  .string()
  .regex(/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/, 'must be a number from 0 to 1, such as 0.8')
  .transform(Number);

export const predictionSortFields = ['at', 'severity', 'confidence'] as const;

const PredictionQuery = z.strictObject({
  limit: digits(z.int().min(1).max(100)).prefault(20),
  offset: digits(z.int().min(0)).optional(),
  sort_by: z.enum(predictionSortFields).default('at'),
  order: z.enum(['asc', 'desc']).default('asc'),
  horizon_days: digits(z.int().min(1).max(365)).prefault(30),
  min_confidence: share.optional(),
  method: commaListOf(PredictionMethod).optional(),
  severity: commaListOf(Severity).optional(),
  policy_id: scopeValues().optional(),
  ...scopeFilters,
});
const Comparison = z.looseObject({ rule: z.int(), text: z.string() });

const ExplainedAlert = PredictiveAlert.extend({
  /** `date_certain`: the comparisons with time that answer otherwise from then on. */
  comparisons: z.array(Comparison),
  /** How often such a date was moved away before it came, and how often it came. */
  renewed: z.int(),
  missed: z.int(),
});
export type ExplainedAlert = z.infer<typeof ExplainedAlert>;

const path = '/v1/violations/predictive';

export const predictions = {
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List predicted violations, soonest first',
    scope: 'governance:read',
    query: PredictionQuery,
    response: {
      status: 200,
      body: z.looseObject({
        predictive_alerts: z.array(PredictiveAlert),
        pagination: Pagination,
        methods: Methods,
      }),
    },
    errors: [],
  }),
  get: endpoint({
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get a predicted violation with its reason',
    scope: 'governance:read',
    ext: true,
    params: ById,
    response: {
      status: 200,
      body: ExplainedAlert,
    },
    errors: ['prediction_not_found'],
  }),
};

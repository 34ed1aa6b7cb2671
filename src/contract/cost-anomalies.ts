import * as z from 'zod';
import { Money } from './money.ts';
import { Timestamp, commaListOf, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { serverAssigned } from './policies.ts';
import { scopeValues } from './scope-filters.ts';
import { notBlank } from './text.ts';

export const anomalyStatuses = ['open', 'acknowledged', 'resolved'] as const;
export const AnomalyStatus = z.enum(anomalyStatuses);
export type AnomalyStatus = z.infer<typeof AnomalyStatus>;

const anomalyFeedbacks = ['expected', 'unexpected'] as const;
export const AnomalyFeedback = z.enum(anomalyFeedbacks);

export const anomalySeverities = ['low', 'medium', 'high', 'critical'] as const;
export const AnomalySeverity = z.enum(anomalySeverities);

const anomalyScopes = ['group', 'total'] as const;
export const AnomalyScope = z.enum(anomalyScopes);

/** Part of a group whose cost rose: its field, and the rise compared with the four weeks before. */
export const RootCause = z.looseObject({
  field: z.enum(['resource', 'region', 'service', 'account', 'provider']),
  key: z.string(),
  change: Money,
});

/** Consecutive days that cost more than expected. */
export const CostAnomaly = z.looseObject({
  id: z.string(),
  /** `group`: a service of an account of a provider; `total`: all cost of a currency. */
  scope: AnomalyScope,
  /** Of a group; an empty service or account: its charges have none. */
  provider: z.string().optional(),
  account_id: z.string().optional(),
  service: z.string().optional(),
  currency: z.string(),
  /** The first and the last day. */
  start: z.iso.date(),
  end: z.iso.date(),
  days: z.int().min(1),
  /** Whether it lasts until the end of the data. */
  ongoing: z.boolean(),
  /** Of all its days, rounded to 6 digits after the point. */
  expected: Money,
  actual: Money,
  impact: Money,
  /** Null: nothing was expected. */
  impact_percent: z.number().nullable(),
  /** Of the day that exceeded its expected cost most. */
  peak_percent: z.number().nullable(),
  /** By the share of all cost of these days: critical from 50%, high from 10%, medium from 2%. */
  severity: AnomalySeverity,
  status: AnomalyStatus,
  /** Why the service resolved it. */
  resolution: z.string().optional(),
  feedback: AnomalyFeedback.optional(),
  note: z.string().optional(),
  /** Who gave feedback last, and when. */
  feedback_by: z.string().optional(),
  feedback_at: Timestamp.optional(),
  /** The largest first; only of anomalies within 90 days before the end of the data. */
  root_causes: z.array(RootCause),
  /** The daily cost of the group: four weeks before, until a week after. */
  trend: z.looseObject({ start: z.iso.date(), costs: z.array(Money) }),
  detected_at: Timestamp,
  updated_at: Timestamp,
});
export type CostAnomaly = z.infer<typeof CostAnomaly>;

export const anomalySortFields = ['start', 'impact', 'severity', 'updated_at', 'id'] as const;

const CostAnomalyListQuery = listQuery(anomalySortFields, {
  provider: scopeValues().optional(),
  account: scopeValues().optional(),
  service: scopeValues().optional(),
  currency: scopeValues().optional(),
  scope: AnomalyScope.optional(),
  severity: commaListOf(AnomalySeverity).optional(),
  status: commaListOf(AnomalyStatus).optional(),
  /** Those that end on this day or later. */
  since: z.iso.date('must be a date such as 2026-01-31').optional(),
});
export type CostAnomalyListQuery = z.infer<typeof CostAnomalyListQuery>;

/** Feedback on an anomaly; null clears a field. Without a status, `expected` resolves it and `unexpected` acknowledges it. */
const CostAnomalyUpdate = z.strictObject({
  status: AnomalyStatus.optional(),
  feedback: AnomalyFeedback.nullish(),
  note: notBlank(2_000).nullish(),
  ...serverAssigned,
});
export type CostAnomalyUpdate = z.infer<typeof CostAnomalyUpdate>;

const noun = nounEndpoints({
  path: '/v1/cost/anomalies',
  ext: true,
  scope: { read: 'cost:read', change: 'cost:admin' },
  answer: CostAnomaly,
  missing: 'anomaly_not_found',
});

export const costAnomalies = {
  list: noun.list({
    summary: 'List cost anomalies, latest first',
    query: CostAnomalyListQuery,
    rows: { anomalies: z.array(CostAnomaly) },
  }),
  get: noun.get({ summary: 'Get a cost anomaly' }),
  update: noun.update({
    summary: 'Set the status of a cost anomaly, and record whether it was expected',
    body: CostAnomalyUpdate,
    errors: ['invalid_anomaly'],
  }),
};

import { hash } from 'node:crypto';
import * as z from 'zod';
import {
  AnomalyFeedback,
  AnomalyScope,
  AnomalySeverity,
  AnomalyStatus,
  RootCause,
  anomalySeverities,
} from '../../contract/cost-anomalies.ts';
import type { CostAnomaly, CostAnomalyListQuery } from '../../contract/cost-anomalies.ts';
import { Timestamp } from '../../contract/lists.ts';
import { dayNumber, dayText } from '../../cost/table/days.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { Count, Id, Key, shape } from '../shape.ts';
import type { Named } from '../shape.ts';
import type { CollectionSpec, LaneSpec } from '../store/store.ts';

/** An anomaly as it is answered, and whether it was announced. */
export interface StoredAnomaly extends Readonly<Named<CostAnomaly>> {
  /** As `groupOf`. */
  readonly group: string;
  readonly announced_at?: string;
}

type Group = Pick<StoredAnomaly, 'scope' | 'provider' | 'account_id' | 'service' | 'currency'>;

/** The same for the same series of cost. */
export const groupOf = ({ scope, provider = '', account_id = '', service = '', currency }: Group) =>
  hash('sha256', JSON.stringify([scope, provider, account_id, service, currency]), 'base64url');

export const anomalies: CollectionSpec<StoredAnomaly> = {
  name: 'cost_anomalies',
  index: {
    group: ({ group }) => group,
    scope: ({ scope }) => scope,
    provider: ({ provider }) => provider,
    account: ({ account_id: id }) => id,
    service: ({ service }) => service,
    currency: ({ currency }) => currency,
    severity: ({ severity }) => severity,
    status: ({ status }) => status,
    feedback: ({ feedback }) => feedback,
    end: ({ end }) => end,
  },
  order: {
    start: ({ start }) => start,
    impact: ({ impact }) => Number(impact),
    severity: ({ severity }) => anomalySeverities.indexOf(severity),
    updated_at: ({ updated_at: at }) => at,
    end: ({ end }) => end,
    id: ({ id }) => id,
  },
};

/** Days that an anomaly is kept after its end. */
export const keptDays = 2 * 366;

export const anomalyFilters = (query: CostAnomalyListQuery, now: number): Filters => ({
  ...anyOf(query, ['provider', 'account', 'service', 'currency', 'scope', 'severity', 'status']),
  ...(query.since === undefined ? {} : { end: { any: daysSince(query.since, now) } }),
});

/** Every day from one to today, as far as anomalies are kept. */
function daysSince(since: string, now: number): readonly string[] {
  const today = Math.floor(now / 86_400_000);
  const first = Math.max(dayNumber(since), today - keptDays);
  return Array.from({ length: Math.max(0, today + 1 - first) }, (_, at) => dayText(first + at));
}

/** What the last detection looked at. */
export interface StoredDetection {
  readonly id: 'detection';
  /** A hash over the charges, the thresholds and the feedback; '' if none was completed. */
  readonly content: string;
}

export const detections: CollectionSpec<StoredDetection> = {
  name: 'anomaly_detection',
  order: { id: ({ id }) => id },
};

/** The lane of the only detection. */
export const anomalyLanes: LaneSpec = { name: 'anomalies' };

export const detectionShape = shape<StoredDetection>({
  id: z.literal('detection'),
  content: z.string(),
});

const Decimal = z.string().regex(/^-?\d{1,20}(\.\d{1,6})?$/);
const Day = z.iso.date();

export const anomalyShape = shape<StoredAnomaly>({
  id: Id,
  group: Key,
  scope: AnomalyScope,
  provider: z.string().optional(),
  account_id: z.string().optional(),
  service: z.string().optional(),
  currency: z.string(),
  start: Day,
  end: Day,
  days: Count,
  ongoing: z.boolean(),
  expected: Decimal,
  actual: Decimal,
  impact: Decimal,
  impact_percent: z.number().nullable(),
  peak_percent: z.number().nullable(),
  severity: AnomalySeverity,
  status: AnomalyStatus,
  resolution: z.string().optional(),
  feedback: AnomalyFeedback.optional(),
  note: z.string().optional(),
  feedback_by: z.string().optional(),
  feedback_at: Timestamp.optional(),
  root_causes: z.array(RootCause),
  trend: z.looseObject({ start: Day, costs: z.array(Decimal) }),
  announced_at: Timestamp.optional(),
  detected_at: Timestamp,
  updated_at: Timestamp,
});

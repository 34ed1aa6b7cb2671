import { hash } from 'node:crypto';
import type { PredictionMethod } from '../../contract/predictions.ts';
import { isTypePattern, typeKey } from '../../contract/resources.ts';
import type { Limit } from '../../engine/predict/limits.ts';
import type { Point } from '../../engine/predict/trend.ts';
import { anyPattern } from '../policies/collection.ts';
import type { CollectionSpec } from '../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { Count, Id, Key, Moment, keyed, shape } from '../shape.ts';

/** When a resource will fail a policy because time goes on, and how such dates turned out before. */
export interface StoredFlip {
  /** As `alertId`. */
  readonly id: string;
  readonly policy_id: string;
  readonly resource_id: string;
  readonly resource_type: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly environment?: string;
  /** ISO 8601; absent where no such moment is known, and the row only counts. */
  readonly at?: string;
  /** What the policy will say. */
  readonly message?: string;
  /** How often such a date was moved away before it came, and how often it came. */
  readonly renewed: number;
  readonly missed: number;
  readonly updated_at: string;
}

export const flips: CollectionSpec<StoredFlip> = {
  name: 'flips',
  index: {
    policy_id: (flip) => flip.policy_id,
    resource_id: (flip) => flip.resource_id,
    /** Those with a date. */
    coming: (flip) => (flip.at === undefined ? undefined : 'yes'),
    /** The policies of those whose dates came or were moved away. */
    counted: (flip) => (flip.renewed + flip.missed > 0 ? flip.policy_id : undefined),
    provider: (flip) => flip.provider.toLowerCase(),
    account_id: (flip) => flip.account_id,
    environment: (flip) => flip.environment,
  },
  order: { at: (flip) => flip.at, id: (flip) => flip.id },
};

/** The numbers that a policy compares attributes with; absent where it compares none, or is disabled. */
export interface StoredLimits {
  /** Of the policy. */
  readonly id: string;
  readonly resource_type: string;
  readonly limits: readonly Limit[];
}

export const policyLimits: CollectionSpec<StoredLimits> = {
  name: 'policy_limits',
  index: {
    type: ({ resource_type: type }) => (isTypePattern(type) ? anyPattern : typeKey(type)),
  },
  order: { id: ({ id }) => id },
};

/** How the attributes of a resource changed that policies compare with numbers. */
export interface StoredHistory {
  /** Of the resource. */
  readonly id: string;
  readonly resource_type: string;
  readonly series: readonly {
    readonly path: readonly string[];
    readonly points: readonly Point[];
  }[];
}

export const attributeHistories: CollectionSpec<StoredHistory> = {
  name: 'attribute_histories',
  index: { type: (history) => typeKey(history.resource_type) },
  order: { id: ({ id }) => id, oldest: oldestPoint },
};

/** In milliseconds since the epoch. */
export function oldestPoint({ series }: StoredHistory): number | undefined {
  const times = series.flatMap(({ points: [first] }) => (first ? [first[0]] : []));
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** A violation that is likely because of what was before. */
export interface StoredForecast {
  /** As `alertId`. */
  readonly id: string;
  readonly method: 'trend' | 'recurrence';
  readonly policy_id: string;
  readonly resource_id: string;
  readonly resource_type: string;
  readonly provider: string;
  readonly account_id?: string;
  readonly environment?: string;
  /** ISO 8601. */
  readonly at: string;
  readonly interval?: readonly [string, string];
  readonly confidence: number;
  readonly observations: number;
  readonly base_rate: number | null;
  readonly because: string;
  /** What the policy will say. */
  readonly message: string;
  /** When the pass began that made it, in milliseconds since the epoch. */
  readonly pass: number;
}

export const forecasts: CollectionSpec<StoredForecast> = {
  name: 'forecasts',
  index: {
    policy_id: (forecast) => forecast.policy_id,
    resource_id: (forecast) => forecast.resource_id,
    method: (forecast) => forecast.method,
    pass: (forecast) => String(forecast.pass),
    provider: (forecast) => forecast.provider.toLowerCase(),
    account_id: (forecast) => forecast.account_id,
    environment: (forecast) => forecast.environment,
  },
  order: { at: (forecast) => forecast.at, id: (forecast) => forecast.id, pass: ({ pass }) => pass },
};

/** The same for the same policy, resource and method, so that an alert is known again. */
export const alertId = (policyId: string, resourceId: string, method: PredictionMethod): string =>
  `pra_${hash('sha256', [policyId, resourceId, method].join('\n'), 'hex').slice(0, 26)}`;

/** What a prediction is about. */
const pair = {
  id: Id,
  policy_id: Id,
  resource_id: Key,
  resource_type: z.string(),
  provider: z.string(),
  account_id: z.string().optional(),
  environment: z.string().optional(),
};

export const flipShape = keyed(
  shape<StoredFlip>({
    ...pair,
    at: Timestamp.optional(),
    message: z.string().optional(),
    renewed: Count,
    missed: Count,
    updated_at: Timestamp,
  }),
  ({ policy_id, resource_id }) => alertId(policy_id, resource_id, 'date_certain'),
);

const path = z.array(z.string()).min(1);

export const limitsShape = shape<StoredLimits>({
  id: Id,
  resource_type: z.string(),
  limits: z.array(shape<Limit>({ path, op: z.enum(['<', '<=', '>', '>=']), value: z.number() })),
});

export const historyShape = shape<StoredHistory>({
  id: Key,
  resource_type: z.string(),
  series: z.array(
    shape<StoredHistory['series'][number]>({
      path,
      points: z.array(z.tuple([Moment, z.number()])),
    }),
  ),
});

export const forecastShape = keyed(
  shape<StoredForecast>({
    ...pair,
    method: z.enum(['trend', 'recurrence']),
    at: Timestamp,
    interval: z.tuple([Timestamp, Timestamp]).optional(),
    confidence: z.number().min(0).max(1),
    observations: Count,
    base_rate: z.number().nullable(),
    because: z.string(),
    message: z.string(),
    pass: Moment,
  }),
  ({ policy_id, resource_id, method }) => alertId(policy_id, resource_id, method),
);

import * as z from 'zod';
import { Money } from './money.ts';
import { CostGrouping, Currency, costFilterFields, costMetrics } from './cost.ts';
import { endpoint } from './endpoint.ts';
import { digits } from './lists.ts';

/** An amount that is estimated, rounded to 6 digits after the point. */
const Estimate = Money;
const Interval = z.tuple([Estimate, Estimate]);
const Day = z.iso.date();

/** Of a day, or of the sum of several. The intervals should contain 80% and 95% of the real values. */
const estimate = {
  mean: Estimate,
  interval_80: Interval,
  interval_95: Interval,
};

/** A forecast of one series of daily cost. */
export const CostForecast = z.looseObject({
  currency: z.string(),
  /** `total`: all charges that match the filters; `other`: those of no listed group. */
  part: z.enum(['total', 'group', 'other']),
  /** Of a group; empty: charges without a value. */
  key: z.string().optional(),
  /** `mean`: under 28 days of data; `none`: under 7. */
  method: z.enum(['median_of_three', 'mean', 'none']),
  /** Why there is no forecast. */
  reason: z.string().optional(),
  note: z.string().optional(),
  /** The last days with complete data. */
  history: z.array(z.looseObject({ date: Day, cost: Money })),
  points: z.array(z.looseObject({ date: Day, ...estimate })),
  /** Of all points; absent: none. `end` is the day after the last. */
  total: z.looseObject({ start: Day, end: Day, ...estimate }).optional(),
  /** Months that end within the horizon: the exact cost so far and the forecast of the remaining days. */
  months: z.array(z.looseObject({ month: z.string(), so_far: Money, ...estimate })),
  /** Forecasts of 14 days that could have been made in each week of the last half year, from the data known then. */
  backtest: z
    .looseObject({
      forecasts: z.int(),
      /** Mean absolute errors per day: of this method, and of repeating the last week. */
      mae: Estimate,
      seasonal_naive_mae: Estimate,
      /** Shares of days within the 80% and 95% intervals; null: too few days. */
      coverage: z.number().nullable(),
      coverage_95: z.number().nullable(),
    })
    .optional(),
});
export type CostForecast = z.infer<typeof CostForecast>;

const longestHorizon = 365;

const CostForecastQuery = z.strictObject({
  horizon_days: digits(z.int().min(1).max(longestHorizon)).prefault(30),
  group_by: CostGrouping.optional(),
  metric: z.enum(costMetrics).default('effective'),
  currency: Currency.optional(),
  ...costFilterFields,
});

export const CostForecasts = z.looseObject({
  horizon_days: z.int(),
  metric: z.enum(costMetrics),
  group_by: z.string().nullable(),
  /** The days that the forecasts are made from, `end` exclusive; null: no day is complete. */
  history: z.looseObject({ start: Day, end: Day }).nullable(),
  forecasts: z.array(CostForecast),
});
export type CostForecasts = z.infer<typeof CostForecasts>;

export const costForecast = {
  get: endpoint({
    method: 'GET',
    path: '/v1/cost/forecast',
    summary: 'Forecast daily usage cost, with prediction intervals',
    scope: 'cost:read',
    query: CostForecastQuery,
    response: { status: 200, body: CostForecasts },
    errors: [],
  }),
};

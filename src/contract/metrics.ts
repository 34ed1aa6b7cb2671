import { inThrees } from './in-threes.ts';
import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { Timestamp } from './lists.ts';
import { maxResourceId } from './resources.ts';

/** `memory` is what is in use, `memory_available` what is not. */
const metricNames = ['cpu', 'memory', 'memory_available'] as const;

/** Of an average: one over a longer time hides peaks. */
const longestAverage = 300;
const longestPeriod = 86_400;
/** A pebibyte. */
const mostBytes = 2 ** 50;
/** Virtual machines that share a processor may use more than their share of it for a while. */
const mostCpu = 1_000;

const Statistics = z.strictObject({
  min: z.number().optional(),
  max: z.number().optional(),
  average: z.number().optional(),
  p95: z.number().optional(),
  p99: z.number().optional(),
  p99_5: z.number().optional(),
});

/** One line: how much of a virtual machine was in use over a period. */
export const MetricPoint = z
  .strictObject({
    resource_id: z.string().min(1).max(maxResourceId),
    metric: z.enum(metricNames),
    /** `bytes` of memory only. */
    unit: z.enum(['percent', 'bytes']).default('percent'),
    /** The beginning of the period. */
    at: Timestamp,
    period_seconds: z.int().min(1).max(longestPeriod),
    value: z.number().optional(),
    statistics: Statistics.optional(),
  })
  .superRefine((point, context) => {
    const { metric, unit, period_seconds: period, value, statistics } = point;
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], message });
    if ((value === undefined) === (statistics === undefined)) {
      return refuse('value', 'is required unless statistics is set; use only one of the two');
    }
    if (metric === 'cpu' && unit !== 'percent') return refuse('unit', 'must be percent for cpu');
    const most = unit === 'bytes' ? mostBytes : metric === 'cpu' ? mostCpu : 100;
    const wrong = Object.entries({ value, ...statistics }).find(
      ([, number]) => number !== undefined && (number < 0 || number > most),
    );
    if (wrong) {
      const field = value === undefined ? `statistics.${wrong[0]}` : 'value';
      return refuse(field, `must be from 0 to ${most}`);
    }
    if (peakOf(point) !== undefined) return;
    const wanted = metric === 'memory_available' ? 'statistics.min' : 'statistics.max';
    if (value === undefined && statistics?.average === undefined) {
      return refuse('statistics', `must have ${wanted.slice(wanted.indexOf('.') + 1)}`);
    }
    return refuse(
      'period_seconds',
      `must be at most ${longestAverage} for an average, not ${inThrees(period)}: longer averages hide peaks; use ${wanted}`,
    );
  });
export type MetricPoint = z.infer<typeof MetricPoint>;

/** The number of a point that says how much was in use at most; undefined where none does. */
export function peakOf({
  metric,
  period_seconds: period,
  value,
  statistics: { max, min, average, p99_5 } = {},
}: Pick<MetricPoint, 'metric' | 'period_seconds' | 'value' | 'statistics'>): number | undefined {
  const mean = period <= longestAverage ? (value ?? average) : undefined;
  if (metric === 'memory_available') return min ?? mean;
  return max ?? (metric === 'cpu' ? p99_5 : undefined) ?? mean;
}

const count = z.int().min(0);

const MetricsAnswer = z.looseObject({
  /** Lines with a point. */
  points: count,
  /** Distinct virtual machines of these points. */
  resources: count,
  /** Times of the first and of the last that was stored. */
  from: Timestamp.optional(),
  until: Timestamp.optional(),
  /** Quarters of an hour that changed; 0 if the same points were stored before. */
  changed: count,
  /** Skipped points: of unknown resources, older than they are kept (90 days by default), or in bytes for sizes whose memory is unknown. */
  left_out: z.looseObject({ unknown_resource: count, too_old: count, unknown_size: count }),
});
export type MetricsAnswer = z.infer<typeof MetricsAnswer>;

export const metrics = {
  import: endpoint({
    method: 'POST',
    path: '/v1/metrics',
    summary:
      'Import the utilization of virtual machines, one data point per line, all or nothing; importing the same points again changes nothing',
    scope: 'cost:admin',
    ext: true,
    streamed: 'application/x-ndjson',
    query: z.strictObject({
      /** What to do with points of resources that are not in the inventory. */
      unknown: z.enum(['refuse', 'skip']).default('refuse'),
    }),
    response: { status: 200, body: MetricsAnswer },
    errors: ['invalid_metric', 'body_too_large', 'unavailable'],
  }),
};

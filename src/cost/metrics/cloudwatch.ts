import type { ExportOptions, ExportedPoint, KnownMetric, ReadExport, Statistic } from './export.ts';
import {
  ExportError,
  at,
  isObject,
  isoTime,
  leaveOut,
  listAt,
  named,
  periodOf,
  resourceOf,
  textAt,
  timeOf,
} from './export.ts';

/** Of EC2, and of the CloudWatch agent on Linux and Windows. */
const metrics = new Map<string, KnownMetric>([
  ['CPUUtilization', { metric: 'cpu', unit: 'percent' }],
  ['mem_used_percent', { metric: 'memory', unit: 'percent' }],
  ['MemoryUtilization', { metric: 'memory', unit: 'percent' }],
  ['Memory % Committed Bytes In Use', { metric: 'memory', unit: 'percent' }],
]);

export const isStatistics = (value: unknown): boolean => Array.isArray(at(value, 'Datapoints'));
export const isMetricData = (value: unknown): boolean =>
  Array.isArray(at(value, 'MetricDataResults'));

/** What `aws cloudwatch get-metric-statistics` prints. @throws ExportError */
export function readStatistics(value: unknown, options: ExportOptions): ReadExport {
  const label = textAt(value, 'Label') ?? '';
  const datapoints = listAt(value, 'Datapoints', 'Datapoints');
  const known = metrics.get(label);
  if (!known) return { points: [], leftOut: new Map([[label, datapoints.length]]) };
  if (datapoints.length === 0) return { points: [], leftOut: new Map() };
  const resource_id = resourceOf(undefined, options, 'Datapoints');
  const times = datapoints.map((one, n) =>
    timeOf(at(one, 'Timestamp'), `Datapoints[${n}].Timestamp`),
  );
  const period_seconds = periodOf(times, options, 'Datapoints');
  const points = datapoints.map((one, n): ExportedPoint => {
    const statistics = {
      ...(at(one, 'Minimum') === undefined ? {} : { min: at(one, 'Minimum') }),
      ...(at(one, 'Average') === undefined ? {} : { average: at(one, 'Average') }),
      ...(at(one, 'Maximum') === undefined ? {} : { max: at(one, 'Maximum') }),
      ...extended(at(one, 'ExtendedStatistics')),
    };
    const { metric, unit } = known;
    const when = { at: isoTime(times[n] ?? NaN), period_seconds };
    return {
      point: { resource_id, metric, unit, ...when, statistics },
      place: `Datapoints[${n}]`,
    };
  });
  return { points, leftOut: new Map() };
}

/** The percentiles that are taken: `p95`, `p99`, `p99.5`. */
const extended = (value: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    ['p95', 'p99', 'p99.5'].flatMap((name) => {
      const found = at(value, name);
      return found === undefined ? [] : [[name.replace('.', '_'), found]];
    }),
  );

/** In a label: the ID of an instance, and a statistic. */
const instance = /\bi-(?:[0-9a-f]{17}|[0-9a-f]{8})\b/;
const statisticsIn: readonly (readonly [RegExp, Statistic])[] = [
  [/\bMaximum\b/i, 'maximum'],
  [/\bMinimum\b/i, 'minimum'],
  [/\bAverage\b/i, 'average'],
];

/**
 * What `aws cloudwatch get-metric-data` prints: each label has the name of its metric and, where they are asked for, the ID
 * of the instance and the statistic. @throws ExportError
 */
export function readMetricData(value: unknown, options: ExportOptions): ReadExport {
  const points: ExportedPoint[] = [];
  const leftOut = new Map<string, number>();
  for (const [n, series] of listAt(value, 'MetricDataResults', 'MetricDataResults').entries()) {
    const place = `MetricDataResults[${n}]`;
    if (!isObject(series)) throw new ExportError(place, 'must be an object');
    const label = textAt(series, 'Label') ?? '';
    const times = listAt(series, 'Timestamps', place);
    const values = listAt(series, 'Values', place);
    if (times.length !== values.length) {
      throw new ExportError(place, `has ${times.length} Timestamps, but ${values.length} Values`);
    }
    const known = [...metrics].find(([name]) => label.includes(name))?.[1];
    if (!known) leaveOut(leftOut, label, values.length);
    if (!known || values.length === 0) continue;
    const resource_id = resourceOf(instance.exec(label)?.[0], options, place);
    const statistic =
      statisticsIn.find(([form]) => form.test(label))?.[1] ?? options.statistic ?? 'average';
    const ms = times.map((time, at) => timeOf(time, `${place}.Timestamps[${at}]`));
    const period_seconds = periodOf(ms, options, place);
    const { metric, unit } = known;
    for (const [index, number] of values.entries()) {
      const when = { at: isoTime(ms[index] ?? NaN), period_seconds };
      const statistics = named(statistic, number, known);
      points.push({
        point: { resource_id, metric, unit, ...when, statistics },
        place: `${place}.Values[${index}]`,
      });
    }
  }
  return { points, leftOut };
}

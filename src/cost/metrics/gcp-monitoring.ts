import type { ExportOptions, ExportedPoint, KnownMetric, ReadExport } from './export.ts';
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

/** Of Compute Engine, and of the Ops Agent. */
const metrics = new Map<string, KnownMetric>([
  [
    'compute.googleapis.com/instance/cpu/utilization',
    { metric: 'cpu', unit: 'percent', times: 100 },
  ],
  ['agent.googleapis.com/memory/percent_used', { metric: 'memory', unit: 'percent' }],
  ['compute.googleapis.com/instance/memory/balloon/ram_used', { metric: 'memory', unit: 'bytes' }],
]);

const isSeries = (value: unknown): boolean =>
  textAt(value, 'metric', 'type') !== undefined && Array.isArray(at(value, 'points'));

/** The answer of `timeSeries.list`, or the list of series that commands print. */
export function isGcpMonitoring(value: unknown): boolean {
  const all = Array.isArray(value) ? (value as unknown[]) : at(value, 'timeSeries');
  return Array.isArray(all) && all.length > 0 && all.every(isSeries);
}

/** @throws ExportError */
export function readGcpMonitoring(value: unknown, options: ExportOptions): ReadExport {
  const points: ExportedPoint[] = [];
  const leftOut = new Map<string, number>();
  const [all, name] = Array.isArray(value)
    ? [value as unknown[], '']
    : [listAt(value, 'timeSeries', 'timeSeries'), 'timeSeries'];
  for (const [n, series] of all.entries()) {
    const place = `${name}[${n}]`;
    const type = textAt(series, 'metric', 'type') ?? '';
    const given = listAt(series, 'points', place);
    const known = metrics.get(type);
    // The agent says of memory what is used, cached, buffered and free, each as a series.
    const state = textAt(series, 'metric', 'labels', 'state') ?? 'used';
    if (!known || state !== 'used') {
      leaveOut(leftOut, state === 'used' ? type : `${type} (${state})`, given.length);
      continue;
    }
    if (given.length === 0) continue;
    const resource_id = resourceOf(machineOf(series), options, place);
    const ends = given.map((one, index) =>
      timeOf(at(one, 'interval', 'endTime'), `${place}.points[${index}].interval.endTime`),
    );
    const period_seconds = periodOf(ends, options, place);
    const { metric, unit } = known;
    for (const [index, one] of given.entries()) {
      const where = `${place}.points[${index}]`;
      const when = { at: isoTime((ends[index] ?? NaN) - period_seconds * 1_000), period_seconds };
      const statistics = named(options.statistic ?? 'average', numberOf(one, where), known);
      points.push({ point: { resource_id, metric, unit, ...when, statistics }, place: where });
    }
  }
  return { points, leftOut };
}

/** @throws ExportError */
function numberOf(point: unknown, place: string): number {
  const value = at(point, 'value');
  const double = at(value, 'doubleValue');
  // JSON has whole numbers of 64 bits as texts.
  const whole = textAt(value, 'int64Value');
  const number = typeof double === 'number' ? double : Number(whole ?? NaN);
  if (isObject(value) && Number.isFinite(number)) return number;
  throw new ExportError(`${place}.value`, 'must have a doubleValue or an int64Value');
}

/** Its full name, as inventories have it; series name the machine beside its number. */
function machineOf(series: unknown): string | undefined {
  const label = (key: string): string | undefined => textAt(series, 'resource', 'labels', key);
  const [project, zone] = [label('project_id'), label('zone')];
  const name =
    textAt(series, 'metric', 'labels', 'instance_name') ??
    textAt(series, 'metadata', 'systemLabels', 'name');
  if (project === undefined || zone === undefined || name === undefined) return undefined;
  return `//compute.googleapis.com/projects/${project}/zones/${zone}/instances/${name}`;
}

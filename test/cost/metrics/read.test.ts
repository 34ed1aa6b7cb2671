import { describe, expect, it } from 'vitest';
import { ExportError } from '../../../src/cost/metrics/export.ts';
import type { ExportOptions } from '../../../src/cost/metrics/export.ts';
import { findFormat } from '../../../src/cost/metrics/read.ts';

/** Format, points as JSON and what was left out; or what is wrong, and where. */
function read(value: unknown, options: ExportOptions = {}) {
  const format = findFormat(value);
  if (!format) return 'unknown';
  try {
    const { points, leftOut } = format.read(options);
    return { format: format.name, points: points.map(({ point }) => point), leftOut: Object.fromEntries(leftOut) }; // prettier-ignore
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    return `${error.place}: ${error.message}`;
  }
}

describe('get-metric-statistics of CloudWatch', () => {
  const statistics = {
    Label: 'CPUUtilization',
    Datapoints: [
      { Timestamp: '2026-01-02T01:00:00+00:00', Maximum: 40.5, Average: 10, Unit: 'Percent' },
      { Timestamp: '2026-01-02T00:00:00Z', Maximum: 30, ExtendedStatistics: { 'p99.5': 29 } },
      { Timestamp: '2026-01-02T05:00:00+01:00', Maximum: 20 },
    ],
  };

  it('has points in no order: the closest two show the period', () => {
    expect(read(statistics, { resource: 'i-1' })).toEqual({
      format: 'CloudWatch statistics',
      leftOut: {},
      points: [
        ['2026-01-02T01:00:00.000Z', { average: 10, max: 40.5 }],
        ['2026-01-02T00:00:00.000Z', { max: 30, p99_5: 29 }],
        ['2026-01-02T04:00:00.000Z', { max: 20 }],
      ].map(([at, its]) => ({
        resource_id: 'i-1',
        metric: 'cpu',
        unit: 'percent',
        at,
        period_seconds: 3_600,
        statistics: its,
      })),
    });
  });

  it('asks for the machine, and for the period of a single point', () => {
    expect(read(statistics)).toBe(
      'Datapoints: does not include the ID of a virtual machine: pass it as --resource',
    );
    const one = { ...statistics, Datapoints: statistics.Datapoints.slice(0, 1) };
    expect(read(one, { resource: 'i-1' })).toMatch(/^Datapoints: does not include the period/);
    expect(read(one, { resource: 'i-1', period: 60 })).toMatchObject({
      points: [{ period_seconds: 60 }],
    });
    const empty = { ...statistics, Datapoints: [] };
    expect(read(empty)).toMatchObject({ points: [] });
  });

  it('may be of another metric, which is left out', () => {
    expect(read({ Label: 'NetworkIn', Datapoints: [{}, {}] })).toEqual({
      format: 'CloudWatch statistics',
      points: [],
      leftOut: { NetworkIn: 2 },
    });
  });

  it('has times that can be read, or none of it is', () => {
    const wrong = { Label: 'CPUUtilization', Datapoints: [{ Timestamp: '01/02/2026' }] };
    expect(read(wrong, { resource: 'i-1' })).toBe(
      'Datapoints[0].Timestamp: must be a time such as 2026-01-31T09:30:00Z, not "01/02/2026"',
    );
  });

  it('is read as botocore records it, too', () => {
    const Timestamp = {
      __class__: 'datetime',
      year: 2016,
      month: 6,
      day: 21,
      hour: 20,
      minute: 59,
      second: 0,
      microsecond: 0,
    };
    const recorded = {
      status_code: 200,
      data: { Label: 'CPUUtilization', Datapoints: [{ Timestamp, Average: 0.5 }] },
    };
    expect(read(recorded, { resource: 'i-1', period: 300 })).toMatchObject({
      points: [{ at: '2016-06-21T20:59:00.000Z', statistics: { average: 0.5 } }],
    });
  });
});

describe('get-metric-data of CloudWatch', () => {
  const Timestamps = ['2026-01-02T00:05:00Z', '2026-01-02T00:00:00Z'];

  it('names metric, instance and statistic in its labels', () => {
    const value = {
      MetricDataResults: [
        {
          Id: 'a',
          Label: 'i-0123456789abcdef0 CPUUtilization Maximum',
          Timestamps,
          Values: [1, 2],
        },
        { Id: 'b', Label: 'mem_used_percent i-01234567', Timestamps, Values: [3, 4] },
        { Id: 'c', Label: 'NetworkIn', Timestamps, Values: [5, 6] },
        { Id: 'd', Label: 'CPUUtilization', Timestamps: [], Values: [] },
      ],
      Messages: [],
    };
    expect(read(value, { statistic: 'minimum' })).toMatchObject({
      format: 'CloudWatch metric data',
      leftOut: { NetworkIn: 2 },
      points: [
        {
          resource_id: 'i-0123456789abcdef0',
          metric: 'cpu',
          statistics: { max: 1 },
          period_seconds: 300,
        },
        { at: '2026-01-02T00:00:00.000Z', statistics: { max: 2 } },
        { resource_id: 'i-01234567', metric: 'memory', statistics: { min: 3 } },
        { statistics: { min: 4 } },
      ],
    });
  });

  it('has as many times as values', () => {
    const value = { MetricDataResults: [{ Label: 'CPUUtilization', Timestamps, Values: [1] }] };
    expect(read(value, { resource: 'x' })).toBe(
      'MetricDataResults[0]: has 2 Timestamps, but 1 Values',
    );
  });
});

describe('az monitor metrics list', () => {
  const id = '/subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/web';
  const metric = (name: string, data: readonly unknown[]) => ({
    id: `${id}/providers/Microsoft.Insights/metrics/${name}`,
    name: { value: name, localizedValue: name },
    timeseries: [{ data, metadatavalues: [] }],
    unit: 'Percent',
  });

  it.each([
    ['PT15M', 900],
    ['0:01:00', 60],
    ['PT1H', 3_600],
    ['P1D', 86_400],
  ])('names machine, metric and, as %s, the period', (interval, seconds) => {
    const value = {
      interval,
      value: [
        metric('Percentage CPU', [
          {
            timeStamp: '2026-01-02T00:00:00Z',
            average: 5,
            maximum: 20,
            minimum: null,
            total: null,
          },
          { timeStamp: '2026-01-02T00:15:00Z', average: null, maximum: null },
        ]),
        metric('Available Memory Bytes', [{ timeStamp: '2026-01-02T00:00:00Z', minimum: 1_000 }]),
        metric('Network In Total', [{ timeStamp: '2026-01-02T00:00:00Z', total: 1 }]),
      ],
    };
    const when = { resource_id: id, at: '2026-01-02T00:00:00.000Z', period_seconds: seconds };
    expect(read(value)).toEqual({
      format: 'Azure Monitor',
      leftOut: { 'Network In Total': 1 },
      points: [
        { ...when, metric: 'cpu', unit: 'percent', statistics: { average: 5, max: 20 } },
        { ...when, metric: 'memory_available', unit: 'bytes', statistics: { min: 1_000 } },
      ],
    });
  });
});

describe('timeSeries.list of Google', () => {
  const series = (type: string, labels: object, values: readonly object[]) => ({
    metric: { type, labels: { instance_name: 'web', ...labels } },
    resource: {
      type: 'gce_instance',
      labels: { project_id: 'p', zone: 'europe-west1-b', instance_id: '123' },
    },
    points: values.map((value, at) => ({
      interval: {
        startTime: `2026-01-02T00:0${5 - at}:00Z`,
        endTime: `2026-01-02T00:0${5 - at}:00Z`,
      },
      value,
    })),
  });

  it('names the machine; CPU is a share, a number stands for the time before it', () => {
    const timeSeries = [
      series('compute.googleapis.com/instance/cpu/utilization', {}, [
        { doubleValue: 0.25 },
        { doubleValue: 0.5 },
      ]),
      series('agent.googleapis.com/memory/percent_used', { state: 'used' }, [
        { doubleValue: 33 },
        { int64Value: '40' },
      ]),
      series('agent.googleapis.com/memory/percent_used', { state: 'free' }, [{ doubleValue: 50 }]),
    ];
    const name = '//compute.googleapis.com/projects/p/zones/europe-west1-b/instances/web';
    const expected = {
      format: 'Google Cloud Monitoring',
      leftOut: { 'agent.googleapis.com/memory/percent_used (free)': 1 },
      points: [
        {
          resource_id: name,
          metric: 'cpu',
          at: '2026-01-02T00:04:00.000Z',
          period_seconds: 60,
          statistics: { average: 25 },
        },
        { at: '2026-01-02T00:03:00.000Z', statistics: { average: 50 } },
        { metric: 'memory', statistics: { average: 33 } },
        { statistics: { average: 40 } },
      ],
    };
    expect(read({ timeSeries })).toMatchObject(expected);
    expect(read(timeSeries)).toMatchObject(expected);
    expect(read({ timeSeries }, { statistic: 'maximum' })).toMatchObject({
      points: [{ statistics: { max: 25 } }, {}, {}, {}],
    });
  });

  it('has numbers, and no distributions', () => {
    const one = series('compute.googleapis.com/instance/cpu/utilization', {}, [
      { distributionValue: {} },
    ]);
    expect(read({ timeSeries: [one] }, { period: 60 })).toBe(
      'timeSeries[0].points[0].value: must have a doubleValue or an int64Value',
    );
  });
});

it.each([
  null,
  1,
  'x',
  [],
  {},
  { value: [] },
  { value: [{}] },
  { timeSeries: [] },
  [{}],
  { Datapoints: 1 },
])('anything else, such as %j, is no export of metrics', (value) => {
  expect(read(value)).toBe('unknown');
});

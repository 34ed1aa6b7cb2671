import type { Got, TestService } from '../test-service.ts';

export const machineId = 'i-0123456789abcdef0';

/** A virtual machine, as inventories have one. */
export const machine = (
  id: string,
  size: string,
  more: Readonly<Record<string, unknown>> = {},
) => ({
  id,
  type: 'AWS::EC2::Instance',
  account_id: '11',
  region: 'eu-west-1',
  instance_type: size,
  properties: { InstanceType: size },
  ...more,
});

export const putMachines = (
  service: TestService,
  ...resources: readonly Readonly<Record<string, unknown>>[]
): Promise<Got> => service.send('POST', '/v1/resources', { body: { resources } });

export interface Point {
  readonly resource_id: string;
  readonly metric: string;
  readonly unit?: string;
  readonly at: string;
  readonly period_seconds: number;
  readonly value?: number;
  readonly statistics?: Readonly<Record<string, number>>;
}

const hour = 3_600_000;

/** The highest utilization of each of so many hours from a time on. */
export const hourly = (
  resource_id: string,
  metric: string,
  from: string,
  values: readonly number[],
): Point[] =>
  values.map((max, at) => ({
    resource_id,
    metric,
    at: new Date(Date.parse(from) + at * hour).toISOString(),
    period_seconds: 3_600,
    statistics: { max },
  }));

export const constant = (value: number, days: number): number[] =>
  Array.from({ length: days * 24 }, () => value);

export const sendLines = (
  service: TestService,
  lines: readonly string[],
  search = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Got> =>
  service.send('POST', `/v1/metrics${search}`, {
    text: lines.join('\n'),
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });

export const sendMetrics = (
  service: TestService,
  points: readonly Point[],
  search = '',
): Promise<Got> =>
  sendLines(
    service,
    points.map((one) => JSON.stringify(one)),
    search,
  );

/** Ids of all blobs, so that what is left behind is seen. */
export async function blobsOf({ deps }: TestService): Promise<string[]> {
  const ids: string[] = [];
  for await (const id of deps.store.blobs.list()) ids.push(id);
  return ids.sort();
}

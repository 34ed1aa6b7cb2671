import { startAnomalyDetection } from '../../../src/server/anomalies/detection.ts';
import { queueAnomalies, thresholdsOf } from '../../../src/server/anomalies/service.ts';
import type { Thresholds } from '../../../src/cost/anomalies/detect.ts';
import { createLaneRunner } from '../../../src/server/lanes/runner.ts';
import { putFocus } from '../cost/put-focus.ts';
import { eventsOf } from '../events/events-service.ts';
import { startTestService } from '../test-service.ts';
import type { Sent, TestService } from '../test-service.ts';

const header =
  'ProviderName,BillingAccountId,SubAccountId,ServiceName,RegionId,ResourceId,BillingCurrency,ChargeCategory,BilledCost,ChargePeriodStart,BillingPeriodStart';

/** What a service costs on a day. */
export interface Usage {
  readonly day: string;
  readonly cost: number;
  readonly service?: string;
  readonly account?: string;
  readonly region?: string;
  readonly resource?: string;
  readonly currency?: string;
  readonly category?: string;
}

export const csvOf = (lines: readonly Usage[]): string =>
  [
    header,
    ...lines.map(({ day, cost, ...of }) => {
      const { service = 'EC2', account = '11', region = 'eu-west-1', resource = 'i-1' } = of;
      const { currency = 'USD', category = 'Usage' } = of;
      return `AWS,1,${account},${service},${region},${resource},${currency},${category},${cost},${day},${day.slice(0, 7)}-01`;
    }),
  ].join('\n');

/** The days from 2025-11-01 to 2026-02-27; the last of them is not complete. */
const days = Array.from({ length: 119 }, (_, n) =>
  new Date(Date.UTC(2025, 10, 1 + n)).toISOString().slice(0, 10),
);

/** Usage of each day: 100, and half of it at weekends; on some days, times a factor. */
export const usage = (
  of: Partial<Usage> = {},
  { base = 100, raised = {} }: { base?: number; raised?: Readonly<Record<string, number>> } = {},
): Usage[] =>
  days.map((day, n) => ({
    day,
    cost: (n % 7 < 5 ? base : base / 2) * (raised[day] ?? 1),
    ...of,
  }));

/** Has a service look for anomalies of its charges, as it does after an import. */
export async function detectAnomalies({ deps }: Pick<TestService, 'deps'>): Promise<void> {
  await deps.store.transact((tx) => queueAnomalies(tx));
  const runner = startAnomalyDetection(deps, createLaneRunner, thresholdsOf({}));
  await runner.idle();
  await runner.stop(1_000);
}

export type Anomaly = Readonly<Record<string, unknown>> & { readonly id: string };

/** The service with anomalies that are looked for when a test says so. Now is 2026-03-01T12:00Z. */
export async function startAnomalies(thresholds: Thresholds = thresholdsOf({})) {
  const service = await startTestService();
  const { deps } = service;
  const runner = startAnomalyDetection(deps, createLaneRunner, thresholds);
  const events = eventsOf(service);
  return {
    ...service,
    /** Stores charges, and has anomalies looked for as an import does. */
    async spend(...lines: readonly Usage[]): Promise<void> {
      await putFocus(service, csvOf(lines));
      await deps.store.transact((tx) => queueAnomalies(tx));
      await runner.idle();
    },
    async list(search = ''): Promise<readonly Anomaly[]> {
      const got = await service.send('GET', `/v1/cost/anomalies${search}`);
      if (got.status !== 200) throw new Error(got.text);
      return got.json.anomalies as readonly Anomaly[];
    },
    change: (id: string, body: object, sent: Sent = {}) =>
      service.send('PUT', `/v1/cost/anomalies/${id}`, { ...sent, body }),
    /** What was announced since the last look. */
    async announced(): Promise<readonly Readonly<Record<string, unknown>>[]> {
      const fresh = await events.fresh();
      return fresh.flatMap(({ type, data }) => (type === 'cost.anomaly.detected' ? [data] : []));
    },
    async close() {
      await runner.stop(1_000);
      await service.close();
    },
  };
}

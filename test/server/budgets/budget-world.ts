import { createLaneRunner } from '../../../src/server/lanes/runner.ts';
import { startBudgetEvaluations } from '../../../src/server/budgets/evaluate.ts';
import { defaultOwnerTags } from '../../../src/server/config/config.ts';
import { queueBudgets } from '../../../src/server/budgets/service.ts';
import { putFocus } from '../cost/put-focus.ts';
import { eventsOf } from '../events/events-service.ts';
import { startTestService } from '../test-service.ts';
import type { Got } from '../test-service.ts';

export interface Charge {
  /** ISO day. */
  readonly day: string;
  readonly billed: string;
  readonly effective?: string;
  readonly currency?: string;
  readonly provider?: string;
  readonly service?: string;
  readonly account?: string;
  readonly resource?: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Default: the month of its day. */
  readonly month?: string;
}

const header =
  'ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,BilledCost,EffectiveCost,ChargePeriodStart,BillingPeriodStart,ResourceId,Tags';

export const focusOf = (charges: readonly Charge[]): string =>
  [
    header,
    ...charges.map((charge) => {
      const { day, billed, effective = billed, currency = 'USD', provider = 'AWS' } = charge;
      const { service = 'EC2', account = '1', resource = '', tags = {} } = charge;
      const { month = day.slice(0, 7) } = charge;
      const quoted = `"${JSON.stringify(tags).replaceAll('"', '""')}"`;
      return `${provider},9,${account},${service},${currency},${billed},${effective},${day},${month}-01,${resource},${quoted}`;
    }),
    '',
  ].join('\n');

export type BudgetWorld = Awaited<ReturnType<typeof startBudgets>>;

/** The service with budgets that are evaluated when a test says so. Now is 2026-03-01T12:00Z. */
export async function startBudgets() {
  const service = await startTestService();
  const { deps } = service;
  const runner = startBudgetEvaluations(deps, createLaneRunner, defaultOwnerTags);
  const events = eventsOf(service);

  async function ok(method: string, path: string, body?: unknown): Promise<Got> {
    const got = await service.send(method, path, body === undefined ? {} : { body });
    if (got.status >= 300) throw new Error(`${method} ${path}: ${got.status} ${got.text}`);
    return got;
  }

  return {
    ...service,
    runner,
    ok,
    settle: () => runner.idle(),
    /** Stores charges, and has budgets evaluated as an import does. */
    async spend(...charges: readonly Charge[]): Promise<void> {
      await putFocus(service, focusOf(charges));
      await deps.store.transact((tx) => queueBudgets(tx));
      await runner.idle();
    },
    /** @returns its ID */
    async budget(fields: object): Promise<string> {
      const body = { name: 'platform', amount: 1000, currency: 'USD', ...fields };
      const { json } = await ok('POST', '/v1/budgets', body);
      await runner.idle();
      return String(json.id);
    },
    async change(id: string, fields: object): Promise<void> {
      await ok('PUT', `/v1/budgets/${id}`, fields);
      await runner.idle();
    },
    async status(id: string): Promise<Readonly<Record<string, unknown>>> {
      const { json } = await ok('GET', `/v1/budgets/${id}`);
      return json.status as Readonly<Record<string, unknown>>;
    },
    /** What was announced since the last look. */
    async announced(): Promise<readonly Readonly<Record<string, unknown>>[]> {
      const fresh = await events.fresh();
      return fresh.flatMap(({ type, data }) =>
        type === 'budget.threshold.exceeded' ? [data as Record<string, unknown>] : [],
      );
    },
    async close() {
      await runner.stop(1_000);
      await service.close();
    },
  };
}

/** In a few words: `2026-03 80% actual`. */
export const inBrief = (announced: readonly Readonly<Record<string, unknown>>[]): string[] =>
  announced.map(
    ({ period, threshold_percent: percent, threshold_on: on }) =>
      `${String(period)} ${String(percent)}% ${String(on)}`,
  );

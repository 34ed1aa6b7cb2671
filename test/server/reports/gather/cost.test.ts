import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFocus } from '../../cost/put-focus.ts';
import { inventoryOf } from '../../inventory-service.ts';
import type { TestService } from '../../test-service.ts';
import { startTestService } from '../../test-service.ts';
import { told } from './content-world.ts';

const head =
  'ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId\n';

interface Charge {
  readonly day: string;
  readonly cost: string;
  readonly resource?: string;
  readonly service?: string;
  readonly currency?: string;
}

const focus = (charges: readonly Charge[]): string =>
  head +
  charges
    .map(
      ({ day, cost, resource = '', service = 'S3', currency = 'USD' }) =>
        `AWS,1,11,${service},${currency},${cost},${day},${day.slice(0, 7)}-01,${resource}\n`,
    )
    .join('');

/** Eight services, in ever smaller amounts, on two days of January and one of February. */
const overTime = Array.from({ length: 8 }, (_, at) => at).flatMap((at) =>
  ['2026-01-10', '2026-01-20', '2026-02-10'].map((day) => ({
    day,
    cost: String(100 - at * 10),
    service: `Service ${at}`,
  })),
);

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;

describe('a report with costs', () => {
  beforeAll(async () => {
    service = await startTestService();
    inventory = inventoryOf(service);
    for (const name of ['private', 'tagged']) await inventory.createPolicy(name);
    await inventory.put('a', { public: true, account_id: '11' });
    await inventory.put('b', { public: true, account_id: '11', environment: 'dev' });
    await inventory.put('fine', { public: false, account_id: '11' });
    const volume = {
      id: 'vol-1',
      type: 'AWS::EC2::Volume',
      provider: 'aws',
      account_id: '11',
      properties: { state: 'available' },
    };
    await inventory.ok('POST', '/v1/resources', { body: { resources: [volume] } });
    await service.evaluator.run();
  });
  afterAll(() => service.close());

  it('says in one line that none was imported', async () => {
    for (const type of ['risk', 'trend'] as const) {
      const { text, sections } = await told(service, { type, include_cost: true });
      expect(text('cost')).toBe('No cost data has been imported, so costs are unknown.');
      expect(sections).toContain('cost');
      expect((await told(service, { type })).sections).not.toContain('cost');
    }
  });

  describe('with charges', () => {
    beforeAll(() =>
      putFocus(
        service,
        focus([
          ...overTime,
          { day: '2026-02-25', cost: '1234.505', resource: 'a' },
          { day: '2026-02-25', cost: '0.000000000000000001', resource: 'a' },
          { day: '2026-02-25', cost: '7', resource: 'b', currency: 'EUR' },
          { day: '2026-02-25', cost: '12.5', resource: 'vol-1' },
          { day: '2026-02-25', cost: '999', resource: 'fine' },
        ]),
      ),
    );

    it('says what is at risk costs: a resource once in the total, and in each of its policies', async () => {
      const { table, text, model } = await told(service, { type: 'risk', include_cost: true });
      const exact = '1234.505000000000000001';
      expect(table('cost_by_policy')).toEqual(
        ['private', 'tagged'].flatMap((policy) =>
          [
            ['7', 'EUR'],
            [exact, 'USD'],
          ].map(([monthly_cost, currency]) => ({
            policy,
            resources: 2,
            without_cost: 0,
            monthly_cost,
            currency,
          })),
        ),
      );
      expect(JSON.stringify(model)).toContain('7.00 EUR and 1,234.51 USD');
      expect(table('unused_resources')).toMatchObject([
        { resource: 'vol-1', kind: 'unattached volume', monthly_cost: '12.5', currency: 'USD' },
      ]);
      expect(text('cost')).toContain('1 resource seems to be unused; together it costs 12.50 USD');
      expect(text('cost')).toContain('could save 12.50 USD per month');
      expect(text('cost')).not.toMatch(/NaN|undefined|null|999/);
    });

    it('counts only what is in its scope', async () => {
      const scope = { environments: ['dev'] };
      const { table, text } = await told(service, { type: 'risk', scope, include_cost: true });
      expect(table('cost_by_policy')).toMatchObject([
        { policy: 'private', resources: 1, monthly_cost: '7', currency: 'EUR' },
        { policy: 'tagged', resources: 1, monthly_cost: '7', currency: 'EUR' },
      ]);
      expect(table('unused_resources')).toEqual([]);
      expect(text('cost')).toContain('No resource seems to be unused.');
    });

    it('says how costs went: six services, the rest together, beside the days before', async () => {
      const date_range = { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' };
      const told1 = await told(service, {
        type: 'trend',
        scope: { date_range },
        include_cost: true,
      });
      const { table, text, model } = told1;
      expect(text('cost')).toContain('from 2026-01-01 to 2026-01-31');
      expect(text('cost')).toContain('1,040.00 USD (+1,040.00 USD compared with 0.00 USD before)');
      expect(text('cost')).toContain(
        '“Before” is from 2025-12-01 to 2025-12-31; imported charges start on 2026-01-10, so this period is incomplete.',
      );
      expect(table('services').map(({ service: name, cost }) => [name, cost])).toEqual([
        ...[200, 180, 160, 140, 120, 100].map((cost, at) => [`Service ${at}`, String(cost)]),
        ['Other (2)', '140'],
      ]);
      expect(table('cost_by_time')).toHaveLength(31);
      expect(table('cost_by_time')[9]).toMatchObject({ first: '2026-01-10', last: '2026-01-10', cost: '520', service_1: '100', others: '70' }); // prettier-ignore
      const charts = model.sections
        .find(({ id }) => id === 'cost')
        ?.blocks.filter(({ kind }) => kind === 'chart');
      expect(charts).toMatchObject([{ unit: 'USD', title: 'Cost by day and service' }]);
      // The range is over: nothing is told of what comes.
      expect(text('cost')).not.toContain('orecast');
    });

    it('shows months of the last year without a range, other currencies as a line, and the state of budgets', async () => {
      await inventory.ok('POST', '/v1/budgets', {
        body: { name: 'Platform', amount: '1000', currency: 'USD' },
      });
      const { table, text } = await told(service, { type: 'trend', include_cost: true });
      expect(table('cost_by_time')).toHaveLength(11);
      expect(text('cost')).toContain('In other currencies, not converted: 7.00 EUR');
      expect(text('cost')).toMatch(/forecast/i);
      expect(table('budgets')).toMatchObject([{ budget: 'Platform', amount: '1000' }]);
      expect(text('cost')).not.toMatch(/NaN|undefined|null/);
    });

    it('says what of its scope does not filter costs', async () => {
      const scope = { environments: ['dev'], cloud_providers: ['aws'] };
      const order = { type: 'trend', scope, framework: 'soc2', include_cost: true } as const;
      const { text, table } = await told(service, order);
      expect(text('cost')).toContain('Costs are not filtered by framework.');
      expect(text('cost')).toContain('Costs are filtered by the environment of the charge;');
      expect(text('cost')).toContain('Budgets are not filtered.');
      // What charges do not say, the inventory does.
      expect(text('cost')).toContain('Total: 7.00 EUR');
      expect(table('services')).toMatchObject([{ service: 'S3', cost: '7' }]);
    });

    it('tells all else where there are more currencies than are forecast', async () => {
      const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
      await putFocus(
        service,
        focus([
          ...letters.map((one) => ({ day: '2026-02-20', cost: '3', currency: `XX${one}` })),
          // The last day does not count for forecasts.
          { day: '2026-02-25', cost: '3' },
        ]),
      );
      const { text } = await told(service, { type: 'trend', include_cost: true });
      expect(text('cost')).toContain('No cost forecast: the charges have');
      expect(text('cost')).toContain('3.00 XXZ');
    });
  });
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CostAnalysis } from '../../../src/contract/cost.ts';
import { inventoryOf } from '../inventory-service.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { putFocus } from './put-focus.ts';

const charges = `ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId,Tags
AWS,1,11,S3,USD,5,2026-01-31,2026-01-01,both,
AWS,1,11,S3,USD,10,2026-02-01,2026-02-01,both,"{""team"":""a""}"
AWS,1,11,Glacier,USD,1,2026-02-01,2026-02-01,both,
AWS,1,11,S3,EUR,3,2026-02-02,2026-02-01,one,
AWS,1,11,S3,USD,99,2026-02-02,2026-02-01,fine,
AWS,1,11,S3,USD,50,2026-02-02,2026-02-01,spared,
`;

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const inventory = inventoryOf(service);
  await inventory.createPolicy('first');
  const rules = [{ condition: 'has(resource.odd)', effect: 'DENY' }];
  await inventory.createPolicy('second', { rules });
  await inventory.put('arn:aws:s3:::both', { public: true, odd: true, account_id: '11' });
  await inventory.put('one', { public: true, account_id: '11' });
  await inventory.put('two', { odd: true, account_id: '11' });
  await inventory.put('fine', { account_id: '11' });
  await inventory.put('spared', { public: true, account_id: '11' });
  await inventory.exempt({ policy: 'first', resources: ['spared'] });
  await service.evaluator.run();
  await putFocus(service, charges);
});
afterEach(() => service.close());

async function byPolicy(more = ''): Promise<CostAnalysis> {
  const query = `group_by=policy&start=2026-02-01&end=2026-03-01&compare_start=2026-01-01&compare_end=2026-02-01${more}`;
  const { status, text, json } = await service.send('GET', `/v1/cost/analysis?${query}`);
  expect([status, text]).toEqual([200, expect.any(String)]);
  return json as CostAnalysis;
}

it('counts a resource that fails two policies in each of them, and once in the total', async () => {
  const found = await byPolicy('&currency=USD');
  expect(found.totals).toEqual([
    { currency: 'USD', amount: '160', previous: '5', change: '155', change_percent: 3100 },
  ]);
  expect(found.groups).toEqual([
    {
      key: { policy: expect.stringMatching(/^pol_/), policy_name: 'first' },
      amount: '11',
      previous: '5',
      change: '6',
      change_percent: 120,
      share: 0.0688,
      series: [],
      resources: 2,
      without_cost: 1,
    },
    expect.objectContaining({
      key: { policy: expect.stringMatching(/^pol_/), policy_name: 'second' },
      amount: '11',
      resources: 2,
      without_cost: 1,
    }),
  ]);
  expect(found.non_compliant).toMatchObject({ amount: '11', previous: '5', share: 0.0688 });
  expect(found.movers).toHaveLength(2);
  expect(found.series.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(160);
});

it('keeps currencies apart', async () => {
  const { currency, groups, other_currencies: others } = await byPolicy();
  expect([currency, others.map((one) => one.currency)]).toEqual(['USD', ['EUR']]);
  expect(groups.map(({ amount }) => amount)).toEqual(['11', '11']);
  expect(others[0]?.groups.map(({ amount }) => amount)).toEqual(['3']);
});

it('adds only the charges that a filter selects', async () => {
  const glacier = await byPolicy('&service=Glacier');
  expect(glacier.groups.map(({ amount }) => amount)).toEqual(['1', '1']);
  expect(glacier.non_compliant).toMatchObject({ amount: '1', share: 1 });
  const tagged = await byPolicy('&tag=team');
  expect(tagged.groups.map(({ amount }) => amount)).toEqual(['10', '10']);
  expect(tagged.non_compliant).toMatchObject({ amount: '10' });
  expect((await byPolicy('&service=none')).groups).toEqual([]);
});

it('pages policies', async () => {
  const first = await byPolicy('&currency=USD&limit=1');
  expect(first.groups.map(({ key }) => key.policy_name)).toEqual(['first']);
  expect(first.other).toEqual({ groups: 1, amount: '11', previous: '5', series: [] });
  const second = await byPolicy('&currency=USD&limit=1&offset=1');
  expect(second.groups.map(({ key }) => key.policy_name)).toEqual(['second']);
});

it.each([
  ['group_by=policy,service', 'group by policy alone, and filter by the others'],
  ['group_by=policy&owner=kim', 'owner cannot be used as a filter with group_by=policy'],
  [
    'group_by=policy&environment=prod',
    'environment cannot be used as a filter with group_by=policy',
  ],
])('refuses %s', async (query, message) => {
  const { status, text } = await service.send('GET', `/v1/cost/analysis?${query}`);
  expect([status, text]).toEqual([400, expect.stringContaining(message)]);
});

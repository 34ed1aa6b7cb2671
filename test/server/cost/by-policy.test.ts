import { afterEach, beforeEach, expect, it } from 'vitest';
import { showAmount } from '../../../src/cost/amount.ts';
import type { CurrencySum } from '../../../src/cost/resource-sums.ts';
import { policyCosts } from '../../../src/server/cost/service.ts';
import { inventoryOf } from '../inventory-service.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { putFocus } from './put-focus.ts';

const charges = `ProviderName,BillingAccountId,SubAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId
AWS,1,11,S3,USD,5,2026-01-31,2026-01-01,both
AWS,1,11,S3,USD,10,2026-02-01,2026-02-01,both
AWS,1,11,Glacier,USD,1,2026-02-01,2026-02-01,both
AWS,1,11,S3,EUR,3,2026-02-02,2026-02-01,one
AWS,1,11,S3,USD,99,2026-02-02,2026-02-01,fine
AWS,1,11,S3,USD,50,2026-02-02,2026-02-01,spared
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

const shown = (costs: readonly CurrencySum[]): readonly string[] =>
  costs.map(({ currency, total }) => `${showAmount(total)} ${currency}`);

const costsOf = (where?: Readonly<Record<string, readonly string[]>>) =>
  policyCosts(service.deps, {
    start: '2026-02-01',
    end: '2026-03-01',
    measure: 'effective',
    ...(where ? { where } : {}),
    signal: new AbortController().signal,
  });

it('counts a resource that fails two policies in each of them, and once in the total', async () => {
  const { policies, total } = await costsOf();
  expect(
    policies
      .map(({ policy_name, resources, without_cost, costs }) => ({
        policy_name,
        resources,
        without_cost,
        costs: shown(costs),
      }))
      .sort((a, b) => a.policy_name.localeCompare(b.policy_name)),
  ).toEqual([
    { policy_name: 'first', resources: 2, without_cost: 0, costs: ['3 EUR', '11 USD'] },
    { policy_name: 'second', resources: 2, without_cost: 1, costs: ['11 USD'] },
  ]);
  expect(shown(total)).toEqual(['3 EUR', '11 USD']);
});

it('adds only the charges that a filter selects', async () => {
  const { total } = await costsOf({ service: ['Glacier'], currency: ['USD'] });
  expect(shown(total)).toEqual(['1 USD']);
  expect((await costsOf({ service: ['none'] })).total).toEqual([]);
});

import { afterEach, expect, it } from 'vitest';
import type { CostAnalysis } from '../../../src/contract/cost.ts';
import type { SharedCost } from '../../../src/server/config/config.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { putFocus } from './put-focus.ts';

let service: TestService;
afterEach(() => service.close());

const charge = (service: string, team: string, cost: string, day = '01') =>
  `AWS,1,${service},USD,${cost},2026-02-${day},2026-02-01,"${team && `{""team"":""${team}""}`}"`;

async function analysis(shared: readonly SharedCost[], query = ''): Promise<CostAnalysis> {
  service = await startTestService({ config: { cost: { shared } } });
  await putFocus(
    service,
    [
      'ProviderName,BillingAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,Tags',
      charge('EC2', 'a', '30'),
      charge('EC2', 'b', '10', '02'),
      charge('EC2', 'c', '-5', '02'),
      charge('EC2', '', '4', '03'),
      charge('Support', '', '10', '03'),
      charge('Support', 'a', '0.000000001', '03'),
      charge('Audit', '', '7', '03'),
      '',
    ].join('\n'),
  );
  const { json } = await service.send('GET', `/v1/cost/analysis?start=2026-02-01&end=2026-02-04&group_by=tag:team${query}`); // prettier-ignore
  return json as CostAnalysis;
}

const support = (split: SharedCost['split']): SharedCost => ({
  name: 'support',
  match: { service: ['Support'] },
  group_by: 'tag:team',
  split,
});

const partsOf = ({ groups }: CostAnalysis) =>
  groups.map(({ key, amount, shared }) => [key['tag:team'], amount, shared]);

it('splits shared cost by what each group costs itself, apart from it', async () => {
  const found = await analysis([support('proportional')]);
  expect(partsOf(found)).toEqual([
    ['a', '30', '7.50000000075'],
    ['b', '10', '2.50000000025'],
    [null, '11', '0'],
    ['c', '-5', '0'],
  ]);
  expect(found.shared).toEqual([
    { name: 'support', split: 'proportional', amount: '10.000000001', unsplit: '0' },
  ]);
  expect(found.totals[0]?.amount).toBe('56.000000001');
  expect(found.series.map(({ amount }) => amount)).toEqual(['30', '5', '21.000000001']);
});

it('splits it evenly, and by percent, also to groups without cost', async () => {
  const even = await analysis([support('even')]);
  expect(partsOf(even).slice(0, 2)).toEqual([
    ['a', '30', '5.0000000005'],
    ['b', '10', '5.0000000005'],
  ]);
  await service.close();
  const fixed = await analysis([support({ fixed: { a: 33.3333, d: 66.6667 } })]);
  const parts = partsOf(fixed);
  expect(parts).toContainEqual(['d', '0', '6.666670000666667']);
  expect(parts).toContainEqual(['a', '30', '3.333330000333333']);
});

it('has a charge split by the first rule that it matches, and shows the rest as other', async () => {
  const all: SharedCost = { ...support('even'), name: 'all', match: { service: ['Support', 'Audit'] } }; // prettier-ignore
  const found = await analysis([support('proportional'), all], '&limit=1');
  expect(found.shared.map(({ name, amount }) => [name, amount])).toEqual([
    ['support', '10.000000001'],
    ['all', '7'],
  ]);
  expect(partsOf(found)).toEqual([['a', '30', '11.00000000075']]);
  expect(found.other).toMatchObject({
    amount: '9',
    shared: '6.00000000025',
    series: ['0', '5', '4'],
  });
});

it('says what it cannot split, and splits nothing by another field', async () => {
  const found = await analysis([support('even')], '&service=Support');
  expect(found.shared).toEqual([{ name: 'support', split: 'even', amount: '10.000000001', unsplit: '10.000000001' }]); // prettier-ignore
  await service.close();
  const other = await analysis([support('even')], ',service');
  expect([other.shared, other.groups.some(({ shared }) => shared !== undefined)]).toEqual([[], false]); // prettier-ignore
});

import { afterEach, expect, it } from 'vitest';
import { showAmount } from '../../../src/cost/amount.ts';
import { costSums } from '../../../src/server/cost/service.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';
import { putFocus } from './put-focus.ts';

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const csv = `ProviderName,BillingAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,Tags
AWS,1,S3,USD,0.1,2026-01-31,2026-01-01,"{""team"":""a""}"
AWS,1,S3,USD,0.2,2026-02-01,2026-02-01,
AWS,1,EC2,USD,-3,2026-02-02,2026-02-01,
AWS,2,S3,EUR,7,2026-02-02,2026-02-01,
`;

it('adds the charges of all periods that lie between two days, currency by currency', async () => {
  service = await startTestService();
  await putFocus(service, csv);
  const sums = await costSums(service.deps.store, {
    start: '2026-01-31',
    end: '2026-02-03',
    groupBy: ['service', 'currency'],
    measure: 'billed',
  });
  expect(sums.map(({ key, total }) => [...key, showAmount(total)].join(' ')).sort()).toEqual([
    'EC2 USD -3',
    'S3 EUR 7',
    'S3 USD 0.3',
  ]);
  const ofTeam = await costSums(service.deps.store, {
    start: '2026-01-01',
    end: '2026-02-01',
    groupBy: ['day', 'currency'],
    where: { 'tag:team': ['a'] },
    measure: 'effective',
  });
  expect(ofTeam).toEqual([
    { key: ['2026-01-31', 'USD'], total: { units: 0, nanos: 1e8, attos: 0 } },
  ]);
});

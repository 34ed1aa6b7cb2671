import { expect, it } from 'vitest';
import type { CostAnalysis } from '../../../src/contract/cost.ts';
import { startTestService } from '../test-service.ts';
import { putFocus } from './put-focus.ts';

const accounts = 100_000;

it('shows the largest of 100,000 accounts, and answers others meanwhile', async () => {
  const service = await startTestService();
  try {
    const rows = Array.from(
      { length: accounts },
      (_, at) => `AWS,1,a${at},S${at % 7},r${at},USD,${at}.01,2026-02-0${1 + (at % 5)},2026-02-01`,
    );
    await putFocus(
      service,
      `ProviderName,BillingAccountId,SubAccountId,ServiceName,ResourceId,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart\n${rows.join('\n')}\n`,
    );
    for (const groupBy of ['account', 'resource,service']) {
      let isDone = false;
      const asked = service
        .send(
          'GET',
          `/v1/cost/analysis?group_by=${groupBy}&granularity=day&start=2026-02-01&end=2026-03-01&limit=2`,
        ) // prettier-ignore
        .finally(() => (isDone = true));
      let meanwhile = 0;
      for (; !isDone && meanwhile < 5; meanwhile++) {
        expect((await service.send('GET', '/healthz')).status).toBe(200);
      }
      expect([groupBy, meanwhile, isDone]).toEqual([groupBy, 5, false]);
      const { status, text, json } = await asked;
      const found = json as CostAnalysis;
      expect([status, found.totals[0]?.amount]).toEqual([200, '4999951000']);
      expect(found.groups.map(({ amount }) => amount)).toEqual(['99999.01', '99998.01']);
      expect(found.other).toMatchObject({ groups: accounts - 2, amount: '4999751002.98' });
      expect(found.pagination).toMatchObject({ total: accounts, has_more: true });
      expect(text.length).toBeLessThan(20_000);
    }
  } finally {
    await service.close();
  }
}, 60_000);

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { showAmount } from '../../src/cost/amount.ts';
import { costSums } from '../../src/server/cost/service.ts';
import type { CostField } from '../../src/server/cost/service.ts';
import { importFiles } from '../server/cost-imports/import-files.ts';
import { startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';
import { openDuck } from '../support/duck.ts';
import type { Duck } from '../support/duck.ts';

const folder = path.resolve(import.meta.dirname, '../../../shared/data/focus-cost');
if (!existsSync(folder)) console.log('skipped: the public cost exports are not in this checkout');

interface Sample {
  readonly file: string;
  readonly rows: number;
  readonly billed: string;
  /** SQL for each field. */
  readonly fields: Readonly<Partial<Record<CostField | 'day', string>>>;
}

const day = (column: string): string => `left(${column}, 10)`;
const lineItem = (name: string): string => `"lineItem/${name}"`;
const cur = {
  currency: lineItem('CurrencyCode'),
  sub_account: lineItem('UsageAccountId'),
  day: day(lineItem('UsageStartDate')),
};

const samples: readonly Sample[] = [
  {
    file: 'FinOps-Open-Cost-and-Usage-Spec__FOCUS-Sample-Data/focus_sample_1.0.csv',
    rows: 523,
    billed: 'BilledCost',
    fields: {
      currency: 'BillingCurrency',
      service: 'ServiceName',
      category: 'ChargeCategory',
      sub_account: 'SubAccountId',
      resource: 'ResourceId',
      day: day('ChargePeriodStart'),
    },
  },
  {
    file: 'finopsfoundation__focus_converters/aws_cur_sample.csv',
    rows: 644,
    billed: lineItem('UnblendedCost'),
    fields: { ...cur, service: `coalesce("product/servicecode", "lineItem/ProductCode")` },
  },
  {
    file: 'keboola__component-aws-cost-and-usage-reports/cur_1_0/sample_billing_data.csv',
    rows: 3,
    billed: lineItem('UnblendedCost'),
    fields: { ...cur, service: lineItem('ProductCode'), resource: lineItem('ResourceId') },
  },
  ...['EA_ActualCost_Small', 'EA_AmortizedCost_Small'].map((name, at) => ({
    file: `microsoft__finops-toolkit/${name}.csv`,
    rows: [11, 28][at] ?? 0,
    billed: 'Cost',
    fields: {
      currency: 'BillingCurrency',
      sub_account: 'SubscriptionId',
      service: 'MeterCategory',
      service_category: 'ServiceFamily',
      category: 'ChargeType',
      region: 'coalesce(ResourceLocation, MeterRegion)',
      resource: 'ResourceId',
      day: `strftime(strptime(Date, '%m/%d/%Y'), '%Y-%m-%d')`,
    },
  })),
  {
    file: 'opencost__opencost/billingexports/headersets/German.csv',
    rows: 1,
    billed: '"PreTaxCost (PreTaxCost)"',
    fields: {
      currency: 'Currency',
      billing_account: '"Abonnement-GUID (SubscriptionGuid)"',
      service: '"Kategorie der Verbrauchseinheit (MeterCategory)"',
      category: `'Usage'`,
      region: '"Ressourcenstandort (ResourceLocation)"',
      resource: '"InstanceId (InstanceId)"',
      day: '"UsageDateTime (UsageDateTime)"',
    },
  },
  {
    file: 'opencost__opencost/billingexports/headersets/Enterprise.csv',
    rows: 1,
    billed: 'CostInBillingCurrency',
    fields: { currency: 'BillingCurrencyCode', billing_account: 'BillingAccountId' },
  },
];

describe.skipIf(!existsSync(folder))('public cost exports', () => {
  let duck: Duck;
  let service: TestService;
  beforeAll(async () => {
    duck = await openDuck();
    service = await startTestService();
  });
  afterAll(async () => {
    duck.close();
    await service.close();
  });

  it.each(samples)('have the totals of DuckDB by every field: $file', async (sample) => {
    const file = path.join(folder, sample.file);
    const bytes = await readFile(file);
    const done = await importFiles(service, [{ name: file, bytes }]);
    expect([done.failure, done.result?.rows]).toEqual([undefined, sample.rows]);
    for (const field of Object.keys(sample.fields) as (CostField | 'day')[]) {
      const by = sample.fields[field] ?? '';
      const expected = await duck.rows(
        `SELECT coalesce(${by}, ''), ${sample.fields.currency}, sum((${sample.billed})::DECIMAL(38, 18))
         FROM read_csv('${file}', all_varchar = true, header = true, nullstr = ['NULL', ''])
         GROUP BY ALL`,
      );
      const accounts = new Set(done.result?.periods.map((one) => one.billing_account));
      const sums = await costSums(service.deps.store, {
        start: '2000-01-01',
        end: '2030-01-01',
        groupBy: [field, 'currency'],
        where: { billing_account: [...accounts] },
        measure: 'billed',
      });
      const shown = sums.map(({ key, total }) => [...key, showAmount(total)].join('|')).sort();
      const trimmed = expected
        .map(([key = '', currency = '', sum = '']) =>
          [key, currency, sum.includes('.') ? sum.replace(/\.?0+$/, '') : sum].join('|'),
        )
        .sort();
      expect([field, shown]).toEqual([field, trimmed]);
    }
  });

  it.each([
    [
      'GoogleCloudPlatform__professional-services/gcp_billing_export_synthetic.csv',
      "Google's FOCUS view",
    ],
    [
      'jupyterhub__binder-billing/mybinder_gcp_daily_cost.csv',
      'do not match those of FOCUS, CUR 2.0, CUR 1.0, Azure cost details',
    ],
    [
      'opencost__opencost/billingexports/values/VirtualMachine.csv',
      'the column BillingCurrency (or BillingCurrencyCode, Currency) is missing',
    ],
    ['microsoft__finops-toolkit/EA_NoRows.csv', 'The files contain no rows that can be imported'],
  ])('that cannot be read are refused: %s', async (file, reason) => {
    const bytes = await readFile(path.join(folder, file));
    const { failure } = await importFiles(service, [{ name: 'a.csv', bytes }]);
    expect(failure?.reason).toContain(reason);
  });
});

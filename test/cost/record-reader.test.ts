import { describe, expect, it } from 'vitest';
import { AmountSum, showAmount } from '../../src/cost/amount.ts';
import { RecordReader } from '../../src/cost/focus/reader.ts';
import type { RecordReaderOptions, Understood } from '../../src/cost/focus/reader.ts';
import type { CostRecord } from '../../src/cost/focus/record.ts';
import { dimensions } from '../../src/cost/focus/record.ts';
import type { Rejected } from '../../src/cost/read/cells.ts';
import { CsvReader } from '../../src/cost/read/csv.ts';
import { dayText } from '../../src/cost/table/days.ts';
import { Dictionary } from '../../src/cost/table/dictionary.ts';
import { measures } from '../../src/cost/table/rows.ts';
import type { Charge } from './period-table.ts';

interface Read {
  readonly records: readonly Charge[];
  readonly rejected: readonly Rejected[];
  readonly understood: Understood;
}

function read(
  text: string,
  tags: readonly string[] = ['owner', 'env'],
  options: Pick<RecordReaderOptions, 'dateFormat'> = { dateFormat: 'MM/DD/YYYY' },
): Read {
  const records: Charge[] = [];
  const rejected: Rejected[] = [];
  let reader: RecordReader | undefined;
  const dictionaries = [...dimensions, ...tags].map(() => new Dictionary());
  const csv = new CsvReader({
    delimiter: ',',
    onRow: (row) => {
      if (!reader) {
        reader = new RecordReader(row, { tags, dictionaries, ...options });
        return;
      }
      const one = reader.read(row);
      if ('message' in one) rejected.push(one);
      else records.push(chargeOf(one, tags, dictionaries));
    },
  });
  csv.push(Buffer.from(text));
  csv.end();
  if (!reader) throw new Error('there is no header');
  return { records, rejected, understood: reader.understood };
}

function chargeOf(
  { day, period, codes, lanes }: CostRecord,
  tags: readonly string[],
  dictionaries: readonly Dictionary[],
): Charge {
  const texts = dictionaries.map((one, at) => one.texts[codes[at] ?? 0] ?? '');
  const owned = tags.map((tag, at) => [tag, texts[dimensions.length + at] ?? ''] as const);
  return {
    day: dayText(day),
    period,
    tags: new Map(owned.filter(([, text]) => text !== '')),
    ...Object.fromEntries(dimensions.map((name, at) => [name, texts[at] ?? ''])),
    amounts: Object.fromEntries(
      measures.map((measure, at) => {
        const [units = 0, nanos = 0, attos = 0] = lanes.subarray(3 * at);
        return [measure, { units, nanos, attos }];
      }),
    ),
  } as unknown as Charge;
}

const fields = {
  ProviderName: 'AWS',
  BillingAccountId: '1',
  SubAccountId: '2',
  ServiceName: 'S3',
  ChargeCategory: 'Usage',
  RegionId: 'eu-central-1',
  ResourceId: 'b',
  BillingCurrency: 'USD',
  ChargePeriodStart: '2026-09-30T23:00:00Z',
  BillingPeriodStart: '2026-09-01T00:00:00Z',
  BilledCost: '0.00001605990',
  EffectiveCost: '1.5',
  ListCost: '2',
  Tags: '',
};
type Fields = Partial<Record<keyof typeof fields | 'ServiceProviderName', string>>;

const cell = (text: string): string =>
  /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const file = (...rows: readonly Fields[]): string => {
  const names = Object.keys({ ...fields, ...rows[0] }) as (keyof Fields)[];
  const lines = rows.map((row) =>
    names.map((name) => cell({ ...fields, ...row }[name] ?? '')).join(','),
  );
  return [names.join(','), ...lines].join('\n');
};
const only = (row: Fields): Charge => {
  const { records, rejected } = read(file(row));
  expect(rejected).toEqual([]);
  const [record] = records;
  if (!record) throw new Error('it was not read');
  return record;
};
const fault = (row: Fields): unknown => {
  const { rejected } = read(file(row));
  return rejected.map(({ column, message, place }) => [
    column,
    message,
    place.line,
    place.column,
  ])[0];
};

describe('a row of FOCUS', () => {
  it('is a charge with its day, month, amounts and texts', () => {
    const record = only({});
    expect(record).toMatchObject({
      day: '2026-09-30',
      period: '2026-09',
      provider: 'aws',
      billing_account: '1',
      sub_account: '2',
      service: 'S3',
      category: 'Usage',
      region: 'eu-central-1',
      resource: 'b',
      currency: 'USD',
    });
    expect(showAmount(record.amounts.billed)).toBe('0.0000160599');
    expect(showAmount(record.amounts.effective)).toBe('1.5');
  });

  it('has the provider of FOCUS 1.3 before that of 1.0, under the name of the inventory', () => {
    expect(only({ ServiceProviderName: 'Microsoft', ProviderName: 'X' }).provider).toBe('azure');
    for (const [name, provider] of [
      ['Amazon Web Services', 'aws'],
      ['Google Cloud', 'gcp'],
      ['Oracle', 'oci'],
      ['Snowflake', 'snowflake'],
    ] as const) {
      expect(only({ ProviderName: name }).provider).toBe(provider);
    }
  });

  it('has NULL without quotes, and nothing, as absent, and costs that are absent from those that are there', () => {
    const record = only({ ResourceId: 'NULL', EffectiveCost: 'NULL', ListCost: '' });
    expect(record.resource).toBe('');
    expect(showAmount(record.amounts.effective)).toBe('0.0000160599');
    expect(showAmount(record.amounts.list)).toBe('0.0000160599');
    const quoted = file({}).replace(',b,', ',"NULL",');
    expect(read(quoted).records[0]?.resource).toBe('NULL');
  });

  it('has its day in UTC, in any of the forms that exports write', () => {
    for (const [text, day] of [
      ['2026-09-30', '2026-09-30'],
      ['2026-09-30 23:00:00', '2026-09-30'],
      ['2026-09-30T23:00:00.000Z', '2026-09-30'],
      ['2026-09-30T23:00:00-02:00', '2026-10-01'],
      ['2026-10-01T00:30:00+0100', '2026-09-30'],
      ['09/30/2026', '2026-09-30'],
      ['9/3/2026 4:05', '2026-09-03'],
    ] as const) {
      expect([text, only({ ChargePeriodStart: text }).day]).toEqual([text, day]);
    }
  });

  it('has the chosen tags, whatever form they have', () => {
    for (const text of [
      '{"Owner": "shop", "other": "x", "env": null}',
      '"owner": "shop","other": "x"',
      '[{"key":"user:Owner","value":"shop"}]',
      '[["owner","shop"]]',
    ]) {
      expect([text, [...only({ Tags: text }).tags]]).toEqual([text, [['owner', 'shop']]]);
    }
    for (const text of ['', 'NULL', 'null', '{}', '[]']) {
      expect([text, only({ Tags: text }).tags.size]).toEqual([text, 0]);
    }
  });

  it('may have a quantity of fifteen digits before the point, such as byte-seconds', () => {
    const { units } = only({ ...fields, ConsumedQuantity: '123456789012345.5' } as never).amounts
      .quantity;
    expect(units).toBe(123_456_789_012_345);
  });

  it('is rejected with column, line and place', () => {
    const at = (name: keyof typeof fields, row: Fields) =>
      Object.keys(fields)
        .slice(0, Object.keys(fields).indexOf(name))
        .reduce(
          (sum, key) => sum + cell({ ...fields, ...row }[key as keyof Fields] ?? '').length + 1,
          1,
        );
    for (const [row, message] of [
      [{ BilledCost: 'NaN' }, 'is not a decimal number'],
      [{ BilledCost: '1e308' }, 'has more than 12 digits before the decimal point'],
      [{ BilledCost: '' }, 'is empty'],
      [{ ListCost: '1.234,5' }, 'is not a decimal number'],
      [{ ChargePeriodStart: '30.09.2026' }, 'is not a date such as 2026-09-30'],
      [{ ChargePeriodStart: '2026-02-30' }, 'is not a date (YYYY-MM-DD)'],
      [{ ChargePeriodStart: '13/01/2026' }, 'is not a date (MM/DD/YYYY)'],
      [{ BillingPeriodStart: 'NULL' }, 'is empty'],
      [{ Tags: 'owner=shop' }, 'is not a JSON object of tags'],
      [{ ServiceName: 'x'.repeat(3_000) }, 'is longer than 2,048 characters'],
    ] as const) {
      const [column] = Object.keys(row) as [keyof typeof fields];
      expect(fault(row)).toEqual([column, message, 2, at(column, row)]);
    }
  });

  it('is rejected where its date has another form than those before, and each time', () => {
    const rows = [{}, { ChargePeriodStart: '09/30/2026' }, {}, { Tags: 'x' }, { Tags: 'x' }];
    const { records, rejected } = read(file(...rows));
    expect(records).toHaveLength(2);
    expect(rejected.map(({ message, place }) => [message, place.line])).toEqual([
      ['is not in the format YYYY-MM-DD of the previous rows', 3],
      ['is not a JSON object of tags', 5],
      ['is not a JSON object of tags', 6],
    ]);
  });

  it('is rejected where it has more or fewer fields than the header', () => {
    const { rejected } = read(`${file({})},x\n1,2`);
    expect(rejected.map(({ message }) => message)).toEqual([
      'the row has 15 fields, but the header has 14',
      'the row has 2 fields, but the header has 14',
    ]);
  });
});

describe('the columns of a file', () => {
  it('are said, with those that nothing is read from', () => {
    const { understood } = read(`${file({}).replace('\n', ',Extra\n')},x`);
    expect(understood).toMatchObject({
      dialect: 'FOCUS',
      used: { billed: ['BilledCost'], provider: ['ProviderName'] },
      unmapped: ['Extra'],
    });
  });

  it('are refused where they are of no known export, missing or there twice', () => {
    expect(() => read('a,b\n1,2')).toThrow(
      'the columns (a, b, …) do not match those of FOCUS, CUR 2.0, CUR 1.0, Azure cost details',
    );
    expect(() => read('BilledCost,ChargePeriodStart\n')).toThrow(
      'the columns BillingCurrency, BillingPeriodStart, BillingAccountId are missing',
    );
    expect(() => read(file({}).replace('ListCost', 'billedcost'))).toThrow(
      'the column billedcost appears twice',
    );
  });
});

describe('a row of a cost and usage report', () => {
  const cur = (columns: readonly string[], values: readonly string[]): string =>
    `${columns.join(',')}\n${values.join(',')}`;

  it('has an effective cost that counts what is paid in advance where it is used', () => {
    const columns = [
      'bill_payer_account_id',
      'bill_billing_period_start_date',
      'line_item_usage_start_date',
      'line_item_currency_code',
      'line_item_line_item_type',
      'line_item_unblended_cost',
      'savings_plan_savings_plan_effective_cost',
      'savings_plan_total_commitment_to_date',
      'savings_plan_used_commitment',
      'reservation_effective_cost',
      'reservation_unused_amortized_upfront_fee_for_billing_period',
      'reservation_unused_recurring_fee',
      'reservation_reservation_arn',
    ];
    const effective = (type: string, billed: string, ...more: readonly string[]): string => {
      const row = ['1', '2026-09-01', '2026-09-02', 'USD', type, billed, ...more];
      const [record] = read(cur(columns, row)).records;
      return record && 'amounts' in record ? showAmount(record.amounts.effective) : 'rejected';
    };
    const zeros = ['0.0', '0.0', '0.0', '0.0', '0.0', '0.0'];
    expect(effective('Usage', '3', ...zeros, '')).toBe('3');
    expect(effective('Tax', '2', ...zeros, '')).toBe('2');
    expect(effective('SavingsPlanCoveredUsage', '3', '1.25', '0', '0', '0', '0', '0', '')).toBe(
      '1.25',
    );
    expect(effective('SavingsPlanNegation', '-3', ...zeros, '')).toBe('0');
    expect(effective('SavingsPlanRecurringFee', '10', '0', '10', '7.5', '0', '0', '0', '')).toBe(
      '2.5',
    );
    expect(effective('SavingsPlanUpfrontFee', '99', ...zeros, '')).toBe('0');
    expect(effective('DiscountedUsage', '0', '0', '0', '0', '0.7', '0', '0', 'arn')).toBe('0.7');
    expect(effective('RIFee', '8', '0', '0', '0', '0', '0.5', '0.25', 'arn')).toBe('0.75');
    expect(effective('Fee', '50', ...zeros, 'arn')).toBe('0');
    expect(effective('Fee', '50', ...zeros, '')).toBe('50');
  });

  it('of version 2.0 is a charge with the cost of its savings plan and the category of FOCUS', () => {
    const { records, understood } = read(
      cur(
        [
          'bill_payer_account_id',
          'bill_billing_period_start_date',
          'line_item_usage_account_id',
          'line_item_usage_start_date',
          'line_item_line_item_type',
          'line_item_currency_code',
          'line_item_unblended_cost',
          'line_item_product_code',
          'savings_plan_savings_plan_effective_cost',
          'reservation_effective_cost',
          'product_region_code',
          'line_item_resource_id',
          'resource_tags',
        ],
        [
          '1',
          '2026-09-01 00:00:00.000',
          '2',
          '2026-09-02 00:00:00.000',
          'SavingsPlanCoveredUsage',
          'USD',
          '8.85E-8',
          'AmazonEC2',
          '0.5',
          '',
          'eu-central-1',
          'i-1',
          '"{""user_owner"":""shop""}"',
        ],
      ),
    );
    expect(understood.dialect).toBe('CUR 2.0');
    const [record] = records;
    expect(record).toMatchObject({
      provider: 'aws',
      billing_account: '1',
      sub_account: '2',
      service: 'AmazonEC2',
      category: 'Usage',
      region: 'eu-central-1',
      resource: 'i-1',
    });
    expect([...(record?.tags ?? [])]).toEqual([['owner', 'shop']]);
    const shown = (['billed', 'effective', 'list'] as const).map((name) =>
      showAmount(record?.amounts[name] ?? { units: NaN, nanos: 0, attos: 0 }),
    );
    expect(shown).toEqual(['0.0000000885', '0.5', '0.5']);
  });

  it('of version 1.0 has a column for each tag', () => {
    const { records } = read(
      cur(
        [
          'bill/PayerAccountId',
          'bill/BillingPeriodStartDate',
          'lineItem/UsageStartDate',
          'lineItem/CurrencyCode',
          'lineItem/UnblendedCost',
          'lineItem/LineItemType',
          'resourceTags/user:Owner',
          'resourceTags/user:Env',
        ],
        ['1', '2024-01-01T00:00:00Z', '2024-01-01T01:00:00Z', 'USD', '0.0108', 'Tax', 'shop', ''],
      ),
    );
    expect(records[0]).toMatchObject({ category: 'Tax', day: '2024-01-01' });
    expect([...(records[0]?.tags ?? [])]).toEqual([['owner', 'shop']]);
  });
});

describe('a row of Azure cost details', () => {
  const values = {
    BillingAccountId: '8611537',
    SubscriptionId: 's1',
    BillingPeriodStartDate: '09/01/2023',
    Date: '09/04/2023',
    MeterCategory: 'Storage',
    ConsumedService: 'Microsoft.Storage',
    ChargeType: 'Usage',
    ResourceLocation: 'EastUS2',
    ResourceId: '/subscriptions/s1/disks/d',
    BillingCurrency: 'usd',
    CostInBillingCurrency: '1.50',
    PaygCostInBillingCurrency: '2',
    Quantity: '3',
    Tags: '"Owner": "shop","env": ""',
  };
  const azure = (row: Readonly<Record<string, string>>): Read =>
    read(
      `${Object.keys(row).map(cell).join(',')}\n${Object.values(row).map(cell).join(',')}`,
      ['owner', 'env'],
      {},
    );

  it('is a charge, its dates always in the order MM/DD/YYYY', () => {
    const { records, understood } = azure(values);
    expect(understood.dialect).toBe('Azure cost details');
    expect(records[0]).toMatchObject({
      provider: 'azure',
      billing_account: '8611537',
      sub_account: 's1',
      service: 'Storage',
      category: 'Usage',
      region: 'EastUS2',
      resource: '/subscriptions/s1/disks/d',
      currency: 'USD',
      day: '2023-09-04',
      period: '2023-09',
    });
    expect([...(records[0]?.tags ?? [])]).toEqual([['owner', 'shop']]);
    const { billed, effective, list, quantity } = records[0]?.amounts ?? {};
    const shown = [billed, effective, list, quantity].map((one) => one && showAmount(one));
    expect(shown).toEqual(['1.5', '1.5', '2', '3']);
  });

  it('has the category of FOCUS for its charge type', () => {
    for (const [type, category] of [
      ['Purchase', 'Purchase'],
      ['Refund', 'Credit'],
      ['UnusedReservation', 'Usage'],
      ['UnusedSavingsPlan', 'Usage'],
      ['Tax', 'Tax'],
      ['RoundingAdjustment', 'Adjustment'],
      ['', 'Usage'],
      ['constructor', 'constructor'],
    ] as const) {
      const [record] = azure({ ...values, ChargeType: type }).records;
      expect([type, record?.category]).toEqual([type, category]);
    }
  });

  it('has its columns by the names in parentheses where they are translated', () => {
    const { records, understood } = azure({
      'Abonnement-GUID (SubscriptionGuid)': 's1',
      'UsageDateTime (UsageDateTime)': '2021-02-03',
      'Kategorie (der) Verbrauchseinheit (MeterCategory)': 'Load Balancer',
      'Genutzter Dienst (ConsumedService)': 'Microsoft.Network',
      'Einheit (kurz)': 'h',
      'PreTaxCost (PreTaxCost)': '0.075',
      Currency: 'USD',
    });
    expect(records[0]).toMatchObject({
      billing_account: 's1',
      sub_account: 's1',
      service: 'Load Balancer',
      category: 'Usage',
      day: '2021-02-03',
      period: '2021-02',
    });
    expect(understood.used.billing_account).toEqual(['Abonnement-GUID (SubscriptionGuid)']);
    expect(understood.unmapped).toEqual(['Einheit (kurz)']);
  });

  it('is refused where a column is there twice, plain and translated, or missing', () => {
    expect(() => azure({ ...values, 'Kosten (CostInBillingCurrency)': '1' })).toThrow(
      'the column Kosten (CostInBillingCurrency) appears twice',
    );
    const others = Object.entries(values).filter(([name]) => name !== 'BillingCurrency');
    expect(() => azure(Object.fromEntries(others))).toThrow(
      'the column BillingCurrency (or BillingCurrencyCode, Currency) is missing',
    );
  });
});

it('a sum of records is exact to the last digit', () => {
  const sum = new AmountSum();
  const rows = Array.from({ length: 1_000 }, () => ({ BilledCost: '0.1', EffectiveCost: '' }));
  for (const { amounts } of read(file(...rows)).records) sum.add(amounts.effective);
  expect(showAmount(sum.total)).toBe('100');
});

import type { Dimension, Measure } from './record.ts';

/** What a record is read from: its dimensions and measures, when it was, and its tags. */
export type Source = Dimension | Measure | 'charge_start' | 'period_start' | 'tags';

/** How an export names its columns. */
export interface Dialect {
  readonly name: string;
  /** Columns that only this dialect has. */
  readonly signs: readonly string[];
  /** The columns of each source, in any case; of several, the first that has a value counts. */
  readonly columns: Readonly<Partial<Record<Source, readonly string[]>>>;
  /** The beginning of columns that are a tag each. */
  readonly tagPrefix?: string;
  /** What every row has. */
  readonly fixed?: Readonly<Partial<Record<Dimension, string>>>;
  /**
   * What the effective cost of a row is, by its category as the export calls it, in lower case: the sum of columns. Of
   * other rows it is the billed cost.
   */
  readonly effectiveBy?: Readonly<Record<string, EffectiveCost>>;
  /** Categories by what the export calls them, in lower case; others stay as they are. */
  readonly categories?: Readonly<Record<string, string>>;
}

export interface EffectiveCost {
  readonly add: readonly string[];
  readonly subtract?: readonly string[];
  /** Only where this column has a value. */
  readonly where?: string;
}

/** FOCUS 1.0 to 1.3. @see https://focus.finops.org */
const focus: Dialect = {
  name: 'FOCUS',
  signs: ['BilledCost', 'ChargePeriodStart'],
  columns: {
    provider: ['ServiceProviderName', 'ProviderName'],
    billing_account: ['BillingAccountId'],
    sub_account: ['SubAccountId'],
    service: ['ServiceName'],
    service_category: ['ServiceCategory'],
    category: ['ChargeCategory'],
    region: ['RegionId', 'RegionName'],
    resource: ['ResourceId'],
    currency: ['BillingCurrency'],
    charge_start: ['ChargePeriodStart'],
    period_start: ['BillingPeriodStart'],
    billed: ['BilledCost'],
    effective: ['EffectiveCost'],
    list: ['ListCost'],
    quantity: ['ConsumedQuantity'],
    tags: ['Tags'],
  },
};

/** FOCUS's categories for line item types of AWS. @see AWS Data Exports User Guide, "Line item columns" */
const awsCategories: Readonly<Record<string, string>> = {
  usage: 'Usage',
  discountedusage: 'Usage',
  savingsplancoveredusage: 'Usage',
  tax: 'Tax',
  fee: 'Purchase',
  rifee: 'Purchase',
  savingsplanrecurringfee: 'Purchase',
  savingsplanupfrontfee: 'Purchase',
  credit: 'Credit',
  refund: 'Credit',
  savingsplannegation: 'Adjustment',
  edpdiscount: 'Adjustment',
  privateratediscount: 'Adjustment',
  bundleddiscount: 'Adjustment',
  discount: 'Adjustment',
};

/** A cost and usage report of AWS, by the way it joins the two parts of a column's name. */
const costAndUsage = (
  name: string,
  column: (part: string, rest: string) => string,
  more: Pick<Dialect, 'signs' | 'tagPrefix'> & { readonly tags?: readonly string[] },
): Dialect => ({
  name,
  signs: more.signs,
  ...(more.tagPrefix === undefined ? {} : { tagPrefix: more.tagPrefix }),
  fixed: { provider: 'aws' },
  categories: awsCategories,
  // What is paid for in advance counts where it is used. https://docs.aws.amazon.com/cur/latest/userguide/
  effectiveBy: {
    savingsplancoveredusage: { add: [column('savingsPlan', 'SavingsPlanEffectiveCost')] },
    savingsplanrecurringfee: {
      add: [column('savingsPlan', 'TotalCommitmentToDate')],
      subtract: [column('savingsPlan', 'UsedCommitment')],
    },
    savingsplannegation: { add: [] },
    savingsplanupfrontfee: { add: [] },
    discountedusage: { add: [column('reservation', 'EffectiveCost')] },
    rifee: {
      add: [
        column('reservation', 'UnusedAmortizedUpfrontFeeForBillingPeriod'),
        column('reservation', 'UnusedRecurringFee'),
      ],
    },
    fee: { add: [], where: column('reservation', 'ReservationARN') },
  },
  columns: {
    billing_account: [column('bill', 'PayerAccountId')],
    sub_account: [column('lineItem', 'UsageAccountId')],
    service: [column('product', 'servicecode'), column('lineItem', 'ProductCode')],
    service_category: [column('product', 'productFamily')],
    category: [column('lineItem', 'LineItemType')],
    region: [column('product', 'regionCode'), column('product', 'region')],
    resource: [column('lineItem', 'ResourceId')],
    currency: [column('lineItem', 'CurrencyCode')],
    charge_start: [column('lineItem', 'UsageStartDate')],
    period_start: [column('bill', 'BillingPeriodStartDate')],
    billed: [column('lineItem', 'UnblendedCost')],
    effective: [
      column('savingsPlan', 'SavingsPlanEffectiveCost'),
      column('savingsPlan', 'TotalCommitmentToDate'),
      column('savingsPlan', 'UsedCommitment'),
      column('reservation', 'EffectiveCost'),
      column('reservation', 'UnusedAmortizedUpfrontFeeForBillingPeriod'),
      column('reservation', 'UnusedRecurringFee'),
      column('reservation', 'ReservationARN'),
    ],
    list: [column('pricing', 'publicOnDemandCost')],
    quantity: [column('lineItem', 'UsageAmount')],
    ...(more.tags ? { tags: more.tags } : {}),
  },
});

const snake = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`).replace(/^_/, '');

const cur1 = costAndUsage('CUR 1.0', (part, rest) => `${part}/${rest}`, {
  signs: ['lineItem/UnblendedCost'],
  tagPrefix: 'resourceTags/',
});
const cur2 = costAndUsage('CUR 2.0', (part, rest) => `${snake(part)}_${snake(rest)}`, {
  signs: ['line_item_unblended_cost'],
  tags: ['resource_tags'],
});

export const dialects: readonly Dialect[] = [focus, cur2, cur1];

/** The dialect of a file, by its columns. @param columns in lower case */
export const dialectOf = (columns: readonly string[]): Dialect | undefined =>
  dialects.find(({ signs }) => signs.every((sign) => columns.includes(sign.toLowerCase())));

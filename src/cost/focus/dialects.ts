import type { SlashedFormat } from './dates.ts';
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
  readonly categories?: ReadonlyMap<string, string>;
  /** The order of its dates with slashes, where it has only one. */
  readonly dateFormat?: SlashedFormat;
}

interface EffectiveCost {
  readonly add: readonly string[];
  readonly subtract?: readonly string[];
  /** Only where this column has a value. */
  readonly where?: string;
}

function categories(byName: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(byName));
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
const awsCategories = categories({
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
});

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

const azureSubscription = ['SubscriptionId', 'SubscriptionGuid'];
const azureDates = ['Date', 'UsageDateTime', 'UsageDate'];

/**
 * Cost details of Azure: enterprise and customer agreements, and the older usage details. What is paid in advance is in the
 * amortized export where it is used, and in the actual one where it is bought: both have the same columns.
 * @see https://learn.microsoft.com/azure/cost-management-billing/automate/understand-usage-details-fields
 */
const azure: Dialect = {
  name: 'Azure cost details',
  signs: ['MeterCategory', 'ConsumedService'],
  fixed: { provider: 'azure' },
  dateFormat: 'MM/DD/YYYY',
  columns: {
    billing_account: ['BillingAccountId', 'EnrollmentNumber', ...azureSubscription],
    sub_account: azureSubscription,
    service: ['MeterCategory', 'ConsumedService'],
    service_category: ['ServiceFamily'],
    category: ['ChargeType'],
    region: ['ResourceLocation', 'MeterRegion'],
    resource: ['ResourceId', 'InstanceId'],
    currency: ['BillingCurrency', 'BillingCurrencyCode', 'Currency'],
    charge_start: azureDates,
    // Without it, the month of the charge.
    period_start: ['BillingPeriodStartDate', ...azureDates],
    billed: ['CostInBillingCurrency', 'Cost', 'PreTaxCost'],
    list: ['PaygCostInBillingCurrency'],
    quantity: ['Quantity', 'UsageQuantity'],
    tags: ['Tags'],
  },
  categories: categories({
    // The older exports have nothing but usage, and no column for it.
    '': 'Usage',
    usage: 'Usage',
    purchase: 'Purchase',
    refund: 'Credit',
    unusedreservation: 'Usage',
    unusedsavingsplan: 'Usage',
    tax: 'Tax',
    roundingadjustment: 'Adjustment',
  }),
};

export const dialects: readonly Dialect[] = [focus, cur2, cur1, azure];

/** The dialect of a file, by its columns. @param columns in lower case */
export const dialectOf = (columns: readonly string[]): Dialect | undefined =>
  dialects.find(({ signs }) => hasAll(columns, signs));

const hasAll = (columns: readonly string[], signs: readonly string[]): boolean =>
  signs.every((sign) => columns.includes(sign.toLowerCase()));

const known = new Set(
  dialects.flatMap(({ columns }) =>
    Object.values(columns).flatMap((names) => names.map((name) => name.toLowerCase())),
  ),
);

/** The name of a column in lower case; of a translated one, `Ressourcenstandort (ResourceLocation)`, what stands in parentheses. */
export function columnOf(name: string): string {
  const lower = name.toLowerCase();
  const [, original = ''] = /\(([^()]+)\)$/.exec(lower) ?? [];
  return known.has(original) && !known.has(lower) ? original : lower;
}

/** What no charge can be without. */
export const required: readonly Source[] = [
  'billed',
  'currency',
  'charge_start',
  'period_start',
  'billing_account',
];

/** The dialect of a file that lacks columns that it must have: a column that is missing is named. */
export const closestDialect = (columns: readonly string[]): Dialect | undefined =>
  dialects.find(({ columns: own }) => {
    const found = required.filter((source) =>
      own[source]?.some((name) => columns.includes(name.toLowerCase())),
    );
    return found.length > required.length / 2;
  });

export function missingColumns({ columns }: Dialect, missing: readonly Source[]): string {
  const named = missing.map((source) => {
    const [first = source, ...more] = columns[source] ?? [];
    return more.length === 0 ? first : `${first} (or ${more.join(', ')})`;
  });
  return named.length === 1
    ? `the column ${named[0]} is missing`
    : `the columns ${named.join(', ')} are missing`;
}

/** Exports that people have and that can't be read, with what to import instead. */
const others: readonly { readonly signs: readonly string[]; readonly message: string }[] = [
  {
    signs: ['billing_account_id', 'usage_start_time', 'cost'],
    message:
      "the columns are those of Google Cloud's billing export to BigQuery; create Google's FOCUS view of the billing export, and export the view",
  },
];

/** Why a file without a dialect is refused. @param columns in lower case */
export function unknownColumns(columns: readonly string[], names: readonly string[]): string {
  const other = others.find(({ signs }) => hasAll(columns, signs));
  if (other) return other.message;
  const shown = names.slice(0, 3).join(', ').slice(0, 100);
  return `the columns (${shown}, …) do not match those of ${dialects.map(({ name }) => name).join(', ')}`;
}

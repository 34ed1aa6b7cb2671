import * as z from 'zod';
import { CostAnomaly } from './cost-anomalies.ts';
import { UnusedResource } from './cost-unused.ts';
import { endpoint } from './endpoint.ts';
import { Money } from './money.ts';
import { Pagination, commaList, digits } from './lists.ts';
import { scopeValues } from './scope-filters.ts';

/** What charges are grouped by, apart from `tag:KEY`. */
const costGroupings = [
  'provider',
  'billing_account',
  'account',
  'service',
  'service_category',
  'category',
  'region',
  'resource',
  'environment',
  'owner',
] as const;
export type CostGrouping = (typeof costGroupings)[number] | `tag:${string}`;

export const costMetrics = ['effective', 'billed', 'list'] as const;
export const granularities = ['day', 'week', 'month'] as const;

/** Fields that one analysis groups by. */
const mostGroupings = 3;
const longestTag = 256;

/** A field of charges, or one of some more words; `sub_account` is what FOCUS calls an account. */
const groupingOr = <const Word extends string>(...more: readonly Word[]) =>
  z
    .string()
    .transform((text) => (text === 'sub_account' ? 'account' : text))
    .pipe(
      z
        .string()
        .max('tag:'.length + longestTag)
        .refine(
          (text) => /^tag:./s.test(text) || [...costGroupings, ...more].some((one) => one === text),
          `must be tag:KEY or one of ${[...costGroupings, ...more].join(', ')}`,
        )
        .transform(
          (text) => text.replace(/^tag:.*/s, (tag) => tag.toLowerCase()) as CostGrouping | Word,
        ),
    );
export const CostGrouping = groupingOr<never>();

/** Charges have no policy: it is those that the resource of a charge fails now. */
const groupings = commaList()
  .pipe(z.array(groupingOr('policy')))
  .refine(
    (fields) => fields.length === 1 || !fields.includes('policy'),
    'combines policy with other fields: group by policy alone, and filter by the others',
  )
  .refine(
    (fields) => fields.length <= mostGroupings,
    `has more than ${mostGroupings} fields: group by fewer, and filter by the others`,
  )
  .refine((fields) => new Set(fields).size === fields.length, 'has duplicate fields');

const values = () => scopeValues().optional();

const Day = z.iso.date('must be a date such as 2026-01-31');

/** Any of the values of each; of tags, which are `key`, `key=value` or `key=` for none, any of each key. */
export const costFilterFields = {
  provider: scopeValues()
    .transform((all) => all.map((one) => one.toLowerCase()))
    .optional(),
  billing_account: values(),
  account: values(),
  service: values(),
  service_category: values(),
  category: values(),
  region: values(),
  resource: values(),
  environment: values(),
  owner: values(),
  tag: values(),
};
export const costFilters = Object.keys(
  costFilterFields,
) as readonly (keyof typeof costFilterFields)[];

export const Currency = z
  .string()
  .regex(/^[A-Za-z]{3,10}$/, 'must be a currency code such as USD')
  .transform((text) => text.toUpperCase());

const AnalysisQuery = z.strictObject({
  /** Default: 30 days before `end`. */
  start: Day.optional(),
  /** The day after the last; default: tomorrow. */
  end: Day.optional(),
  /** Period to compare with, before `start`; default: the same number of days or, for whole months, of months before. */
  compare_start: Day.optional(),
  compare_end: Day.optional(),
  group_by: groupings.optional(),
  metric: z.enum(costMetrics).default('effective'),
  /** Default: days up to 92 days, else months. */
  granularity: z.enum(granularities).optional(),
  /** Default: a separate block for each currency. */
  currency: Currency.optional(),
  ...costFilterFields,
  /** Groups that are shown; the rest are `other`. */
  limit: digits(z.int().min(1).max(100)).prefault(20),
  offset: digits(z.int().min(0).max(10_000)).prefault(0),
});
export type CostAnalysisQuery = z.infer<typeof AnalysisQuery>;

const change = {
  amount: Money,
  /** Of the period that it is compared with. */
  previous: Money,
  change: Money,
  /** Null where there was nothing before. */
  change_percent: z.number().nullable(),
};

/** By the fields of `group_by`; null: without one. By policy: `policy`, its ID, and `policy_name`. */
const GroupKey = z.record(z.string(), z.string().nullable());

const Group = z.looseObject({
  key: GroupKey,
  ...change,
  /** Its part of shared cost, which `amount` does not include; absent: none is split by this field. */
  shared: Money.optional(),
  /** Of the total of the currency, from 0 to 1, shared cost included; null where that is 0. */
  share: z.number().nullable(),
  /** An amount for each entry of the block's series; empty by policy. */
  series: z.array(Money),
  /** By policy: the resources that fail it, and those of them that have no charges of the filters. */
  resources: z.int().optional(),
  without_cost: z.int().optional(),
});

const blockFields = {
  /** Null where there is no cost. */
  currency: z.string().nullable(),
  series: z.array(
    z.looseObject({
      start: z.iso.date(),
      /** The day after the last. */
      end: z.iso.date(),
      amount: Money,
    }),
  ),
  /** Those of the largest amount first. */
  groups: z.array(Group),
  /** What the groups of other pages have together. */
  other: z
    .looseObject({
      groups: z.int(),
      amount: Money,
      previous: Money,
      shared: Money.optional(),
      series: z.array(Money),
    })
    .nullable(),
  pagination: Pagination,
  /** By policy: what the resources that fail any policy cost together, each counted once. */
  non_compliant: z.looseObject({ ...change, share: z.number().nullable() }).optional(),
  /** Cost that the server's `cost.shared` splits among the groups; `unsplit` is the cost that no group gets a part of. */
  shared: z.array(
    z.looseObject({
      name: z.string(),
      split: z.enum(['even', 'proportional', 'fixed']),
      amount: Money,
      unsplit: Money,
    }),
  ),
  /** The groups that changed most against the period before. */
  movers: z.array(
    z.looseObject({ key: GroupKey, ...change, kind: z.enum(['up', 'down', 'new', 'gone']) }),
  ),
  /** Cost without each of the tags that charges are imported with. */
  untagged: z.array(
    z.looseObject({ tag: z.string(), amount: Money, share: z.number().nullable() }),
  ),
};
const Block = z.looseObject(blockFields);
export type CostBlock = z.infer<typeof Block>;

const CostAnalysis = z.looseObject({
  start: z.iso.date(),
  /** The day after the last. */
  end: z.iso.date(),
  metric: z.enum(costMetrics),
  granularity: z.enum(granularities),
  group_by: z.array(z.string()),
  /** By default the period of equal length before; days without data yet count on neither side. */
  compared_to: z.looseObject({ start: z.iso.date(), end: z.iso.date() }),
  /** The last day with charges; null: there are none at all. */
  data_until: z.iso.date().nullable(),
  /** Periods that lack charges: rows that an import skipped, or days after `data_until`. */
  incomplete_periods: z.array(
    z.looseObject({
      provider: z.string(),
      billing_account: z.string(),
      period: z.string(),
      skipped_rows: z.int(),
      data_until: z.iso.date(),
    }),
  ),
  totals: z.array(z.looseObject({ currency: z.string(), ...change })),
  ...blockFields,
  /** The blocks of the other currencies, unless `currency` selects one. */
  other_currencies: z.array(Block),
  /** The ten largest that include days of the period and are not resolved. */
  anomalies: z.array(CostAnomaly),
  /** The ten most expensive resources that appear unused now. */
  unused_resources: z.array(UnusedResource),
  /** What the removal of unused resources and smaller machines would save each month, of all that is known now. */
  savings: z.array(z.looseObject({ currency: z.string(), monthly: Money })),
});
export type CostAnalysis = z.infer<typeof CostAnalysis>;

export const cost = {
  analysis: endpoint({
    method: 'GET',
    path: '/v1/cost/analysis',
    summary: 'Analyze the cost of a period: totals, trend, groups, largest changes, untagged cost',
    scope: 'cost:read',
    query: AnalysisQuery,
    response: { status: 200, body: CostAnalysis },
    errors: [],
  }),
};

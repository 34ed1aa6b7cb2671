import * as z from 'zod';
import { Money } from './money.ts';
import { Timestamp, commaList, commaListOf, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { Tags, serverAssigned } from './policies.ts';
import { notBlank, oneLine } from './text.ts';

export const budgetPeriods = ['month', 'quarter', 'year'] as const;
export const BudgetPeriod = z.enum(budgetPeriods);
export type BudgetPeriod = z.infer<typeof BudgetPeriod>;

/** `billed` counts what is invoiced, when it is: purchases, taxes and credits, too; `effective` spreads prepaid charges. */
export const budgetMetrics = ['billed', 'effective'] as const;
const Metric = z.enum(budgetMetrics);

/** What a threshold is compared with: what has been spent, or the forecast for the whole period. */
export const thresholdBases = ['actual', 'forecast'] as const;
const Basis = z.enum(thresholdBases);

const decimal = /^\d{1,12}(?:\.\d{1,18})?$/;

/** A positive decimal as a string, or as a number; without leading and trailing zeros from here on. */
const Amount = z
  .union([z.string().max(64), z.number()], { error: 'must be a decimal such as "10000"' })
  .transform(String)
  .refine((text) => decimal.test(text) && /[1-9]/.test(text), {
    error:
      'must be more than 0, with up to 12 digits before the decimal point and up to 18 after it',
    abort: true,
  })
  .transform((text) => {
    const [whole = '', after = ''] = text.split('.');
    const digits = after.replace(/0+$/, '');
    return `${whole.replace(/^0+(?=\d)/, '')}${digits === '' ? '' : `.${digits}`}`;
  });

const Currency = z
  .string()
  .max(16, { abort: true })
  .regex(/^[A-Z]{3}$/, 'must be a currency code such as USD');

const mostTexts = 100;

/** One string or several; a charge must have one of them. */
const Texts = z
  .union([notBlank(2_048), z.array(notBlank(2_048)).min(1).max(mostTexts)], {
    error: `must be a string, or a list of 1 to ${mostTexts} strings`,
  })
  .transform((given) => [...new Set([given].flat())].sort());

/** The fields of a filter, by the names that cost is grouped by; tags have their own. */
export const budgetFilterFields = [
  'provider',
  'account',
  'service',
  'service_category',
  'region',
  'environment',
  'owner',
] as const;

const byFilterField = <S extends z.ZodType>(schema: S) =>
  Object.fromEntries(budgetFilterFields.map((field) => [field, schema])) as Record<
    (typeof budgetFilterFields)[number],
    S
  >;

const TagKey = z.string().min(1).max(256).regex(/\S/, 'must not be blank');

const BudgetFilter = z
  .strictObject({
    ...byFilterField(Texts.optional()),
    tags: z
      .record(TagKey, Texts)
      .refine((tags) => Object.keys(tags).length <= 20, 'must have at most 20 keys')
      .optional(),
  })
  .transform(({ tags, ...filter }) => ({
    ...filter,
    ...(tags && Object.keys(tags).length > 0 ? { tags } : {}),
  }));

const BudgetThreshold = z.strictObject({
  percent: z
    .number()
    .gt(0, { abort: true })
    .max(1_000, { abort: true })
    .multipleOf(0.01, 'must have at most 2 digits after the decimal point'),
  on: Basis.default('actual'),
});
export type BudgetThreshold = z.infer<typeof BudgetThreshold>;

export const defaultThresholds: readonly BudgetThreshold[] = [
  { percent: 80, on: 'actual' },
  { percent: 100, on: 'actual' },
  { percent: 100, on: 'forecast' },
];

/** Each once, those on what was spent first, the lowest first: so that equal ones are written the same. */
const Thresholds = z
  .array(BudgetThreshold)
  .max(20)
  .transform((given) => {
    const each = new Map(given.map((one) => [`${one.on} ${one.percent}`, one]));
    return [...each.values()].sort((a, b) =>
      a.on === b.on ? a.percent - b.percent : a.on === 'actual' ? -1 : 1,
    );
  });

const fields = {
  name: oneLine(256),
  description: z.string().max(4_096),
  owner: oneLine(256),
  amount: Amount,
  currency: Currency,
  period: BudgetPeriod,
  metric: Metric,
  filter: BudgetFilter,
  thresholds: Thresholds,
  tags: Tags,
};

/** The fields that a client decides, in the order that answers and files have them. */
export const budgetFields = [
  'name',
  'description',
  'owner',
  'amount',
  'currency',
  'period',
  'metric',
  'filter',
  'thresholds',
  'tags',
] as const satisfies readonly (keyof typeof fields)[];

export const BudgetInput = z.strictObject({
  ...fields,
  description: fields.description.optional(),
  owner: fields.owner.optional(),
  period: fields.period.default('month'),
  metric: fields.metric.default('billed'),
  filter: fields.filter.optional(),
  thresholds: fields.thresholds.default([...defaultThresholds]),
  tags: fields.tags.optional(),
});
export type BudgetInput = z.infer<typeof BudgetInput>;

/** A partial update: fields left out stay; null clears one, or sets its default. */
const BudgetUpdate = z.strictObject({
  name: fields.name.optional(),
  description: fields.description.nullish(),
  owner: fields.owner.nullish(),
  amount: fields.amount.optional(),
  currency: fields.currency.optional(),
  period: fields.period.nullish(),
  metric: fields.metric.nullish(),
  filter: fields.filter.nullish(),
  thresholds: fields.thresholds.nullish(),
  tags: fields.tags.nullish(),
  ...serverAssigned,
  status: z.unknown().optional(),
});
export type BudgetUpdate = z.infer<typeof BudgetUpdate>;

/** A decimal with all its digits. */

const ThresholdState = z.looseObject({
  percent: z.number(),
  on: Basis,
  /** That percentage of the budget. */
  amount: Money,
  /** Whether it is crossed now. */
  exceeded: z.boolean(),
  /** When it was first found crossed in this period and its event was emitted; the event is emitted once. */
  exceeded_at: Timestamp.optional(),
});

/** The forecast for the whole period, with the 80% interval. */
const BudgetForecast = z.looseObject({
  amount: Money,
  low: Money,
  high: Money,
  percent: z.number(),
});

/** The current period, by the charges at `evaluated_at`. */
const BudgetStatus = z.looseObject({
  /** `2026-11`, `2026-Q4`, `2026`. */
  period: z.string(),
  /** ISO days, UTC: its first, and the one after its last. */
  start: z.iso.date(),
  end: z.iso.date(),
  spent: Money,
  spent_percent: z.number(),
  /** Negative if more was spent than the amount. */
  remaining: Money,
  forecast: BudgetForecast.optional(),
  /** Why there is no forecast, or what makes it uncertain. */
  forecast_note: z.string().optional(),
  thresholds: z.array(ThresholdState),
  /** The last day with charges in this period, of any filter; absent: there are none yet. */
  data_until: z.iso.date().optional(),
  /** Charges that were imported without some of their rows. */
  incomplete: z.array(
    z.looseObject({
      provider: z.string(),
      billing_account: z.string(),
      period: z.string(),
      skipped_rows: z.int(),
    }),
  ),
  /** Tags of the filter that no charges of this period are stored with, so nothing is counted; see `cost.tags` in the server's configuration. */
  missing_tags: z.array(z.string()),
  /** Charges in other currencies than the budget's: not counted, and not converted. */
  other_currencies: z.array(z.looseObject({ currency: z.string(), spent: Money })),
  evaluated_at: Timestamp,
});
export type BudgetStatus = z.infer<typeof BudgetStatus>;

export const AnsweredBudget = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  owner: z.string().optional(),
  amount: Money,
  currency: z.string(),
  period: BudgetPeriod,
  metric: Metric,
  filter: z
    .looseObject({
      ...byFilterField(z.array(z.string()).optional()),
      tags: z.record(z.string(), z.array(z.string())).optional(),
    })
    .optional(),
  thresholds: z.array(z.looseObject({ percent: z.number(), on: Basis })),
  tags: z.array(z.string()).optional(),
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: z.string(),
  /** Absent until the budget has been evaluated in the current period, mostly for less than a second. */
  status: BudgetStatus.optional(),
});
export type AnsweredBudget = z.infer<typeof AnsweredBudget>;

export const budgetSortFields = ['created_at', 'updated_at', 'id', 'name', 'period'] as const;

const BudgetListQuery = listQuery(budgetSortFields, {
  name: z.string().min(1).max(256).optional(),
  owner: commaList().optional(),
  period: commaListOf(BudgetPeriod).optional(),
  /** All of them. */
  tags: commaList().optional(),
});
export type BudgetListQuery = z.infer<typeof BudgetListQuery>;

const noun = nounEndpoints({
  path: '/v1/budgets',
  ext: true,
  scope: { read: 'cost:read', change: 'cost:admin' },
  answer: AnsweredBudget,
  missing: 'budget_not_found',
});

export const budgets = {
  list: noun.list({
    summary: 'List budgets, with their spending in the current period',
    query: BudgetListQuery,
    rows: { budgets: z.array(AnsweredBudget) },
  }),
  create: noun.create({
    summary: 'Create a budget; its thresholds emit budget.threshold.exceeded once per period',
    body: BudgetInput,
    errors: ['invalid_budget', 'budget_name_taken'],
  }),
  get: noun.get({ summary: 'Get a budget, with its spending in the current period' }),
  update: noun.update({
    summary: 'Update a budget',
    body: BudgetUpdate,
    errors: ['invalid_budget', 'budget_name_taken'],
  }),
  delete: noun.delete({ summary: 'Delete a budget' }),
};

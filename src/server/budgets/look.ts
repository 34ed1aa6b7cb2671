import type { BudgetFilter } from '../../contract/budgets.ts';
import { showAmount, showEstimate, zero } from '../../cost/amount.ts';
import { costPeriods } from '../cost/collection.ts';
import { costSums, expectedTotal, fieldOf } from '../cost/service.ts';
import type { CostField } from '../cost/service.ts';
import { timestamp } from '../deps.ts';
import type { Deps } from '../deps.ts';
import { allRows } from '../store/all-rows.ts';
import type { Span } from './calendar.ts';
import type { BudgetEvaluation, StoredBudget } from './collection.ts';

/** What is told of the charges that were imported in part. */
const mostIncomplete = 20;

/** The charges that a budget counts, as conditions of a query. */
function whereOf({
  tags = {},
  service_category: category,
  ...fields
}: BudgetFilter): Partial<Record<CostField, string[]>> {
  const where: Partial<Record<CostField, string[]>> = {};
  if (category) where.service_category = category;
  for (const field of [
    'provider',
    'account',
    'service',
    'region',
    'environment',
    'owner',
  ] as const) {
    const texts = fields[field];
    if (texts) where[fieldOf(field)] = texts;
  }
  for (const [key, texts] of Object.entries(tags)) where[`tag:${key.toLowerCase()}`] = texts;
  return where;
}

/** Finds out what was spent in a period and, while it lasts, what will be. Works in turns. */
export async function lookAt(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { filter = {}, currency, metric }: StoredBudget,
  { start, end }: Span,
  signal: AbortSignal,
): Promise<BudgetEvaluation> {
  const evaluated_at = timestamp(clock.now());
  const charges = whereOf(filter);
  const forecast =
    evaluated_at < end
      ? forecastOf(
          await expectedTotal(store, {
            start,
            end,
            where: charges,
            currency,
            measure: metric,
            signal,
          }),
        )
      : {};
  const sums = await costSums(store, {
    start,
    end,
    groupBy: ['currency'],
    where: charges,
    measure: metric,
    signal,
  });
  let dataUntil: string | undefined;
  const incomplete: BudgetEvaluation['incomplete'][number][] = [];
  const tags = new Set<string>();
  const where = filter.provider ? { provider: { any: filter.provider } } : {};
  for await (const { doc } of allRows(store, costPeriods, where)) {
    if (doc.first_day >= end || doc.last_day < start) continue;
    for (const tag of doc.tags) tags.add(tag);
    const until = doc.last_day < end ? doc.last_day : dayBefore(end);
    if (dataUntil === undefined || until > dataUntil) dataUntil = until;
    if (doc.skipped === 0 || incomplete.length === mostIncomplete) continue;
    const { provider, billing_account, period, skipped } = doc;
    incomplete.push({ provider, billing_account, period, skipped_rows: skipped });
  }
  const spent = sums.find(({ key: [code] }) => code === currency)?.total ?? zero;
  return {
    spent: showAmount(spent),
    ...forecast,
    ...(dataUntil === undefined ? {} : { data_until: dataUntil }),
    incomplete,
    missing_tags:
      dataUntil === undefined
        ? []
        : Object.keys(charges).flatMap((field) => {
            const tag = field.replace(/^tag:/, '');
            return tag === field || tags.has(tag) ? [] : [tag];
          }),
    other_currencies: sums
      .flatMap(({ key: [code = ''], total }) =>
        code === currency ? [] : [{ currency: code, spent: showAmount(total) }],
      )
      .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
    evaluated_at,
  };
}

type Expected = Awaited<ReturnType<typeof expectedTotal>>;

function forecastOf(expected: Expected): Pick<BudgetEvaluation, 'forecast' | 'forecast_note'> {
  if ('reason' in expected) return { forecast_note: expected.reason };
  const { mean, interval80, note } = expected;
  return {
    forecast: {
      amount: showEstimate(mean),
      low: showEstimate(interval80[0]),
      high: showEstimate(interval80[1]),
    },
    ...(note === undefined ? {} : { forecast_note: note }),
  };
}

const dayBefore = (day: string): string => timestamp(Date.parse(day) - 86_400_000).slice(0, 10);

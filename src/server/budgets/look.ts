import type { BudgetFilter } from '../../contract/budgets.ts';
import { showAmount, zero } from '../../cost/amount.ts';
import { costPeriods } from '../cost/collection.ts';
import { costSums } from '../cost/service.ts';
import type { CostField } from '../cost/service.ts';
import { timestamp } from '../deps.ts';
import type { Deps } from '../deps.ts';
import { allRows } from '../store/all-rows.ts';
import type { Span } from './calendar.ts';
import type { BudgetEvaluation, StoredBudget } from './collection.ts';

/** What is told of the charges that were imported in part. */
const mostIncomplete = 20;

const columnOf = {
  provider: 'provider',
  account: 'sub_account',
  service: 'service',
  service_category: 'service_category',
  region: 'region',
  environment: 'tag:environment',
  owner: 'tag:owner',
} as const satisfies Record<Exclude<keyof BudgetFilter, 'tags'>, CostField>;

/** The charges that a budget counts, as conditions of a query. */
function whereOf({ tags = {}, ...fields }: BudgetFilter): Partial<Record<CostField, string[]>> {
  const byField = Object.entries(columnOf).map(
    ([field, column]) => [column, fields[field as keyof typeof columnOf]] as const, // its own keys
  );
  const byTag = Object.entries(tags).map(([key, texts]) => [`tag:${key.toLowerCase()}`, texts]);
  return Object.fromEntries([...byField, ...byTag].filter(([, texts]) => texts !== undefined));
}

/** Finds out what was spent in a period. Works in turns. */
export async function lookAt(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  { filter = {}, currency, metric }: StoredBudget,
  { start, end }: Span,
  signal: AbortSignal,
): Promise<BudgetEvaluation> {
  const evaluated_at = timestamp(clock.now());
  const sums = await costSums(store, {
    start,
    end,
    groupBy: ['currency'],
    where: whereOf(filter),
    measure: metric,
    signal,
  });
  let dataUntil: string | undefined;
  const incomplete: BudgetEvaluation['incomplete'][number][] = [];
  const where = filter.provider ? { provider: { any: filter.provider } } : {};
  for await (const { doc } of allRows(store, costPeriods, where)) {
    if (doc.first_day >= end || doc.last_day < start) continue;
    const until = doc.last_day < end ? doc.last_day : dayBefore(end);
    if (dataUntil === undefined || until > dataUntil) dataUntil = until;
    if (doc.skipped === 0 || incomplete.length === mostIncomplete) continue;
    const { provider, billing_account, period, skipped } = doc;
    incomplete.push({ provider, billing_account, period, skipped_rows: skipped });
  }
  const spent = sums.find(({ key: [code] }) => code === currency)?.total ?? zero;
  return {
    spent: showAmount(spent),
    ...(dataUntil === undefined ? {} : { data_until: dataUntil }),
    incomplete,
    other_currencies: sums
      .flatMap(({ key: [code = ''], total }) =>
        code === currency ? [] : [{ currency: code, spent: showAmount(total) }],
      )
      .sort((a, b) => (a.currency < b.currency ? -1 : 1)),
    evaluated_at,
  };
}

const dayBefore = (day: string): string => timestamp(Date.parse(day) - 86_400_000).slice(0, 10);

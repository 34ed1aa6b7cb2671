import { budgetObjects } from '../../client/objects.ts';
import type { AnyBudget } from '../../client/objects.ts';
import { showMoney } from '../../contract/money.ts';
import { csvLine } from '../../report/formats/csv/csv-line.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { DescribedNoun } from '../objects/noun.ts';
import { gauge } from '../terminal/gauge.ts';
import { budgetView, hasData, noData, paintUse, showPercent } from './budget-view.ts';

interface ListOptions {
  readonly owner?: readonly string[];
  readonly period?: string;
  readonly tag?: readonly string[];
}

const cells = 10;

export const budgets: DescribedNoun<AnyBudget, ListOptions> = {
  of: budgetObjects,
  feature: 'budgets',
  names: {
    prefix: 'bud_',
    knownBy: 'ID, name or key',
    nameOf: ({ name }) => name,
    tagsOf: ({ tags }) => tags,
    suggested: ({ name, tags }) => [name, readOwnership(tags ?? []).key],
    notFound: 'budget_not_found',
  },
  list: {
    formats: (rows) => ({ csv: () => csvOf(rows) }),
    filter: ({ owner, period, tag }) => ({ owner: owner?.join(','), period, tags: tag?.join(',') }),
    columns: () => [
      { title: 'NAME', cell: ({ name }) => name, shrinks: 'end' },
      { title: 'PERIOD', cell: ({ status, period }) => status?.period ?? period, drops: 3 },
      {
        title: 'AMOUNT',
        cell: ({ amount, currency }) => showMoney(amount, currency),
        isRight: true,
        drops: 4,
      },
      {
        title: 'SPENT',
        cell: ({ status, currency }) => (hasData(status) ? showMoney(status.spent, currency) : '-'),
        isRight: true,
      },
      {
        title: 'USED',
        cell: ({ status }) =>
          hasData(status)
            ? `${gauge(status.spent_percent / 100, cells)} ${showPercent(status.spent_percent)}`
            : status
              ? noData
              : '-',
        paint: (text, { status }, style) => paintUse(text, status, style),
      },
      {
        title: 'FORECAST',
        cell: ({ status }) => (status?.forecast ? showPercent(status.forecast.percent) : '-'),
        isRight: true,
        paint: (text, { status }, style) =>
          (status?.forecast?.percent ?? 0) >= 100 ? style.yellow(text) : text,
      },
      { title: 'OWNER', cell: ({ owner = '' }) => owner, drops: 2 },
      { title: 'ID', cell: ({ id }) => id, drops: 1 },
    ],
  },
  view: budgetView,
};

const csvOf = (rows: readonly AnyBudget[]): string =>
  [
    csvLine(['id', 'name', 'owner', 'period', 'amount', 'currency', 'current_period', 'spent', 'spent_percent', 'remaining', 'forecast', 'data_until']), // prettier-ignore
    ...rows.map(({ id, name, owner, period, amount, currency, status }) =>
      csvLine([
        id,
        name,
        owner ?? null,
        period,
        amount,
        currency,
        status?.period ?? null,
        status?.spent ?? null,
        status?.spent_percent ?? null,
        status?.remaining ?? null,
        status?.forecast?.amount ?? null,
        status?.data_until ?? null,
      ]),
    ),
  ].join('');

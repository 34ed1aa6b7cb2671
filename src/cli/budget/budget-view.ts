import type { AnyBudget } from '../../client/objects.ts';
import type { BudgetStatus } from '../../contract/budgets.ts';
import { showMoney } from '../../contract/money.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { readOwnership, withoutOwnership } from '../../project/compare/ownership.ts';
import type { Shown } from '../objects/noun.ts';
import { gauge } from '../terminal/gauge.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import { count } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';

const cells = 20;
const msPerDay = 86_400_000;

/** Never rounded up: 99.99 is not 100%. */
export const showPercent = (percent: number): string => `${Math.floor(percent)}%`;

/** Without cost data for the period, nothing is known to be spent or not. */
export const hasData = (status: BudgetStatus | undefined): status is BudgetStatus =>
  status?.data_until !== undefined;

export const noData = 'no cost data';

/** Red where all of it is spent, yellow where a threshold is crossed. */
export const paintUse = (text: string, status: BudgetStatus | undefined, style: Style): string => {
  if (!status) return text;
  if (status.spent_percent >= 100) return style.red(text);
  return status.thresholds.some(({ exceeded }) => exceeded) ? style.yellow(text) : text;
};

export const budgetView = (
  budget: AnyBudget,
  { room, headline }: Pick<Shown, 'room' | 'headline'>,
): View => ({
  value: budget,
  human: (style) => `${headline ? `${headline(style)}\n` : ''}${describe(budget, style, room)}`,
});

function describe(budget: AnyBudget, style: Style, room: number): string {
  const { amount, currency, period, status } = budget;
  const { owner, key } = readOwnership(budget.tags ?? []);
  return formatDetails(
    budget.name,
    [
      ['id', budget.id],
      ['about', budget.description],
      ['amount', `${showMoney(amount, currency)} per ${period}`],
      ['counts', sayCounted(budget)],
      ['owner', budget.owner],
      ...(status ? statusFields(status, currency) : [['spent', 'not evaluated yet'] as const]),
      ['tags', withoutOwnership(budget.tags ?? []).join(', ')],
      ['git', owner && `managed by project ${owner}${key ? `, key ${key}` : ''}`],
      ['updated', utcMinute(budget.updated_at)],
    ],
    style,
    room,
  );
}

/** `billed cost of provider aws, tag team platform`. */
function sayCounted({ metric, filter = {} }: AnyBudget): string {
  const { tags = {}, ...fields } = filter;
  const parts = [
    ...Object.entries(fields).map(
      ([field, texts]) => `${field.replaceAll('_', ' ')} ${String(texts).replaceAll(',', ' or ')}`,
    ),
    ...Object.entries(tags).map(([tag, texts]) => `tag ${tag} ${texts.join(' or ')}`),
  ];
  return parts.length === 0 ? `${metric} cost` : `${metric} cost of ${parts.join(', ')}`;
}

function statusFields(status: BudgetStatus, currency: string) {
  const money = (amount: string): string => showMoney(amount, currency);
  const { spent, spent_percent: percent, remaining, forecast, forecast_note: note } = status;
  const lastDay = new Date(Date.parse(status.end) - msPerDay).toISOString().slice(0, 10);
  const isOver = remaining.startsWith('-');
  const left = isOver ? `${money(remaining.slice(1))} over` : `${money(remaining)} left`;
  return [
    ['period', `${status.period}, until ${lastDay}`],
    [
      'spent',
      hasData(status)
        ? `${gauge(percent / 100, cells)} ${showPercent(percent)}: ${money(spent)}, ${left}`
        : noData,
    ],
    [
      'forecast',
      forecast
        ? `${showPercent(forecast.percent)}: ${money(forecast.amount)}, 80% interval ${money(forecast.low)} to ${money(forecast.high)}`
        : note && `none: ${note}`,
    ],
    ['', forecast && note],
    ...status.thresholds.map((threshold) => ['threshold', sayThreshold(threshold)] as const),
    ['data', `${status.data_until ? `until ${status.data_until}` : 'none in this period'}`],
    ...status.incomplete.map(
      ({ provider, billing_account: account, period, skipped_rows: rows }) =>
        ['incomplete', `${provider} ${account} ${period}: ${count(rows, 'row')} skipped`] as const,
    ),
    ...status.missing_tags.map(
      (tag) =>
        [
          'warning',
          `no stored charges have the tag ${tag}; check cost.tags in the server's configuration`,
        ] as const,
    ),
    ...status.other_currencies.map(
      ({ currency: other, spent: amount }) => ['not counted', showMoney(amount, other)] as const,
    ),
  ] as const;
}

function sayThreshold({
  percent,
  on,
  exceeded,
  exceeded_at: at,
}: BudgetStatus['thresholds'][number]): string {
  const what = `${percent}% ${on === 'forecast' ? 'forecast' : 'spent'}`;
  const since = at && utcMinute(at);
  if (exceeded) return `${what}: exceeded${since ? ` since ${since}` : ''}`;
  return since ? `${what}: no longer exceeded; was at ${since}` : `${what}: not exceeded`;
}

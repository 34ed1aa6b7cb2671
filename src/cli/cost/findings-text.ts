import type { CostAnalysis } from '../../contract/cost.ts';
import { showMoney } from '../../contract/money.ts';
import { AmountSum, readAmount, showAmount } from '../../cost/amount.ts';
import { count } from '../terminal/printable.ts';
import { formatTable } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { percentOf, subjectOf } from './anomalies/anomaly-view.ts';

const mostShown = 3;
/** As many as an answer has; there may be more of them. */
const mostAnswered = 10;

interface Screen {
  readonly style: Style;
  readonly columns: number;
}

type Findings = Pick<CostAnalysis, 'anomalies' | 'unused_resources' | 'savings'>;

/** What others found about cost: counts, sums, the largest, and which command shows more. */
export const findingsTexts = (found: Findings, screen: Screen): readonly string[] =>
  [anomaliesText(found, screen), unusedText(found, screen), savingsText(found, screen)].filter(
    Boolean,
  );

function anomaliesText({ anomalies: all }: Findings, screen: Screen): string {
  const sum = sumsOf(all.map(({ currency, impact }) => [currency, impact]));
  return list(
    all,
    `${howMany(all.length, 'anomaly', 'anomalies')}: +${sum}. Use \`govctl cost anomalies\` for details.`,
    [
      { title: 'IMPACT', cell: (one) => `+${showMoney(one.impact, one.currency)}`, isRight: true },
      { title: 'OVER', cell: (one) => percentOf(one.impact_percent), isRight: true, drops: 2 },
      { title: 'START', cell: ({ start }) => start },
      { title: 'SERVICE', cell: subjectOf, shrinks: 'middle' },
      { title: 'ACCOUNT', cell: ({ account_id: id }) => id ?? '', drops: 1 },
    ],
    screen,
  );
}

function unusedText({ unused_resources: all }: Findings, screen: Screen): string {
  const sum = sumsOf(
    all.flatMap(({ monthly_cost: cost, cost_currency: currency }) =>
      cost === undefined || currency === undefined ? [] : [[currency, cost] as const],
    ),
  );
  return list(
    all,
    `${howMany(all.length, 'unused resource')}${sum && `: ${sum} a month`}. Use \`govctl cost unused\` for details.`,
    [
      {
        title: 'MONTHLY COST',
        cell: ({ monthly_cost: cost, cost_currency: currency = '' }) =>
          cost === undefined ? 'unknown' : showMoney(cost, currency),
        isRight: true,
      },
      { title: 'KIND', cell: ({ kind }) => kind.replaceAll('_', ' '), drops: 1 },
      { title: 'RESOURCE', cell: ({ id }) => id, shrinks: 'middle' },
    ],
    screen,
  );
}

function savingsText({ savings }: Findings, { columns }: Screen): string {
  const sum = sumsOf(savings.map(({ currency, monthly }) => [currency, monthly]));
  return sum === ''
    ? ''
    : wrapWords(
        `Potential savings: ${sum} per month, by deleting unused resources and resizing virtual machines. Use \`govctl cost unused\` and \`govctl cost rightsizing\` for details.`,
        columns,
        0,
      );
}

function list<Row>(
  all: readonly Row[],
  head: string,
  columns: readonly Column<Row>[],
  { style, columns: room }: Screen,
): string {
  if (all.length === 0) return '';
  const table = formatTable(all.slice(0, mostShown), columns, style, room);
  return `${wrapWords(head, room, 0)}\n${table.trimEnd()}`;
}

const howMany = (amount: number, ...words: [string, string?]): string =>
  `${amount < mostAnswered ? '' : 'At least '}${count(amount, ...words)}`;

/** `12.50 EUR, 1,200.00 USD` */
function sumsOf(amounts: readonly (readonly [currency: string, amount: string])[]): string {
  const sums = new Map<string, AmountSum>();
  for (const [currency, amount] of amounts) {
    const sum = sums.get(currency) ?? new AmountSum();
    sums.set(currency, sum);
    sum.add(readAmount(amount));
  }
  return [...sums]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, { total }]) => showMoney(showAmount(total), currency))
    .join(', ');
}

import { showMoney } from '../../contract/money.ts';
import type { Block, Chart, Section, SeriesColour, Table } from '../model.ts';
import { below, column, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type {
  AnomalyFact,
  BudgetFact,
  CostFacts,
  CostOverTime,
  ForecastFact,
} from './cost-facts.ts';
import { daysText, noCharges } from './cost-texts.ts';
import type { Facts } from './facts.ts';
import { count, listed, number } from './wording.ts';

const colours: readonly SeriesColour[] = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'];

/** What was spent, on what, and what is expected. */
export function costOverTimeSection({ hasCharges, overTime }: CostFacts, facts: Facts): Section {
  return {
    id: 'cost',
    title: 'Cost',
    blocks: hasCharges && overTime ? blocksOf(overTime, facts) : noCharges,
  };
}

function blocksOf(cost: CostOverTime, { scope }: Facts): readonly Block[] {
  const { first, last, totals, dataUntil, forecasts, budgets, budgetCount } = cost;
  const [main, ...others] = totals;
  const days = daysText(first, last);
  return [
    paragraph(
      `Effective cost (after discounts, with prepaid cost spread over its days) by UTC day, ${days}.${dataUntil < last ? ` There are no charges after ${dataUntil}.` : ''}${leftOut(cost, scope)}`,
    ),
    ...(main
      ? [
          paragraph(`Total: ${totalText(main)}. ${beforeText(cost)}`),
          ...(cost.buckets.length > 1 ? [chartOf(cost, main.currency)] : []),
          servicesTable(cost, main.currency),
          bucketsTable(cost, main.currency),
        ]
      : [paragraph('No charges in this period.')]),
    ...(others.length > 0
      ? [paragraph(`In other currencies, not converted: ${others.map(totalText).join('; ')}.`)] // prettier-ignore
      : []),
    ...(forecasts ? forecastBlocks(forecasts) : []),
    ...anomalyBlocks(cost),
    ...(budgets
      ? [
          ...(budgetCount > budgets.length
            ? [paragraph(`The table lists ${number(budgets.length)} of ${number(budgetCount)} budgets.`)] // prettier-ignore
            : []),
          table(
            { id: 'budgets', title: 'Budgets in their current period', empty: 'None.' },
            budgetColumns,
            budgets,
          ),
        ]
      : []),
  ];
}

/** What of the scope does not count here. */
function leftOut({ budgets = [] }: CostOverTime, scope: Facts['scope']): string {
  const { framework, environments } = scope;
  return [
    ...(framework ? [' Costs are not filtered by framework.'] : []),
    ...(environments
      ? [
          ' Costs are filtered by the environment of the charge; anomalies are not filtered by environment.',
        ]
      : []),
    ...(budgets.length > 0 && (environments ?? scope.providers)
      ? [' Budgets are not filtered.']
      : []),
  ].join('');
}

type Total = CostOverTime['totals'][number];

function totalText({ amount, currency, previous, change, percent }: Total): string {
  const sign = change.startsWith('-') ? '' : '+';
  const share = percent === undefined ? '' : `, ${sign}${number(percent)}%`;
  return `${showMoney(amount, currency)} (${sign}${showMoney(change, currency)}${share} compared with ${showMoney(previous, currency)} before)`;
}

const beforeText = ({ comparedFirst, comparedLast, dataFrom }: CostOverTime): string =>
  `“Before” is ${daysText(comparedFirst, comparedLast)}${dataFrom > comparedFirst ? `; imported charges start on ${dataFrom}, so this period is incomplete` : ''}.`;

const nameOf = (service: string): string => (service === '' ? 'no service' : service);
const othersName = (services: number): string => `Other (${number(services)})`;

function chartOf(cost: CostOverTime, currency: string): Chart {
  const { buckets, services, others, by } = cost;
  const numbers = (values: readonly string[]): number[] =>
    values.map((value) => Math.round(Number(value) * 100) / 100);
  return {
    kind: 'chart',
    id: 'cost_by_service',
    title: `Cost by ${by} and service`,
    description: [
      ...services.map(({ name, amount }) => `${nameOf(name)} ${showMoney(amount, currency)}`),
      ...(others ? [`${othersName(others.services)} ${showMoney(others.amount, currency)}`] : []),
    ].join(', '),
    form: 'lines',
    categories: buckets.map(({ first }) => `${first}T00:00:00.000Z`),
    series: [
      ...services.map(({ name, values }, at) => ({
        name: nameOf(name),
        colour: colours[at % colours.length] ?? 'first',
        values: numbers(values),
      })),
      ...(others
        ? [
            {
              name: othersName(others.services),
              colour: 'others' as const,
              values: numbers(others.values),
            },
          ]
        : []),
    ],
    unit: currency,
  };
}

interface ServiceRow {
  readonly name: string;
  readonly amount: string;
  readonly previous: string;
  readonly change: string;
  readonly percent?: number;
}

function servicesTable({ services, others }: CostOverTime, currency: string): Table {
  const columns: readonly ColumnOf<ServiceRow>[] = [
    column('service', 'Service', 'text', 4, ({ name }) => name),
    column('cost', `Cost, ${currency}`, 'money', 2, ({ amount }) => amount),
    column('before', `Before, ${currency}`, 'money', 2, ({ previous }) => previous),
    column('change', `Change, ${currency}`, 'money', 2, ({ change }) => change),
    column('change_percent', 'Change', 'percent', 1, ({ percent }) => percent ?? null),
  ];
  const rows: readonly ServiceRow[] = [
    ...services.map((one) => ({ ...one, name: nameOf(one.name) })),
    ...(others ? [{ ...others, name: othersName(others.services) }] : []),
  ];
  const about = { id: 'services', title: 'Cost by service', empty: 'None.' };
  return table(about, columns, rows);
}

function bucketsTable(cost: CostOverTime, currency: string): Table {
  const { buckets, others, by } = cost;
  // Of a single one, the total says the same.
  const services = cost.services.length > 1 || others ? cost.services : [];
  const rows = buckets.map((bucket, at) => ({ ...bucket, at }));
  type Row = (typeof rows)[number];
  const columns: readonly ColumnOf<Row>[] = [
    column('first', 'First day', 'date', 2, ({ first }) => first),
    column('last', 'Last day', 'date', 2, ({ last }) => last),
    column('cost', `Cost, ${currency}`, 'money', 2, ({ amount }) => amount),
    ...services.map(({ name, values }, index) =>
      below(
        column<Row>(
          `service_${index + 1}`,
          nameOf(name),
          'money',
          2,
          ({ at }) => values[at] ?? null,
        ),
      ),
    ),
    ...(others
      ? [below(column<Row>('others', othersName(others.services), 'money', 2, ({ at }) => others.values[at] ?? null))] // prettier-ignore
      : []),
  ];
  const about = { id: 'cost_by_time', title: `Cost by ${by}`, empty: 'None.' };
  return table(about, columns, rows);
}

function forecastBlocks(forecasts: readonly ForecastFact[]): readonly Block[] {
  return forecasts.map(({ currency, expected, reason }) =>
    paragraph(
      expected
        ? `Forecast of usage ${daysText(expected.first, expected.last)}: ${showMoney(expected.amount, currency)}, 80% interval ${showMoney(expected.low, currency)} to ${showMoney(expected.high, currency)}.`
        : `No cost forecast${currency === undefined ? '' : ` in ${currency}`}: ${reason ?? 'unknown reason'}.`,
    ),
  );
}

function anomalyBlocks({ anomalies, anomalyCount }: CostOverTime): readonly Block[] {
  const costly = anomalies.filter(({ severity }) => severity === 'CRITICAL' || severity === 'HIGH');
  return [
    paragraph(
      anomalyCount === 0
        ? 'No cost anomalies in this period.'
        : `${count(anomalyCount, 'cost anomaly', 'cost anomalies')} in this period${anomalyCount > anomalies.length ? `; the latest ${number(anomalies.length)} are listed` : ''}${costly.length > 0 ? `, ${number(costly.length)} of them HIGH or CRITICAL` : ''}.`,
    ),
    ...(anomalies.length > 0
      ? [
          table(
            { id: 'cost_anomalies', title: 'Cost anomalies', empty: 'None.' },
            anomalyColumns,
            anomalies,
          ),
        ]
      : []),
  ];
}

const anomalyColumns: readonly ColumnOf<AnomalyFact>[] = [
  column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
  column('of', 'Scope', 'text', 3, ({ of }) => of),
  column('first', 'First day', 'date', 2, ({ first }) => first),
  column('last', 'Last day', 'date', 2, ({ last }) => last),
  column('impact', 'Excess', 'money', 2, ({ impact }) => impact),
  column('currency', 'Currency', 'text', 1, ({ currency }) => currency),
  column('status', 'Status', 'status', 2, ({ status }) => status),
  below(column('expected', 'Expected', 'money', 2, ({ expected }) => expected)),
  below(column('actual', 'Actual', 'money', 2, ({ actual }) => actual)),
  below(column('id', 'Anomaly', 'id', 2, ({ id }) => id)),
];

const budgetColumns: readonly ColumnOf<BudgetFact>[] = [
  column('budget', 'Budget', 'text', 3, ({ name }) => name),
  column('period', 'Period', 'text', 1, ({ period }) => period),
  column('amount', 'Amount', 'money', 2, ({ amount }) => amount),
  column('spent', 'Spent', 'money', 2, ({ spent }) => spent ?? null),
  column('percent', 'Share', 'percent', 1, ({ percent }) => percent ?? null),
  column('currency', 'Currency', 'text', 1, ({ currency }) => currency),
  below(column('forecast', 'Forecast', 'money', 2, ({ forecast }) => forecast ?? null)),
  below(
    column('exceeded', 'Exceeded', 'text', 2, ({ exceeded }) =>
      exceeded.length === 0 ? null : listed(exceeded),
    ),
  ),
];

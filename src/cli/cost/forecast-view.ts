import type { CostForecast, CostForecasts } from '../../contract/cost-forecast.ts';
import { showMoney } from '../../contract/money.ts';
import { csvLine } from '../../report/formats/csv/csv-line.ts';
import type { View } from '../terminal/output.ts';
import { count } from '../terminal/printable.ts';
import type { Glyphs } from '../terminal/sparkline.ts';
import { formatTable } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { trend } from './cost-text.ts';
import { lastDay } from './days.ts';
import { fanChart } from './fan-chart.ts';

/** Columns that a picture needs no more of. */
const widest = 100;

interface Screen {
  readonly glyphs: Glyphs;
  /** Columns that a table may have. */
  readonly room: number;
}

export const forecastView = (found: CostForecasts, { glyphs, room }: Screen): View => ({
  value: found,
  rows: () => found.forecasts,
  more: { csv: () => csvOf(found) },
  human(style, terminalColumns) {
    const columns = Math.min(terminalColumns, widest);
    const totals = found.forecasts.filter(({ part }) => part === 'total');
    const parts = totals.map((total) => {
      const groups = found.forecasts.filter(
        (one) => one.currency === total.currency && one.part !== 'total',
      );
      return [
        totalText(total, found, { style, columns, glyphs }),
        groups.length === 0 ? '' : groupTable(groups, found, { style, columns: room, glyphs }),
      ]
        .filter(Boolean)
        .join('\n\n');
    });
    const text = parts.join('\n\n').replace(/[ \t]+$/gm, '');
    return text === '' ? '' : `${text}\n`;
  },
});

interface Drawn {
  readonly style: Style;
  readonly columns: number;
  readonly glyphs: Glyphs;
}

const titles = { effective: 'Effective', billed: 'Billed', list: 'List' } as const;

function totalText(
  one: CostForecast,
  found: CostForecasts,
  { style, columns, glyphs }: Drawn,
): string {
  const { currency, total } = one;
  const head = `${titles[found.metric]} usage cost, next ${count(found.horizon_days, 'day')}`;
  if (!total) {
    return `${style.bold(`${head} (${currency})`)}\n${wrapWords(`No forecast: ${one.reason ?? 'no data'}`, columns)}`;
  }
  const { history, points } = one;
  const chart = fanChart(
    {
      history: history.map(({ cost }) => Number(cost)),
      points: points.map(({ mean, interval_80: inner, interval_95: outer }) => ({
        mean: Number(mean),
        inner: [Number(inner[0]), Number(inner[1])],
        outer: [Number(outer[0]), Number(outer[1])],
      })),
    },
    { columns, glyphs },
  );
  const { fan, full } = glyphs;
  const legend = `${full} cost per day from ${history.at(-chart.days)?.date ?? total.start}   ${fan.mean} forecast from ${total.start}   ${fan.inner} 80%   ${fan.outer} 95%`;
  const lines = [
    `${total.start} to ${lastDay(total.end)}: ${rangeText(total, currency)}`,
    ...one.months.map((month) => monthText(month, currency)),
    methodText(one, currency),
    ...(one.note === undefined ? [] : [`${one.note}.`]),
  ];
  return [
    style.bold(`${head}: ${showMoney(total.mean, currency)}`),
    ...(chart.text === '' ? [] : [chart.text, style.dim(legend)]),
    '',
    ...lines.map((line) => wrapWords(line, columns)),
  ].join('\n');
}

type Estimate = Pick<NonNullable<CostForecast['total']>, 'mean' | 'interval_80' | 'interval_95'>;

const rangeText = ({ mean, interval_80: in80, interval_95: in95 }: Estimate, currency: string) =>
  `${showMoney(mean, currency)}, 80% likely ${showMoney(in80[0])} to ${showMoney(in80[1])}, 95% likely ${showMoney(in95[0])} to ${showMoney(in95[1])}`;

function monthText(one: CostForecast['months'][number], currency: string): string {
  const [low, high] = one.interval_80;
  const soFar = one.so_far === '0' ? '' : `; ${showMoney(one.so_far)} so far`;
  return `${one.month}: ${showMoney(one.mean, currency)}, 80% likely ${showMoney(low)} to ${showMoney(high)}${soFar}`;
}

const methods = {
  median_of_three:
    'the median of three forecasts: exponential smoothing, the last week repeated, and the mean of four weeks',
  mean: 'the mean of all days',
  none: 'none',
} as const;

/** What the numbers are made of, and how far such forecasts were off. */
function methodText({ method, backtest }: CostForecast, currency: string): string {
  const made = `Method: ${methods[method]}.`;
  if (!backtest) return made;
  const { forecasts, mae, seasonal_naive_mae: naive, coverage } = backtest;
  const within =
    coverage === null ? '' : ` ${Math.round(coverage * 100)}% of days were within the 80% range.`;
  return `${made} ${count(forecasts, 'earlier two-week forecast')} ${forecasts === 1 ? 'was' : 'were'} off by ${showMoney(mae, currency)} per day on average; repeating the last week would have been off by ${showMoney(naive)}.${within}`;
}

function groupTable(
  groups: readonly CostForecast[],
  { group_by: field, horizon_days: days }: CostForecasts,
  { style, columns, glyphs }: Drawn,
): string {
  return formatTable(
    groups,
    [
      { title: (field ?? '').toUpperCase(), cell: nameOf, shrinks: 'middle' },
      { title: 'TREND', cell: ({ history }) => trend(history.map(({ cost }) => cost), glyphs), drops: 1 }, // prettier-ignore
      {
        title: `LAST ${days <= 56 ? days : 56}D`,
        cell: ({ history }) =>
          showMoney(String(sumOf(history.slice(-days).map(({ cost }) => cost)))),
        isRight: true,
        drops: 2,
      },
      {
        title: `NEXT ${days}D`,
        cell: ({ total, reason }) => (total ? showMoney(total.mean) : (reason ?? '-')),
        isRight: true,
      },
      { title: '80% FROM', cell: ({ total }) => (total ? showMoney(total.interval_80[0]) : ''), isRight: true }, // prettier-ignore
      { title: 'TO', cell: ({ total }) => (total ? showMoney(total.interval_80[1]) : ''), isRight: true }, // prettier-ignore
    ],
    style,
    columns,
  ).trimEnd();
}

const nameOf = ({ part, key }: CostForecast): string =>
  part === 'other' ? 'other' : key === undefined || key === '' ? '(none)' : key;

/** For people: cents are enough. */
const sumOf = (costs: readonly string[]): string =>
  costs.reduce((sum, cost) => sum + Number(cost), 0).toFixed(2);

/** A row for each day of each forecast. */
function csvOf({ forecasts }: CostForecasts): string {
  const heads = ['currency', 'part', 'key', 'date', 'mean', 'low_80', 'high_80', 'low_95', 'high_95']; // prettier-ignore
  return [
    csvLine(heads),
    ...forecasts.flatMap(({ currency, part, key, points }) =>
      points.map(({ date, mean, interval_80: in80, interval_95: in95 }) =>
        csvLine([currency, part, key ?? null, date, mean, ...in80, ...in95]),
      ),
    ),
  ].join('');
}

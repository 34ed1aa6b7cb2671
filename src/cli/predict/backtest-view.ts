import type { PredictionMethod } from '../../contract/predictions.ts';
import { beatsBoth, scoreOf } from '../../engine/predict/backtest.ts';
import type { Replayed, Score } from '../../engine/predict/backtest.ts';
import type { View } from '../terminal/output.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';
import { formatTable, numberColumn } from '../terminal/table.ts';
import { wrapWords } from '../terminal/wrap-words.ts';

interface Row extends Score {
  readonly method: PredictionMethod | 'failed in last 30 days' | 'never';
  /** Absent for the baselines. */
  readonly beats_both?: boolean;
}

export interface Backtested {
  readonly total: Replayed;
  /** Histories that were replayed. */
  readonly sources: number;
  readonly horizon: number;
  /** In milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  /** Absent: what the service stored. */
  readonly dataset?: string | undefined;
  /** Whether the service has more than was read. */
  readonly isCut: boolean;
}

const nothing: Score = { n: 0, alerts: 0, precision: null, recall: null, skill_never: null, skill_recent: null }; // prettier-ignore

const limitsOf = ({ total, dataset, isCut }: Backtested): string[] => [
  'trend: n = 0, because the history contains no numeric values to replay.',
  'date_certain and exemption_expiry are not replayed, because they depend only on dates.',
  ...(dataset === undefined
    ? [
        'The service stores the last 20 changes of each violation. Deleted resources appear only in violations.',
      ]
    : []),
  ...(isCut ? ['Only the first 100,000 violations and resources were read.'] : []),
  ...(total.failures < fewFailures
    ? [`${count(total.failures, 'failure')}: too few to evaluate a method.`]
    : []),
];
const fewFailures = 30;

export const backtestView = (backtested: Backtested): View => {
  const { total, horizon, from, until, dataset } = backtested;
  const recurrence = scoreOf(total, 'recurrence');
  const off = { ...nothing, beats_both: false };
  const rows: readonly Row[] = [
    { method: 'recurrence', ...recurrence, beats_both: beatsBoth(recurrence) },
    { method: 'trend', ...off },
    { method: 'failed in last 30 days', ...scoreOf(total, 'recent') },
    { method: 'never', ...scoreOf(total, 'never') },
  ];
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const limits = limitsOf(backtested);
  return {
    value: {
      dataset: dataset ?? null,
      histories: backtested.sources,
      from: day(from),
      until: day(until),
      horizon_days: horizon,
      series: total.series,
      forecasts: total.forecasts,
      failures: total.failures,
      methods: rows,
      limits,
    },
    human: (style, columns) => {
      const table = formatTable(
        rows,
        [
          { title: 'METHOD', cell: ({ method }) => method, shrinks: 'end' },
          numberColumn('N', ({ n }) => n),
          numberColumn('ALERTS', ({ alerts }) => alerts),
          { title: 'PRECISION', cell: ({ precision }) => percent(precision) },
          { title: 'RECALL', cell: ({ recall }) => percent(recall) },
          { title: 'SKILL/NEVER', cell: (row) => skill(row.skill_never) },
          { title: 'SKILL/30D', cell: (row) => skill(row.skill_recent) },
        ],
        style,
        columns,
      );
      const facts = [
        `${count(total.series, 'series', 'series')}, ${inThrees(total.forecasts)} daily forecasts for ${count(horizon, 'day')}, ${count(total.failures, 'failure')}, ${day(from)} to ${day(until)}.`,
        rows.some(({ beats_both: isGood }) => isGood)
          ? `${rows.filter((row) => row.beats_both).map(({ method }) => method).join(', ')} beats both baselines.` // prettier-ignore
          : 'No method beats both baselines.',
        ...limits.map((line) => `- ${line}`),
      ];
      return `${table}\n${facts.map((line) => wrapWords(printableLine(line), columns)).join('\n')}\n`;
    },
  };
};

const percent = (share: number | null): string =>
  share === null ? '-' : `${Math.round(share * 100)}%`;

const skill = (value: number | null): string => (value === null ? '-' : value.toFixed(2));

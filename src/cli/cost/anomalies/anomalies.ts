import type { CostAnomaly } from '../../../contract/cost-anomalies.ts';
import { showMoney } from '../../../contract/money.ts';
import { csvLine } from '../../../report/formats/csv/csv-line.ts';
import type { OwnNoun } from '../../objects/noun.ts';
import { paintSeverity } from '../../terminal/severity.ts';
import { trend } from '../cost-text.ts';
import { daysOf } from '../days.ts';
import { anomalyView, percentOf, subjectOf } from './anomaly-view.ts';

interface ListOptions {
  readonly status?: readonly string[];
  readonly severity?: readonly string[];
  readonly provider?: readonly string[];
  readonly account?: readonly string[];
  readonly service?: readonly string[];
  readonly since?: string;
}

/** Days of a trend in the list, most of them before the anomaly. */
const trendDays = 8;
const daysAfter = 3;

/** The cost of the days around its first. */
function around({ start, trend: { start: from, costs } }: CostAnomaly): readonly string[] {
  const end = Math.min(costs.length, daysOf(start) - daysOf(from) + daysAfter);
  return costs.slice(Math.max(0, end - trendDays), end);
}

export const anomalies: OwnNoun<CostAnomaly, ListOptions> = {
  one: 'cost anomaly',
  many: 'cost anomalies',
  listName: 'anomalies',
  feature: 'cost anomalies',
  api: (client) => client.costAnomalies,
  list: {
    filter: ({ status, severity, provider, account, service, since }) => ({
      status: status?.join(',').toLowerCase(),
      severity: severity?.join(',').toLowerCase(),
      provider: provider?.join(','),
      account: account?.join(','),
      service: service?.join(','),
      since,
    }),
    saysIfFiltered: true,
    formats: (rows) => ({ csv: () => csvOf(rows) }),
    columns: ({ glyphs }) => [
      { title: 'START', cell: ({ start }) => start },
      {
        title: 'DAYS',
        cell: ({ days, ongoing }) => `${days}${ongoing ? '+' : ''}`,
        isRight: true,
        drops: 3,
      },
      {
        title: 'SEVERITY',
        cell: ({ severity }) => severity.toUpperCase(),
        paint: (text, { severity }, style) => paintSeverity(text, severity.toUpperCase(), style),
        drops: 4,
      },
      { title: 'SERVICE', cell: subjectOf, shrinks: 'middle' },
      { title: 'ACCOUNT', cell: ({ account_id: id }) => id ?? '', drops: 1 },
      {
        title: 'IMPACT',
        cell: ({ impact, currency }) => `+${showMoney(impact, currency)}`,
        isRight: true,
      },
      {
        title: 'OVER',
        cell: ({ impact_percent: percent }) => percentOf(percent),
        isRight: true,
        drops: 2,
      },
      { title: 'TREND', cell: (one) => trend(around(one), glyphs), drops: 6 },
      { title: 'STATUS', cell: ({ status }) => status, drops: 5 },
      { title: 'ID', cell: ({ id }) => id },
    ],
  },
  view: anomalyView,
};

const csvHead = ['id', 'start', 'end', 'days', 'severity', 'status', 'provider', 'account_id', 'service', 'expected', 'actual', 'impact', 'currency'] as const; // prettier-ignore

const csvOf = (rows: readonly CostAnomaly[]): string =>
  [csvLine(csvHead), ...rows.map((row) => csvLine(csvHead.map((name) => row[name] ?? null)))].join(
    '',
  );

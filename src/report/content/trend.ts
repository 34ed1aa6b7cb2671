import type { Cell, Chart, Section, Table } from '../model.ts';
import { column, dataOnly, figures, isoCell, notice, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import { scansTable } from './common-tables.ts';
import type { Content } from './content.ts';
import { costOverTimeSection } from './cost-over-time.ts';
import type { Facts, ScanFact } from './facts.ts';
import { isNarrowed } from './scope.ts';
import { periodsOf } from './periods.ts';
import type { Period } from './periods.ts';
import { changedPolicies, changesSection } from './trend-changes.ts';
import type { Changed } from './trend-changes.ts';
import { changesOf, fromHighest, openingOf } from './shared.ts';
import { count, firstOf, lasting, moment, number, rounded, scoreText } from './wording.ts';

/** Points of a line; more would not be seen. */
const mostPoints = 100;

/** How scores and violations went over time, and what got better or worse. */
export const trend: Content = {
  wants: ({ cost }) => (cost ? { costOverTime: true } : {}),
  sections(facts) {
    return [
      ...(facts.order.include_executive_summary ? [summarySection(facts)] : []),
      scoresSection(facts),
      ...(facts.cost ? [costOverTimeSection(facts.cost, facts)] : []),
      periodsSection(facts),
      resolvingSection(facts),
      changesSection(facts),
      scansSection(facts),
    ];
  },
  mainTable: { detailed: 'scans', brief: 'scans' },
};

/** Scans whose scores can be compared: of everything, and ended within the scope's time. */
const comparable = ({ scans }: Facts): readonly ScanFact[] =>
  scans.within
    .filter(
      ({ status, isWhole, completed_at: at }) =>
        status === 'completed' && isWhole && at !== undefined,
    )
    .sort((a, b) => (a.completed_at ?? 0) - (b.completed_at ?? 0));

function summarySection(facts: Facts): Section {
  const { scope, violations } = facts;
  const scans = comparable(facts);
  const [first, last] = [scans[0], scans.at(-1)];
  const { openAtStart, open } = violations.total;
  const worse = changedPolicies(facts).filter(({ change }) => change > 0);
  const better = changedPolicies(facts).filter(({ change }) => change < 0);
  const named = (changed: readonly Changed[]): string =>
    firstOf(
      changed.map(({ name }) => name),
      5,
    );
  return {
    id: 'summary',
    title: 'Executive summary',
    blocks: [
      paragraph(
        first && last && first !== last
          ? `Over ${count(scans.length, 'full scan')}, the score went from ${scoreText(first.score)} to ${scoreText(last.score)}.`
          : `${scans.length === 0 ? 'No' : 'Only one'} full scan was completed in this period; comparing scores requires two.`,
      ),
      paragraph(changesOf(violations.total)),
      ...(scope.since === undefined
        ? [
            paragraph(
              'Without a date range there is no start to compare with, so this report does not show which policies improved.',
            ),
          ]
        : [
            paragraph(
              `Open violations: ${number(openAtStart)} at the start of the range, ${number(open)} at its end.`,
            ),
            ...(worse.length > 0 ? [paragraph(`Worse: ${named(worse)}.`)] : []),
            ...(better.length > 0 ? [paragraph(`Better: ${named(better)}.`)] : []),
            ...(worse.length + better.length === 0
              ? [paragraph('No policy has more or fewer open violations than at the start.')]
              : []),
          ]),
      paragraph(openingOf(facts)),
    ],
  };
}

/** Some of a list, the first and the last among them, evenly. */
function thinned<T>(list: readonly T[]): readonly T[] {
  if (list.length <= mostPoints) return list;
  const step = (list.length - 1) / (mostPoints - 1);
  return Array.from({ length: mostPoints }, (_, at) => list[Math.round(at * step)] as T); // within the list
}

const firstAndLast = (scans: readonly ScanFact[], text: (scan: ScanFact) => string): string => {
  const [first = '', last = ''] = [scans[0], scans.at(-1)].map((scan) => scan && text(scan));
  return `${first} in the first, ${last} in the last of ${count(scans.length, 'scan')}`;
};

function scoresSection(facts: Facts): Section {
  const scans = comparable(facts);
  const shown = thinned(scans);
  const [first, last] = [scans[0], scans.at(-1)];
  const categories = shown.map(({ completed_at: at }) => new Date(at ?? 0).toISOString());
  const scores: Chart = {
    kind: 'chart',
    id: 'scores',
    title: 'Scan scores',
    description: firstAndLast(scans, ({ score }) => scoreText(score)),
    form: 'lines',
    categories,
    series: [{ name: 'Score', colour: 'first', values: shown.map(({ score }) => score) }],
    unit: '%',
    most: 100,
  };
  // Each on a scale of its own: there may be thousands of failures and three errors.
  const amounts = (
    id: string,
    title: string,
    colour: 'fail' | 'error',
    of: (scan: ScanFact) => number,
  ): Chart => ({
    kind: 'chart',
    id,
    title,
    description: firstAndLast(scans, (scan) => number(of(scan))),
    form: 'lines',
    categories,
    series: [{ name: title, colour, values: shown.map(of) }],
    unit: 'evaluations',
  });
  const failures = amounts('failures', 'Failed evaluations', 'fail', ({ failed }) => failed);
  const errors = amounts('errors', 'Evaluation errors', 'error', ({ undecided }) => undecided);
  return {
    id: 'scores',
    title: 'Scores',
    blocks: [
      ...(isNarrowed(facts.scope)
        ? [notice('neutral', 'Scan scores cover all policies and resources, not only this scope.')]
        : []),
      paragraph(
        scans.length < 2
          ? `${scans.length === 0 ? 'No' : 'Only one'} full scan was completed in this period, so there is nothing to compare.`
          : `Each point is a full scan completed in this period${scans.length > mostPoints ? `; ${mostPoints} of ${number(scans.length)} are shown` : ''}.`,
      ),
      ...(scans.length > 1 ? [scores, failures, ...(hasChanged(errors) ? [errors] : [])] : []),
      ...(first && last && first !== last ? [comparison(facts, first, last)] : []),
    ],
  };
}

const hasChanged = ({ series: [one] }: Chart): boolean => new Set(one?.values).size > 1;

function comparison({ order }: Facts, first: ScanFact, last: ScanFact): Table {
  const row = (what: string, a: number | null, b: number | null) => ({ what, a, b });
  const items = [
    row('Score', first.score, last.score),
    row('Resources', first.resources, last.resources),
    row('Evaluations', first.evaluated, last.evaluated),
    row('Failing', first.failed, last.failed),
    row('Exempt', first.exempt, last.exempt),
    row('Errors', first.undecided, last.undecided),
  ];
  type Item = (typeof items)[number];
  const { timezone } = order.scope;
  const at = ({ completed_at: time }: ScanFact): string => moment(time ?? 0, timezone);
  const columns: readonly ColumnOf<Item>[] = [
    column('figure', 'Metric', 'text', 2, ({ what }) => what),
    column('first', `First, ${at(first)}`, 'decimal', 2, ({ a }) => a),
    column('last', `Last, ${at(last)}`, 'decimal', 2, ({ b }) => b),
    column('change', 'Change', 'decimal', 1, ({ a, b }): Cell =>
      a === null || b === null ? null : rounded(b - a),
    ),
  ];
  const about = { id: 'first_and_last', title: 'First and last scan', empty: 'None.' };
  return table(about, columns, items);
}

function periodsSection(facts: Facts): Section {
  const periods = periodsOf(facts);
  const categories = periods.map(({ start }) => new Date(start).toISOString());
  const line = (name: string, colour: 'fail' | 'pass' | 'first', of: (one: Period) => number) => ({
    name,
    colour,
    values: periods.map(of),
  });
  const { total } = facts.violations;
  const chart: Chart = {
    kind: 'chart',
    id: 'opened_and_resolved',
    title: 'Violations opened and resolved',
    description: `Opened ${number(total.opened)}, resolved ${number(total.resolved)}`,
    form: 'lines',
    drawn: 'columns',
    categories,
    series: [
      line('Opened', 'fail', ({ opened }) => opened),
      line('Resolved', 'pass', ({ resolved }) => resolved),
    ],
    unit: 'violations',
  };
  // A scale of its own: there are many more open than are opened or resolved in a day.
  const open: Chart = {
    kind: 'chart',
    id: 'open_over_time',
    title: 'Open violations',
    description: `Open at the end ${number(total.open)}`,
    form: 'lines',
    categories,
    series: [line('Open', 'first', ({ open }) => open)],
    unit: 'violations',
  };
  const columns: readonly ColumnOf<Period>[] = [
    column('start', 'From', 'timestamp', 2, ({ start }) => isoCell(start)),
    column('end', 'To', 'timestamp', 2, ({ end }) => isoCell(end)),
    column('opened', 'Opened', 'integer', 1, ({ opened }) => opened),
    column('resolved', 'Resolved', 'integer', 1, ({ resolved }) => resolved),
    column('exempted', 'Exempted', 'integer', 1, ({ exempted }) => exempted),
    column('open', 'Open at end', 'integer', 1, ({ open }) => open),
  ];
  return {
    id: 'violations',
    title: 'Violations over time',
    blocks: [
      paragraph(
        'Status changes of violations in scope, from their histories. Opened includes violations that were reopened, or whose exemption ended; resolved and exempted are changes of open violations, so resolved exempt violations are not included. The number open at the end of each period is counted back from the end of the last.',
      ),
      ...(periods.length > 1 ? [chart, open] : []),
      table({ id: 'periods', title: 'Violations over time', empty: 'None.' }, columns, periods),
    ],
  };
}

function resolvingSection({ violations: { resolving } }: Facts): Section {
  const items = fromHighest.map((severity) => ({ severity, ...resolving[severity] }));
  type Item = (typeof items)[number];
  const mean = ({ sum, count: amount }: Item): number | null =>
    amount === 0 ? null : sum / amount;
  const columns: readonly ColumnOf<Item>[] = [
    column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
    column('resolved', 'Resolved', 'integer', 1, ({ count: known, unknown }) => known + unknown),
    column('mean', 'Mean time', 'text', 2, (item) => {
      const ms = mean(item);
      return ms === null ? null : lasting(ms);
    }),
    dataOnly(
      column('mean_hours', 'Mean hours', 'decimal', 1, (item) => {
        const ms = mean(item);
        return ms === null ? null : rounded(ms / 3_600_000);
      }),
    ),
    column('unknown', 'Unknown age', 'integer', 1, ({ unknown }) => unknown),
  ];
  return {
    id: 'resolving',
    title: 'Time to resolve',
    blocks: [
      paragraph(
        'Time from detection to resolution of open violations, including violations resolved manually or because the policy or resource was deleted. Time spent exempt counts.',
      ),
      table({ id: 'time_to_resolve', title: 'Time to resolve', empty: 'None.' }, columns, items),
    ],
  };
}

const scansSection = (facts: Facts): Section => ({
  id: 'scans',
  title: 'Scans',
  blocks: [
    figures(
      { label: 'Scans', value: number(facts.scans.within.length) },
      { label: 'Compared', value: number(comparable(facts).length) },
    ),
    paragraph('All scans of the period. Partial scans have scores of what they evaluated.'),
    scansTable(facts),
  ],
});

import type { Framework } from '../../contract/frameworks.ts';
import type { GovernanceOverview, ScoreDay } from '../../contract/governance.ts';
import { showMoney } from '../../contract/money.ts';
import { severities } from '../../contract/policies.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { compliantFrom } from '../../engine/score.ts';
import { paintStatus, scoreText } from '../framework/framework-view.ts';
import { shortTime } from '../terminal/ages.ts';
import type { View } from '../terminal/output.ts';
import { count, inThrees, printableLine, widthOf } from '../terminal/printable.ts';
import { paintSeverity } from '../terminal/severity.ts';
import { sparkline } from '../terminal/sparkline.ts';
import { formatTable, numberColumn } from '../terminal/table.ts';
import type { Column } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import type { Further } from './further.ts';

const lower = <S extends string>(text: S) => text.toLowerCase() as Lowercase<S>;

/** Columns of a full bar: of the score, and of violations. */
const scoreBar = 40;
const violationBar = 12;
/** Columns of the left block where two are side by side, and between them. */
const leftBlock = 31;
const between = 3;
const narrowest = 76;
const mostAlerts = 4;
/** Points between the lowest and the highest bar, at least: small changes look small. */
const leastSpan = 10;

interface Screen {
  readonly style: Style;
  readonly columns: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly baseUrl: string;
  readonly further: Further;
  /** Whether filters leave something out. */
  readonly isPart: boolean;
}

export const overviewView = (
  overview: GovernanceOverview,
  given: Omit<Screen, 'style' | 'columns'>,
): View => ({
  value: { governance_overview: overview },
  human(style, columns) {
    const screen = { ...given, style, columns };
    const { frameworks, accounts } = given.further;
    const blocks = [
      [headLine(overview, screen)],
      scoreLines(overview, screen),
      beside(violationLines(overview, screen), (room) => alertLines(overview, { ...screen, columns: room }), screen), // prettier-ignore
      beside(
        accounts.length > 0 ? accountLines(screen) : [],
        (room) => (frameworks.length > 0 ? frameworkLines({ ...screen, columns: room }) : []),
        screen,
      ),
      [...savingLines(overview), style.dim(useLine(overview))],
    ].filter((block) => block.length > 0);
    const text = blocks.map((lines) => lines.map((line) => line.trimEnd()).join('\n')).join('\n\n');
    return `${text}\n${nextLine(overview, given)}`.replace(/\n*$/, '\n');
  },
});

const headLine = (
  { generated_at: at, evaluated, pending }: GovernanceOverview,
  { style, baseUrl }: Screen,
): string =>
  [
    style.bold('Governance'),
    utcMinute(at),
    `${inThrees(evaluated)} ${evaluated === 1 ? 'evaluation' : 'evaluations'}${pending ? `, ${inThrees(pending.evaluations)} pending` : ''}`,
    printableLine(baseUrl),
  ].join(' · ');

function scoreLines(
  {
    compliance_score: score,
    evaluated,
    errors,
    uncovered,
    pending,
    policy_violations: { critical },
  }: GovernanceOverview,
  { style, isPart, columns, further: { days } }: Screen,
): string[] {
  if (evaluated === 0 && pending) {
    return [style.bold('  Score  not known yet'), '  Evaluations are pending.'];
  }
  if (evaluated === 0) {
    return [
      style.bold('  Score  none yet'),
      isPart
        ? '  Nothing was evaluated: no policy applies to the selected resources.'
        : '  Nothing was evaluated: no policy applies to the resources in the inventory.',
    ];
  }
  const full = Math.floor((score / 100) * scoreBar);
  const { why, color } = standing(score, critical, pending !== undefined);
  const paint = style[color];
  return [
    `  ${style.bold(paint(`${score} of 100`))}  ${why}`,
    `  ${paint('█'.repeat(full))}${style.dim('░'.repeat(scoreBar - full))}`,
    ...trendLine(days, score, style),
    ...(errors > 0
      ? [
          style.yellow(
            `  ${count(errors, 'evaluation')} ended in an error and ${errors === 1 ? 'counts' : 'count'} as not met: govctl evaluation list`,
          ),
        ]
      : []),
    ...(uncovered ? uncoveredLines(uncovered, columns).map((line) => style.yellow(line)) : []),
  ];
}

/** A score says little about resources that hardly any policy is about. */
function uncoveredLines(
  { resources, types }: NonNullable<GovernanceOverview['uncovered']>,
  columns: number,
): string[] {
  const named = types.map((one) => `${printableLine(one.resource_type)} (${inThrees(one.resources)})`); // prettier-ignore
  const isMore = types.reduce((sum, one) => sum + one.resources, 0) < resources;
  const which = `${named.join(', ')}${isMore ? ', …' : ''}`;
  const text = `  ${count(resources, 'resource has', 'resources have')} no policy for the type or its service: ${which}`;
  return wrapWords(text, columns).split('\n');
}

/** What an open violation says stays true whatever is pending; a score does not. */
function standing(
  score: number,
  critical: number,
  isPending: boolean,
): { readonly why: string; readonly color: 'green' | 'red' | 'yellow' } {
  const isUnder = score < compliantFrom;
  if (critical > 0 && (isPending || !isUnder)) {
    return { why: 'not compliant: CRITICAL violations are open', color: 'red' };
  }
  if (isPending) return { why: 'so far: evaluations are pending', color: 'yellow' };
  return isUnder
    ? { why: `not compliant: under ${compliantFrom}`, color: 'red' }
    : { why: 'compliant', color: 'green' };
}

/** From the first day that is known to now. */
function trendLine(days: readonly ScoreDay[], score: number, style: Style): string[] {
  const [first] = days;
  if (!first || days.length < 2) return [];
  const scores = [...days.slice(0, -1).map((one) => one.compliance_score), score];
  const change = Math.round((score - first.compliance_score) * 100) / 100;
  const text = change > 0 ? `+${change}` : String(change);
  const paint = change > 0 ? style.green : change < 0 ? style.red : style.dim;
  const lowest = Math.max(...scores) - leastSpan;
  return [`  ${sparkline(scores, { lowest })}  ${paint(text)} since ${printableLine(first.day)}`];
}

function violationLines({ policy_violations: open }: GovernanceOverview, { style }: Screen) {
  const rows = severities.toReversed().map((severity) => ({ severity, n: open[lower(severity)] }));
  const most = Math.max(...rows.map(({ n }) => n));
  if (most === 0) return [style.bold('  Open violations'), '  none'];
  const digits = inThrees(most).length;
  return [
    style.bold('  Open violations'),
    ...rows.map(({ severity, n }) => {
      const bar = '█'.repeat(Math.ceil((n / most) * violationBar));
      const text = `  ${severity.padEnd(8)}  ${inThrees(n).padStart(digits)}  ${bar}`;
      return n === 0 ? style.dim(text) : paintSeverity(text, severity, style);
    }),
  ];
}

function alertLines({ predictive_alerts: alerts }: GovernanceOverview, screen: Screen): string[] {
  const { style, now } = screen;
  if (alerts.length === 0) return [style.bold('About to fail'), 'no resources within 30 days'];
  const shown = alerts.slice(0, mostAlerts);
  return [
    style.bold('About to fail'),
    ...rowLines(
      shown,
      [
        { title: '', cell: ({ at }) => shortTime(now, 0)(at) },
        {
          title: '',
          cell: ({ severity }) => severity.toUpperCase(),
          paint: (text, { severity }, paint) => paintSeverity(text, severity.toUpperCase(), paint),
        },
        { title: '', cell: ({ resource }) => resource, shrinks: 'middle' },
        { title: '', cell: (alert) => alert.predicted_violation, shrinks: 'end' },
      ],
      screen,
    ).slice(1),
    ...(alerts.length > shown.length ? [style.dim('Use `govctl predict list` to list all.')] : []),
  ];
}

const accountLines = (screen: Screen): string[] =>
  rowLines(
    screen.further.accounts,
    [
      { title: 'Accounts', cell: ({ id }) => id, shrinks: 'end' },
      { title: 'score', cell: ({ score }) => scoreText(score ?? null) },
      numberColumn('open', ({ open }) => open),
    ],
    { ...screen, columns: leftBlock - 2 },
  ).map((line) => `  ${line}`);

const frameworkLines = (screen: Screen): string[] =>
  rowLines(
    screen.further.frameworks,
    [
      { title: 'Frameworks', cell: ({ name }: Framework) => name, paint: paintStatus, shrinks: 'end' }, // prettier-ignore
      { title: 'score', cell: ({ compliance_score: score }) => scoreText(score) },
      {
        title: 'failed / with data / all',
        cell: ({ control_counts: { failed, total }, controls_with_data: known }) =>
          `${failed} / ${known} / ${total}`,
      },
    ],
    screen,
  );

const rowLines = <Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { style, columns: room }: Screen,
): string[] => formatTable(rows, columns, style, room).trimEnd().split('\n');

/** Two blocks side by side, or one after the other where there is no room. */
function beside(
  left: readonly string[],
  right: (room: number) => readonly string[],
  { columns }: Screen,
): string[] {
  const isNarrow = columns < narrowest || left.length === 0;
  const others = right(isNarrow ? columns - 2 : columns - leftBlock - between);
  if (isNarrow) {
    return [...left, ...(left.length > 0 && others.length > 0 ? [''] : []), ...others.map((line) => `  ${line}`)]; // prettier-ignore
  }
  return Array.from({ length: Math.max(left.length, others.length) }, (_, at) => {
    const line = left[at] ?? '';
    return `${line}${' '.repeat(Math.max(between, leftBlock + between - widthOf(line)))}${others[at] ?? ''}`;
  });
}

/** What unused and too large resources cost, where that is known and the login may see it. */
function savingLines({ cost_optimization: cost }: GovernanceOverview): string[] {
  if (!cost.savings) return [];
  const sums = cost.savings.map(({ currency, monthly_cost: sum }) => showMoney(sum, currency));
  const unused = count(cost.unused_resources, 'unused resource');
  const sizes = count(cost.rightsizing_opportunities, 'smaller size');
  return [`  Potential savings per month: ${sums.join(', ')} (${unused}, ${sizes}).`];
}

const useLine = ({ tools_replaced: used, automation_level: level }: GovernanceOverview): string =>
  `  Last 30 days: ${level}% of fixes made by remediation, ${used} of 8 capabilities used.`;

function nextLine(overview: GovernanceOverview, { isPart }: Pick<Screen, 'isPart'>): string {
  const { policy_violations: open, predictive_alerts: alerts } = overview;
  if (overview.evaluated === 0) {
    return isPart
      ? 'To list all resources, run `govctl resource list`.'
      : 'To get started, run `govctl resource import FILE` and `govctl apply`.';
  }
  const gravest = severities.toReversed().find((one) => open[lower(one)] > 0);
  if (gravest)
    return `To list these violations, run \`govctl violation list --severity ${gravest}\`.`;
  return alerts.length > 0 ? 'To list predictions, run `govctl predict list`.' : '';
}

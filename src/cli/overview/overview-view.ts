import type { GovernanceOverview } from '../../contract/governance.ts';
import { severities } from '../../contract/policies.ts';
import type { PredictiveAlert } from '../../contract/predictions.ts';
import { compliantFrom } from '../../engine/score.ts';
import { shortTime } from '../terminal/ages.ts';
import type { View } from '../terminal/output.ts';
import { inThrees } from '../terminal/printable.ts';
import { paintSeverity } from '../terminal/severity.ts';
import { formatTable } from '../terminal/table.ts';
import type { Style } from '../terminal/terminal.ts';

const lower = <S extends string>(text: S) => text.toLowerCase() as Lowercase<S>;

/** Columns of a full bar. */
const barWidth = 40;

/** @param now milliseconds since the epoch */
export const overviewView = (overview: GovernanceOverview, now: number): View => ({
  value: { governance_overview: overview },
  human: (style, columns) =>
    [
      ...scoreLines(overview, style),
      '',
      ...violationLines(overview, style),
      '',
      alertLines(overview.predictive_alerts, { style, columns, now }),
      '',
      style.dim(useLine(overview)),
      nextLine(overview),
    ]
      .join('\n')
      .replace(/\n*$/, '\n'),
});

function scoreLines(
  { compliance_score: score, evaluated }: GovernanceOverview,
  style: Style,
): string[] {
  if (evaluated === 0) {
    return [
      style.bold('Score  none yet'),
      '  Nothing was evaluated: there are no resources that a policy is about.',
    ];
  }
  const isCompliant = score >= compliantFrom;
  const paint = isCompliant ? style.green : style.red;
  const full = Math.floor((score / 100) * barWidth);
  return [
    `${style.bold('Score')}  ${paint(`${score} of 100`)}  ${paint('█'.repeat(full))}${style.dim('░'.repeat(barWidth - full))}`,
    `  of ${inThrees(evaluated)} evaluations${isCompliant ? '' : `; under ${compliantFrom} is not compliant`}`,
  ];
}

function violationLines({ policy_violations: open }: GovernanceOverview, style: Style): string[] {
  const rows = severities.toReversed().map((severity) => ({ severity, n: open[lower(severity)] }));
  const most = Math.max(...rows.map(({ n }) => n));
  if (most === 0) return [`${style.bold('Open violations')}  none`];
  const digits = inThrees(most).length;
  return [
    style.bold('Open violations'),
    ...rows.map(({ severity, n }) => {
      const bar = '█'.repeat(Math.ceil((n / most) * barWidth));
      const text = `  ${severity.padEnd(8)}  ${inThrees(n).padStart(digits)}  ${bar}`.trimEnd();
      return n === 0 ? style.dim(text) : paintSeverity(text, severity, style);
    }),
  ];
}

function alertLines(
  alerts: readonly PredictiveAlert[],
  {
    style,
    columns,
    now,
  }: { readonly style: Style; readonly columns: number; readonly now: number },
): string {
  if (alerts.length === 0) return `${style.bold('About to fail')}  nothing within 30 days`;
  const table = formatTable(
    alerts,
    [
      { title: '  WHEN', cell: ({ at }) => `  ${shortTime(now, 0)(at)}` },
      {
        title: 'SEVERITY',
        cell: ({ severity }) => severity.toUpperCase(),
        paint: (text, { severity }, paint) => paintSeverity(text, severity.toUpperCase(), paint),
      },
      { title: 'RESOURCE', cell: ({ resource }) => resource, shrinks: 'middle' },
      { title: 'POLICY', cell: (alert) => alert.predicted_violation, shrinks: 'end' },
    ],
    style,
    columns,
  );
  return `${style.bold('About to fail')}\n${table.trimEnd()}`;
}

const useLine = ({ tools_replaced: used, automation_level: level }: GovernanceOverview): string =>
  `Last 30 days: ${used} of 8 capabilities used, ${level}% of fixes made by remediation.`;

function nextLine(overview: GovernanceOverview): string {
  const { policy_violations: open, predictive_alerts: alerts } = overview;
  if (overview.evaluated === 0) return 'Next: govctl resource import FILE, and govctl apply';
  const gravest = severities.toReversed().find((one) => open[lower(one)] > 0);
  if (gravest) return `Next: govctl violation list --severity ${gravest}`;
  return alerts.length > 0 ? 'Next: govctl predict list' : '';
}

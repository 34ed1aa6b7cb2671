import type { Chart, Section, SeriesColour } from '../model.ts';
import { below, column, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import { policiesSection, violationColumns, violationsByPolicy } from './common-tables.ts';
import type { Content } from './content.ts';
import type { EvaluationRow, Facts } from './facts.ts';
import { controlsSection, describeStatus, frameworksSection } from './framework-sections.ts';
import { frameworksOf } from './frameworks.ts';
import type { ControlStatus, FrameworkStatus } from './frameworks.ts';
import type { BySeverity } from './counters.ts';
import { orderKey } from './order-key.ts';
import { rowsOf } from './rows.ts';
import { breakdown, exemptionsSection, fromHighest, openingOf, severityChart } from './shared.ts';
import { are, count, firstOf, listed, number, scoreText } from './wording.ts';
import { scoreOf } from './score.ts';

/** Score, frameworks and their controls with evidence, and what is found. */
export const compliance: Content = {
  wants: ({ details }) =>
    details
      ? {
          violations: {
            keyOf: (row, { wasOpen }, { since }) =>
              row.status !== 'RESOLVED' || (since !== undefined && wasOpen)
                ? orderKey(row.severity, row.policy, row.policy_id)
                : undefined,
          },
          undecided: true,
        }
      : {},
  sections(facts) {
    const frameworks = frameworksOf(facts);
    const { include_executive_summary: summary, include_detailed_findings: details } = facts.order;
    return [
      ...(summary ? [summarySection(facts, frameworks)] : []),
      scoreSection(facts),
      frameworksSection(frameworks),
      controlsSection(facts, frameworks),
      policiesSection(facts),
      breakdownsSection(facts),
      exemptionsSection(facts),
      ...(details ? [findingsSection(facts), undecidedSection(facts)] : []),
    ];
  },
  mainTable: { detailed: 'findings', brief: 'policies' },
};

function summarySection(facts: Facts, frameworks: readonly FrameworkStatus[]): Section {
  const { value, scan } = scoreOf(facts);
  const { total } = facts.violations;
  const severe = fromHighest.flatMap((severity) => {
    const amount = total.bySeverity[severity];
    return amount > 0 ? [`${number(amount)} ${severity}`] : [];
  });
  const failed = frameworks.flatMap(({ controls }) => controls).filter(isFailed);
  return {
    id: 'summary',
    title: 'Executive summary',
    blocks: [
      paragraph(
        value === null
          ? 'No compliance score, because nothing was evaluated.'
          : `The compliance score is ${scoreText(value)}${scan ? `, from scan ${scan.id}` : ''}.${compliantOf(frameworks)}`,
      ),
      paragraph(openingOf(facts)),
      ...(severe.length > 0 ? [paragraph(`Open by severity: ${listed(severe)}.`)] : []),
      ...frameworks.map((one) => paragraph(describeStatus(one))),
      ...(failed.length > 0
        ? [
            paragraph(
              `${count(failed.length, 'control fails', 'controls fail')}: ${firstOf(
                failed.map(({ framework, control }) => `${framework} ${control}`),
                10,
              )}.`,
            ),
          ]
        : []),
    ],
  };
}

/** How many frameworks are compliant; the sentences about each follow. */
function compliantOf(frameworks: readonly FrameworkStatus[]): string {
  const { length: all } = frameworks;
  if (all < 2) return '';
  const compliant = frameworks.filter(({ status }) => status === 'COMPLIANT').length;
  return ` Of ${all} frameworks, ${compliant === 0 ? 'none is' : `${compliant} ${are(compliant)}`} compliant.`;
}

const isFailed = ({ status }: ControlStatus): boolean => status === 'FAILED';

function scoreSection(facts: Facts): Section {
  const { pass, fail, error, exempt } = facts.evaluations.total;
  const shares: readonly (readonly [string, number, SeriesColour])[] = [
    ['passed', pass, 'pass'],
    ['failed', fail, 'fail'],
    ['exempt', exempt, 'exempt'],
    ['errors', error, 'error'],
  ];
  const ring: Chart = {
    kind: 'chart',
    id: 'evaluations',
    title: 'Evaluations by result',
    description: shares.map(([name, value]) => `${name} ${number(value)}`).join(', '),
    form: 'ring',
    categories: shares.map(([name]) => name),
    series: [{ name: 'Evaluations', colour: 'first', values: shares.map(([, value]) => value) }],
    colours: shares.map(([, , colour]) => colour),
    unit: 'evaluations',
  };
  return {
    id: 'score',
    title: 'Score',
    blocks: [
      paragraph(
        'The score is the weight of evaluations that pass or are exempt, divided by the weight of all evaluations. Each policy is evaluated once per resource of its type. Weights: CRITICAL 10, HIGH 7, MEDIUM 3, LOW 1. Exempt violations do not count as open.',
      ),
      ...(facts.evaluations.total.evaluated > 0 ? [ring] : []),
      severityChart(facts),
    ],
  };
}

function breakdownsSection({ evaluations, violations }: Facts): Section {
  const openBySeverity = (bySeverity: BySeverity) =>
    fromHighest.map((severity) => [severity, { open: bySeverity[severity] }] as const);
  return {
    id: 'breakdowns',
    title: 'By severity, environment and provider',
    blocks: [
      breakdown({
        id: 'severity',
        title: 'By severity',
        what: 'Severity',
        counters: fromHighest.map(
          (severity) => [severity, evaluations.severities[severity]] as const,
        ),
        violations: openBySeverity(violations.total.bySeverity),
      }),
      breakdown({
        id: 'environment',
        title: 'By environment',
        what: 'Environment',
        counters: evaluations.environments.entries(),
        violations: violations.environments.entries(),
      }),
      breakdown({
        id: 'provider',
        title: 'By cloud provider',
        what: 'Cloud provider',
        counters: evaluations.providers.entries(),
        violations: violations.providers.entries(),
      }),
      breakdown({
        id: 'type',
        title: 'By resource type',
        what: 'Resource type',
        counters: evaluations.types.entries(),
      }),
    ],
  };
}

function findingsSection({ scope, violations }: Facts): Section {
  return {
    id: 'findings',
    title: 'Findings',
    blocks: [
      paragraph(
        scope.since === undefined
          ? 'Open and exempt violations, most severe first, then by policy and resource.'
          : 'Violations that were open at any time in the range, or exempt at its end, with their status at its end; most severe first, then by policy and resource.',
      ),
      table(
        {
          id: 'findings',
          title: 'Findings',
          empty: 'None.',
          paper: {
            ...violationsByPolicy,
            columns: ['resource', 'status', 'points'],
            rank: ['status', ...violationsByPolicy.rank],
          },
        },
        violationColumns,
        violations.rows ?? rowsOf([]),
      ),
    ],
  };
}

function undecidedSection({ evaluations }: Facts): Section {
  const columns: readonly ColumnOf<EvaluationRow>[] = [
    column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
    column('policy', 'Policy', 'text', 2, ({ policy }) => policy),
    column('resource', 'Resource', 'id', 3, ({ resource }) => resource),
    below(
      column('environment', 'Environment', 'text', 1, ({ environment }) => environment ?? null),
    ),
    column('why', 'Why', 'text', 4, ({ message }) => message),
  ];
  return {
    id: 'undecided',
    title: 'Evaluation errors',
    blocks: [
      paragraph(
        'Evaluations that ended in an error because an attribute is missing or has the wrong type.',
      ),
      table(
        {
          id: 'undecided',
          title: 'Evaluation errors',
          empty: 'None.',
          paper: {
            by: ['policy', 'severity'],
            columns: ['resource'],
            once: ['environment', 'why'],
            most: 100,
            rank: ['severity'],
            chosen: 'the most severe',
            unit: ['error', 'errors'],
          },
        },
        columns,
        evaluations.undecidedRows ?? rowsOf([]),
      ),
    ],
  };
}

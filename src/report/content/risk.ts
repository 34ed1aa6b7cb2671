import { severities } from '../../contract/policies.ts';
import type { Section } from '../model.ts';
import { aboutToFailSection, predictedWithin } from './about-to-fail.ts';
import { below, column, figures, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import { pointsColumn, violationColumns, violationsByPolicy } from './common-tables.ts';
import type { Content } from './content.ts';
import type { ExemptionFact, Facts, PolicyFact, ViolationRow } from './facts.ts';
import { costAtRiskSection } from './cost-at-risk.ts';
import { noneBySeverity } from './counters.ts';
import type { BySeverity } from './counters.ts';
import { orderKey } from './order-key.ts';
import { rowsOf } from './rows.ts';
import { ageBuckets, riskFormula } from './risk-points.ts';
import {
  placesSection,
  policiesByPoints,
  resourcesSection,
  riskiestPoliciesSection,
  severityColumns,
  stackedBySeverity,
  sumOf,
} from './risk-tables.ts';
import { fromHighest, openingOf } from './shared.ts';
import { are, count, moment, number, rounded } from './wording.ts';

const day = 24 * 3_600_000;
/** An exemption that ends within so many days is about to. */
const soon = 30;

/** What is most at risk: open violations weighed by severity, age and environment. */
export const risk: Content = {
  wants: ({ details, cost }) => ({
    predictions: true,
    ...(cost ? { costAtRisk: true } : {}),
    ...(details
      ? {
          violations: {
            keyOf: (row) => (row.status === 'OPEN' ? riskKey(row) : undefined),
          },
        }
      : {}),
  }),
  sections(facts) {
    const { include_executive_summary: summary, include_detailed_findings: details } = facts.order;
    return [
      ...(summary ? [summarySection(facts)] : []),
      riskSection(facts),
      resourcesSection(facts),
      riskiestPoliciesSection(facts),
      placesSection(facts),
      ...(facts.cost ? [costAtRiskSection(facts.cost, facts)] : []),
      aboutToFailSection(facts),
      expiringSection(facts),
      undecidedSection(facts),
      ...(details ? [violationsSection(facts)] : []),
    ];
  },
  mainTable: { detailed: 'violations', brief: 'top_policies' },
};

/** The highest severity first, and of one the most points. These are hundredths, and never thousands. */
const riskKey = ({ points = 0, severity, policy, policy_id: id }: ViolationRow): string =>
  `${severities.length - severities.indexOf(severity)}${String(1_000_000 - Math.round(points * 100)).padStart(7, '0')}${orderKey(severity, policy, id)}`;

function summarySection(facts: Facts): Section {
  const { total, topResources, affected } = facts.violations;
  const [first] = topResources;
  const [policy] = policiesByPoints(facts);
  const ending = endingSoon(facts);
  const undecided = undecidedPolicies(facts);
  const { order, predictions: { alerts = [] } = {} } = facts;
  const [soonest, predicted] = [alerts[0], alerts.length];
  return {
    id: 'summary',
    title: 'Executive summary',
    blocks: [
      paragraph(
        total.open === 0
          ? 'No open violations, so there are no risk points.'
          : `Open violations total ${count(rounded(total.points), 'risk point')} across ${count(affected, 'resource')}.`,
      ),
      ...(first
        ? [
            paragraph(
              `By severity, then by risk points, the resource most at risk is ${first.resource} (${worstOf(first.bySeverity)}), with ${count(rounded(first.points), 'point')} from ${count(first.open, 'open violation')}.`,
            ),
          ]
        : []),
      ...(policy
        ? [
            paragraph(
              `By severity, then by risk points, the policy most at risk is “${policy.name}” (${policy.severity}), with ${count(rounded(policy.counts.points), 'point')} from ${count(policy.counts.open, 'open violation')}.`,
            ),
          ]
        : []),
      paragraph(openingOf(facts)),
      ...(soonest
        ? [
            paragraph(
              `${count(predicted, 'violation')} ${are(predicted)} predicted within ${predictedWithin} days, the first on ${moment(soonest.at, order.scope.timezone)}: ${soonest.policy} on ${soonest.resource}.`,
            ),
          ]
        : []),
      ...(ending.length > 0
        ? [
            paragraph(
              `${count(ending.length, 'exemption')} ${ending.length === 1 ? 'ends' : 'end'} within ${soon} days; the violations ${ending.length === 1 ? 'it covers' : 'they cover'} then reopen.`,
            ),
          ]
        : []),
      ...(undecided.length > 0
        ? [
            paragraph(
              `${count(undecided.length, 'HIGH or CRITICAL policy', 'HIGH or CRITICAL policies')} had evaluation errors, so the actual risk may be higher.`,
            ),
          ]
        : []),
    ],
  };
}

const worstOf = (bySeverity: BySeverity): string =>
  fromHighest.find((severity) => bySeverity[severity] > 0) ?? '';

function riskSection(facts: Facts): Section {
  const { total, ages, affected } = facts.violations;
  const oldestFirst = ageBuckets.map(({ label, factor }, at) => ({
    label,
    factor,
    bySeverity: ages[at] ?? noneBySeverity(),
  }));
  type Age = (typeof oldestFirst)[number];
  const columns: readonly ColumnOf<Age>[] = [
    column('age', 'Open for', 'text', 2, ({ label }) => label),
    column('factor', 'Age factor', 'decimal', 1, ({ factor }) => factor),
    ...severityColumns(({ bySeverity }: Age) => bySeverity),
    column('open', 'Open violations', 'integer', 1, ({ bySeverity }) => sumOf(bySeverity)),
  ];
  return {
    id: 'risk',
    title: 'Risk',
    blocks: [
      figures(
        { label: 'Risk points', value: number(rounded(total.points)) },
        { label: 'Open violations', value: number(total.open) },
        { label: 'Affected resources', value: number(affected) },
      ),
      paragraph(`${riskFormula} Exempt violations have none.`),
      stackedBySeverity(
        'open_by_age',
        'Open violations by age',
        oldestFirst.map(({ label, bySeverity }) => [label, bySeverity] as const),
      ),
      table(
        { id: 'by_age', title: 'Open violations by age', empty: 'None.' },
        columns,
        oldestFirst,
      ),
    ],
  };
}

/** The exemptions that count at the end of the scope, and end soon after. */
const endingSoon = ({ exemptions, scope }: Facts): readonly ExemptionFact[] => {
  const now = scope.end;
  return exemptions.filter(({ ends_at: end }) => end > now && end <= now + soon * day);
};

function expiringSection(facts: Facts): Section {
  const { scope, order } = facts;
  const columns: readonly ColumnOf<ExemptionFact>[] = [
    column('policy', 'Policy', 'text', 2, ({ policy }) => policy),
    column('expires', 'Last day', 'date', 1, ({ expires }) => expires),
    column('covers', 'Covers', 'integer', 1, ({ covers }) => covers),
    column('owner', 'Owner', 'text', 2, ({ owner }) => owner),
    column('reason', 'Reason', 'text', 3, ({ reason }) => reason),
    below(column('id', 'Exemption', 'id', 2, ({ id }) => id)),
  ];
  const from = moment(scope.end, order.scope.timezone);
  return {
    id: 'expiring',
    title: 'Exemptions ending soon',
    blocks: [
      paragraph(
        `Exemptions that end within ${soon} days of ${from}. The violations they cover have no risk points yet.`,
      ),
      table(
        { id: 'expiring_exemptions', title: 'Exemptions ending soon', empty: 'None.' },
        columns,
        endingSoon(facts),
      ),
    ],
  };
}

const undecidedPolicies = ({ policies }: Facts): readonly PolicyFact[] =>
  policies.filter(
    ({ severity, counter: { error } }) =>
      error > 0 && (severity === 'HIGH' || severity === 'CRITICAL'),
  );

function undecidedSection(facts: Facts): Section {
  const columns: readonly ColumnOf<PolicyFact>[] = [
    column('policy', 'Policy', 'text', 2, ({ name }) => name),
    column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
    column('undecided', 'Errors', 'integer', 1, ({ counter }) => counter.error),
    column('evaluations', 'Evaluations', 'integer', 1, ({ counter }) => counter.evaluated),
    below(column('examples', 'Examples', 'text', 4, ({ undecided }) => undecided.join('; '))),
  ];
  const policies = undecidedPolicies(facts);
  return {
    id: 'undecided',
    title: 'Evaluation errors',
    blocks: [
      paragraph(
        policies.length === 0
          ? 'No evaluation errors of HIGH or CRITICAL policies.'
          : `${count(policies.length, 'HIGH or CRITICAL policy', 'HIGH or CRITICAL policies')} with evaluation errors: it is unknown whether these resources are at risk.`,
      ),
      table({ id: 'undecided', title: 'Evaluation errors', empty: 'None.' }, columns, policies),
    ],
  };
}

function violationsSection({ violations }: Facts): Section {
  const columns: readonly ColumnOf<ViolationRow>[] = [
    pointsColumn,
    ...violationColumns.filter(
      ({ id }) => id !== 'resolved_at' && id !== 'status' && id !== 'points',
    ),
  ];
  return {
    id: 'violations',
    title: 'Open violations',
    blocks: [
      paragraph('Open violations, most severe first, then by risk points.'),
      table(
        { id: 'violations', title: 'Open violations', empty: 'None.', paper: violationsByPolicy },
        columns,
        violations.rows ?? rowsOf([]),
      ),
    ],
  };
}

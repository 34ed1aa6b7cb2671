import type { Chart, Section } from '../model.ts';
import { below, column, dataOnly, paragraph, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import { violationColumns, violationsByPolicy } from './common-tables.ts';
import type { Content } from './content.ts';
import type { Facts, ViolationRow } from './facts.ts';
import { orderKey, policyOfKey } from './order-key.ts';
import { rowsOf } from './rows.ts';
import { adviceOf, effortRule, efforts, planOf } from './remediation-plan.ts';
import type { Action } from './remediation-plan.ts';
import { remediationsSection } from './remediation-runs.ts';
import { openingOf } from './shared.ts';
import { count, firstOf, scoreText } from './wording.ts';
import { complianceScore } from '../../engine/score.ts';

const mostQuickWins = 10;
/** Actions in a chart, which has a bar for now, too: the mean of what comes after them would say nothing. */
const mostBars = 10;

/** What to do, in which order, and what it brings. */
export const remediation: Content = {
  wants: ({ details }) => ({
    remediations: true,
    ...(details
      ? {
          violations: {
            keyOf: (row) =>
              row.status === 'OPEN' ? orderKey(row.severity, row.policy, row.policy_id) : undefined,
            compare: byPlan,
          },
        }
      : {}),
  }),
  sections(facts) {
    const plan = planOf(facts);
    const { include_executive_summary: summary, include_detailed_findings: details } = facts.order;
    return [
      ...(summary ? [summarySection(facts, plan)] : []),
      planSection(facts, plan),
      quickWinsSection(plan),
      effortSection(plan),
      remediationsSection(facts),
      ...(details ? [violationsSection(facts, plan)] : []),
    ];
  },
  mainTable: { detailed: 'actions', brief: 'actions' },
};

/** Violations in the order of the plan; those of policies that are not in it come last. */
function byPlan(facts: Facts): (a: string, b: string) => number {
  const places = new Map(planOf(facts).flatMap(({ policies, step }) => policies.map(({ id }) => [id, step] as const))); // prettier-ignore
  const placeOf = (key: string): number => places.get(policyOfKey(key)) ?? places.size + 1;
  return (a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : Number(a > b));
}

const isQuick = ({ effort, gain }: Action): boolean =>
  (effort === 'automatic' || effort === 'small') && (gain ?? 0) > 0;

const quickWinsOf = (plan: readonly Action[]): readonly Action[] =>
  plan
    .filter(isQuick)
    .sort((a, b) => (b.gain ?? 0) - (a.gain ?? 0) || a.step - b.step)
    .slice(0, mostQuickWins);

function summarySection(facts: Facts, plan: readonly Action[]): Section {
  const [first] = plan;
  const quick = quickWinsOf(plan);
  const now = complianceScore(facts.evaluations.total);
  const last = plan.at(-1)?.scoreAfter;
  return {
    id: 'summary',
    title: 'Executive summary',
    blocks: [
      paragraph(
        first
          ? `The plan has ${count(plan.length, 'action')}${plan.length === 1 ? ': fix' : '. First, fix'} ${count(first.open, 'open violation')} of the policy “${first.policy.name}” (${first.policy.severity}).`
          : 'Nothing to fix: enabled policies have no open violations.',
      ),
      ...(last !== undefined && last !== null && now !== null
        ? [
            paragraph(
              `Completing ${plan.length === 1 ? 'it' : 'all actions'} raises the score from ${scoreText(now)} (as evaluated now) to ${scoreText(last)}.`,
            ),
          ]
        : []),
      ...(quick.length > 0
        ? [
            paragraph(
              `${count(quick.length, 'quick win')}${quick.length === 1 ? '' : ', highest gain first'}: ${firstOf(
                quick.map(({ policy }) => policy.name),
                5,
              )}.`,
            ),
          ]
        : []),
      paragraph(openingOf(facts)),
    ],
  };
}

const actionColumns: readonly ColumnOf<Action>[] = [
  column('step', 'Step', 'integer', 1, ({ step }) => step),
  column('policy', 'Policy', 'text', 2, ({ policies }) => policies.map(({ name }) => name).join('; ')), // prettier-ignore
  column('severity', 'Severity', 'severity', 1, ({ policy }) => policy.severity),
  column('advice', 'Recommendation', 'text', 6, ({ policy }) => adviceOf(policy) || null),
  column('open', 'Open violations', 'integer', 1, ({ open }) => open),
  column('effort', 'Effort', 'text', 1, ({ effort }) => effort),
  column('gain', 'Gain', 'decimal', 1, ({ gain }) => gain),
  column('score_after', 'Score after', 'percent', 1, ({ scoreAfter }) => scoreAfter),
  below(column('resource_type', 'Resource type', 'text', 2, ({ policy }) => policy.resource_type)),
  below(column('failing', 'Failing now', 'integer', 1, ({ failing }) => failing)),
  below(
    column('examples', 'Example resources', 'text', 3, ({ policy }) => firstOf(policy.failing, 5)),
  ),
  dataOnly(
    column('policy_id', 'Policy ID', 'id', 2, ({ policies }) =>
      policies.map(({ id }) => id).join('; '),
    ),
  ),
];

function planSection(facts: Facts, plan: readonly Action[]): Section {
  const { violations } = facts;
  const planned = plan.reduce((sum, { open }) => sum + open, 0);
  const rest = violations.total.open - planned;
  return {
    id: 'plan',
    title: 'Plan',
    blocks: [
      paragraph(
        'Each action fixes all violations of one policy, or of several that the same fix satisfies. Actions are sorted by severity, then by least effort, then by highest gain.',
      ),
      paragraph(
        `${effortRule} “Gain” is the increase of the score, in points, when the policy no longer fails on any resource; “score after” is the score after this action and all before it. Both use the weights of the score and the evaluations that fail now; evaluation errors stay as they are.`,
      ),
      ...(rest > 0
        ? [
            paragraph(
              `${count(rest, 'open violation')} of policies no longer enabled in scope ${rest === 1 ? 'has' : 'have'} no action.`,
            ),
          ]
        : []),
      ...(plan.length > 0 ? [scoreChart(facts, plan)] : []),
      table({ id: 'actions', title: 'Actions', empty: 'Nothing to fix.' }, actionColumns, plan),
    ],
  };
}

function scoreChart({ evaluations }: Facts, plan: readonly Action[]): Chart {
  const shown = plan.slice(0, mostBars);
  const now = complianceScore(evaluations.total);
  const entries: readonly (readonly [string, number | null])[] = [
    ['now', now],
    ...shown.map(
      ({ step, policy, scoreAfter }) => [`${step}. ${policy.name}`, scoreAfter] as const,
    ),
  ];
  return {
    kind: 'chart',
    id: 'score_after',
    title:
      plan.length > mostBars
        ? `Score after each of the first ${mostBars} actions`
        : 'Score after each action',
    description: entries.map(([name, score]) => `${name} ${scoreText(score)}`).join(', '),
    form: 'bars',
    drawn: 'waterfall',
    categories: entries.map(([name]) => name),
    series: [{ name: 'Score', colour: 'first', values: entries.map(([, score]) => score) }],
    unit: '%',
    most: 100,
  };
}

const quickWinsSection = (plan: readonly Action[]): Section => ({
  id: 'quick_wins',
  title: 'Quick wins',
  blocks: [
    paragraph(
      `Actions of automatic or small effort that raise the score, highest gain first (maximum ${mostQuickWins}).`,
    ),
    table(
      { id: 'quick_wins', title: 'Quick wins', empty: 'None.' },
      actionColumns.slice(0, 8),
      quickWinsOf(plan),
    ),
  ],
});

function effortSection(plan: readonly Action[]): Section {
  const amounts = efforts.map((effort) => {
    const actions = plan.filter((action) => action.effort === effort);
    const open = actions.reduce((sum, action) => sum + action.open, 0);
    return { effort, actions: actions.length, open };
  });
  type Amount = (typeof amounts)[number];
  const columns: readonly ColumnOf<Amount>[] = [
    column('effort', 'Effort', 'text', 2, ({ effort }) => effort),
    column('actions', 'Actions', 'integer', 1, ({ actions }) => actions),
    column('open', 'Open violations', 'integer', 1, ({ open }) => open),
  ];
  return {
    id: 'effort',
    title: 'Effort',
    blocks: [
      table({ id: 'by_effort', title: 'Actions by effort', empty: 'None.' }, columns, amounts),
    ],
  };
}

function violationsSection({ violations }: Facts, plan: readonly Action[]): Section {
  const steps = new Map(
    plan.flatMap(({ policies, step }) => policies.map(({ id }) => [id, step] as const)),
  );
  const columns: readonly ColumnOf<ViolationRow>[] = [
    column('step', 'Step', 'integer', 1, ({ policy_id: id }) => steps.get(id) ?? null),
    ...violationColumns.filter(({ id }) => id !== 'resolved_at' && id !== 'status'),
  ];
  return {
    id: 'violations',
    title: 'Open violations',
    blocks: [
      paragraph('Open violations, in the order of the plan, then by resource.'),
      table(
        {
          id: 'violations',
          title: 'Open violations',
          empty: 'None.',
          paper: { ...violationsByPolicy, by: ['policy', 'severity', 'step'] },
        },
        columns,
        violations.rows ?? rowsOf([]),
      ),
    ],
  };
}

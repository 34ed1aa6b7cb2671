import type { Section, Table } from '../model.ts';
import {
  below,
  column,
  dataOnly,
  figures,
  isoCell,
  paragraph,
  personColumns,
  table,
} from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import { policiesSection, scansTable } from './common-tables.ts';
import type { Content } from './content.ts';
import type { AuditRow, EvaluationRow, Facts, StepRow } from './facts.ts';
import { rowsOf } from './rows.ts';
import { changesOf, exemptionsSection, openingOf } from './shared.ts';
import { count, countOrNo, listed, moment, number, sentence, times, were } from './wording.ts';

/** Everything that was evaluated, and who changed what. */
export const audit: Content = {
  wants: ({ details }) => ({
    audit: true,
    ...(details ? { evaluations: true, steps: true } : {}),
  }),
  sections(facts) {
    const { include_executive_summary: summary, include_detailed_findings: details } = facts.order;
    return [
      ...(summary ? [summarySection(facts)] : []),
      policiesSection(facts),
      ...(details ? [evaluationsSection(facts)] : []),
      changesSection(facts, details),
      scansSection(facts),
      exemptionsSection(facts),
      statusSection(facts, details),
    ];
  },
  mainTable: { detailed: 'evaluations', brief: 'policies' },
};

function summarySection(facts: Facts): Section {
  const { audit: log, scans, exemptions, violations } = facts;
  const entries = log?.entries.count ?? 0;
  const actors = log?.actors.entries().length ?? 0;
  const nameOf = (id: string): string => facts.people?.get(id) ?? id;
  return {
    id: 'summary',
    title: 'Executive summary',
    blocks: [
      paragraph(openingOf(facts)),
      paragraph(
        `${timeOf(facts)}, the audit log has ${countOrNo(entries, 'change')}${entries > 0 ? ` by ${count(actors, 'actor')}` : ''}, excluding access and cost. ${sentence(countOrNo(scans.within.length, 'scan'))} ${were(scans.within.length)} requested, and ${countOrNo(exemptions.length, 'exemption')} ${were(exemptions.length)} in effect.`,
      ),
      ...(entries > 0
        ? [
            paragraph(
              `Most frequent: ${listed(
                byCount(log?.actions.entries() ?? [])
                  .slice(0, 3)
                  .map(([action, counted]) => `${action} (${times(counted.count)})`),
              )}. Most changes came from ${listed(
                byCount(log?.actors.entries() ?? [])
                  .slice(0, 3)
                  .map(([actor, counted]) => `${nameOf(actor)} (${number(counted.count)})`),
              )}.`,
            ),
          ]
        : []),
      paragraph(changesOf(violations.total)),
    ],
  };
}

const timeOf = ({ scope: { since, at }, order: { scope } }: Facts): string =>
  since === undefined ? `Up to ${moment(at, scope.timezone)}` : 'Within the range';

function evaluationsSection({ scope, order, evaluations }: Facts): Section {
  const columns: readonly ColumnOf<EvaluationRow>[] = [
    column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
    column('policy', 'Policy', 'text', 2, ({ policy }) => policy),
    column('resource', 'Resource', 'id', 2, ({ resource }) => resource),
    column('status', 'Status', 'status', 1, ({ status }) => status),
    column('message', 'Message', 'text', 5, ({ message }) => message || null),
    dataOnly(column('evaluated_at', 'Evaluated', 'timestamp', 2, () => isoCell(scope.at))),
    below(column('resource_type', 'Resource type', 'text', 2, ({ resource_type: type }) => type)),
    below(
      column('environment', 'Environment', 'text', 1, ({ environment }) => environment ?? null),
    ),
    below(column('provider', 'Provider', 'text', 1, ({ provider }) => provider)),
    below(column('account_id', 'Account', 'text', 1, ({ account_id: account }) => account ?? null)),
    below(column('region', 'Region', 'text', 1, ({ region }) => region ?? null)),
    dataOnly(column('policy_id', 'Policy ID', 'id', 2, ({ policy_id: id }) => id)),
  ];
  return {
    id: 'evaluations',
    title: 'Evaluations',
    blocks: [
      paragraph(
        `Every policy in scope over every resource in scope of its type, the most severe first, then by policy and resource. All were evaluated at ${moment(scope.at, order.scope.timezone)}.`,
      ),
      table(
        {
          id: 'evaluations',
          title: 'Evaluations',
          empty: 'Nothing was evaluated.',
          paper: {
            by: ['policy', 'severity'],
            columns: ['resource', 'status'],
            once: ['environment', 'region', 'message', 'resource_type'],
            most: 300,
            rank: ['status', 'severity'],
            chosen: 'failures first, then by severity',
            unit: ['evaluation', 'evaluations'],
          },
        },
        columns,
        evaluations.rows ?? rowsOf([]),
      ),
    ],
  };
}

function changesSection(facts: Facts, details: boolean): Section {
  const { audit: log } = facts;
  const actor = personColumns<AuditRow>(facts, 'actor', 'Actor', (one) => one.actor);
  const counted = personColumns<Counted[number]>(facts, 'actor', 'Actor', ([id]) => id);
  const columns: readonly ColumnOf<AuditRow>[] = [
    column('at', 'Time', 'timestamp', 2, ({ at }) => at),
    actor.byId,
    below(column('via_name', 'Key name', 'text', 2, ({ via_name: name }) => name || null)),
    below(column('via', 'Key', 'id', 2, ({ via }) => via)),
    column('action', 'Action', 'text', 2, ({ action }) => action),
    column('subject', 'Object', 'id', 3, ({ subject }) => subject),
    column('subject_name', 'Object name', 'text', 2, ({ subject_name: name }) => name || null),
    column('changes', 'Changed fields', 'text', 2, ({ changes }) => changes || null),
    below(column('request_id', 'Request', 'id', 2, ({ request_id: id }) => id)),
    actor.named,
  ];
  return {
    id: 'changes',
    title: 'Changes',
    blocks: [
      paragraph(
        'Entries of the audit log in this period. Entries have no environment, provider or framework, so the scope of the report does not filter them. They contain the names of changed fields, never values. Names of keys and objects are their current names. Changes to access (users, roles, keys, clients, trust rules, logins) and cost are excluded; reading them requires the scope audit:read.',
      ),
      countsTable('actions', 'By action', [nameColumn('Action')], log?.actions.entries() ?? []),
      countsTable('actors', 'By actor', [counted.named, counted.byId], log?.actors.entries() ?? []),
      ...(details
        ? [
            table(
              {
                id: 'audit_log',
                title: 'Audit log',
                empty: 'No entries.',
                paper: {
                  by: [],
                  columns: ['at', 'actor_name', 'action', 'subject_name', 'changes'],
                  once: [],
                  most: 200,
                  rank: ['at'],
                  chosen: 'the newest',
                  unit: ['entry', 'entries'],
                },
              },
              columns,
              log?.entries ?? rowsOf([]),
            ),
          ]
        : []),
    ],
  };
}

function countsTable(
  id: string,
  title: string,
  names: readonly ColumnOf<Counted[number]>[],
  entries: Counted,
): Table {
  const changes = column<Counted[number]>('changes', 'Changes', 'integer', 1, ([, { count }]) => count); // prettier-ignore
  return table({ id, title, empty: 'None.' }, [...names, changes], byCount(entries));
}

const nameColumn = (what: string): ColumnOf<Counted[number]> =>
  column('name', what, 'text', 3, ([name]) => name);

type Counted = readonly (readonly [string, { readonly count: number }])[];

/** The most first. */
const byCount = (entries: Counted): Counted =>
  [...entries].sort(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1));

const scansSection = (facts: Facts): Section => ({
  id: 'scans',
  title: 'Scans',
  blocks: [
    paragraph(
      'Scans that ran in the period of the report. Each score covers what that scan evaluated.',
    ),
    scansTable(facts),
  ],
});

function statusSection(facts: Facts, details: boolean): Section {
  const { total, causes, steps } = facts.violations;
  const by = personColumns<StepRow>(facts, 'by', 'By', (one) => one.by);
  const columns: readonly ColumnOf<StepRow>[] = [
    column('at', 'Time', 'timestamp', 2, ({ at }) => isoCell(at)),
    column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
    column('policy', 'Policy', 'text', 2, ({ policy }) => policy),
    column('resource', 'Resource', 'id', 2, ({ resource }) => resource),
    column('from', 'From', 'status', 1, ({ from }) => from ?? null),
    column('to', 'To', 'status', 1, ({ to }) => to),
    column('cause', 'Cause', 'text', 2, ({ cause }) => cause),
    by.byId,
    below(column('reason', 'Reason', 'text', 2, ({ reason }) => reason ?? null)),
    below(column('violation_id', 'Violation', 'id', 2, ({ id }) => id)),
    below(by.named),
  ];
  return {
    id: 'status_changes',
    title: 'Status changes of violations',
    blocks: [
      paragraph(
        'Status changes of violations in scope during the period. A violation is one policy failing on one resource, through all its statuses.',
      ),
      figures(
        { label: 'Opened', value: number(total.opened) },
        { label: 'Resolved', value: number(total.resolved) },
        { label: 'Exempted', value: number(total.exempted) },
        { label: 'Open at the end', value: number(total.open) },
      ),
      countsTable(
        'causes',
        'Why violations were resolved',
        [nameColumn('Cause')],
        [...causes].map(([cause, amount]) => [cause, { count: amount }] as const),
      ),
      ...(details
        ? [
            table(
              {
                id: 'status_changes',
                title: 'Status changes of violations',
                empty: 'None.',
                paper: {
                  by: ['policy', 'severity'],
                  columns: ['resource', 'at', 'from', 'to'],
                  once: ['cause', 'by_name', 'reason'],
                  most: 200,
                  rank: ['severity', 'at'],
                  chosen: 'the most severe, then the newest',
                  unit: ['change', 'changes'],
                },
              },
              columns,
              steps ?? rowsOf([]),
            ),
          ]
        : []),
    ],
  };
}

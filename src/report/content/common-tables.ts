import { complianceScore } from '../../engine/score.ts';
import type { Paper, Section, Table } from '../model.ts';
import { below, column, dataOnly, isoCell, paragraph, personColumns, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type { Facts, PolicyFact, ScanFact, ViolationRow } from './facts.ts';
import { describeMappings } from './framework.ts';
import { evaluationColumns } from './shared.ts';
import { count, rounded } from './wording.ts';

/** The enabled policies with what their evaluations say; those without any are told briefly. */
export function policiesSection({ policies, violations, disabled }: Facts): Section {
  const open = ({ id }: PolicyFact): number => violations.policies.get(id)?.counts.open ?? 0;
  const isUsed = (policy: PolicyFact): boolean => policy.counter.evaluated > 0 || open(policy) > 0;
  const name = column<PolicyFact>('policy', 'Policy', 'text', 3, (one) => one.name);
  const severity = column<PolicyFact>('severity', 'Severity', 'severity', 1, (one) => one.severity);
  const type = column<PolicyFact>('resource_type', 'Resource type', 'text', 2, (one) => one.resource_type); // prettier-ignore
  const mapped = column<PolicyFact>('mapped_to', 'Mapped to', 'text', 3, mappedTo);
  const id = column<PolicyFact>('policy_id', 'Policy ID', 'id', 2, (one) => one.id);
  const columns: readonly ColumnOf<PolicyFact>[] = [
    name,
    severity,
    below(type),
    ...evaluationColumns(({ counter }: PolicyFact) => counter, ['exempt']),
    column('open', 'Open violations', 'integer', 1, open),
    column('score', 'Met', 'percent', 1, ({ counter }) => complianceScore(counter)),
    below(mapped),
    dataOnly(id),
  ];
  return {
    id: 'policies',
    title: 'Policies',
    blocks: [
      paragraph(
        `Enabled policies in scope, ${disabled > 0 ? `excluding ${count(disabled, 'disabled policy', 'disabled policies')}, ` : ''}most severe first.`,
      ),
      table(
        { id: 'policies', title: 'Policies', empty: 'No policy in scope was evaluated.' },
        columns,
        policies.filter(isUsed),
      ),
      table(
        {
          id: 'policies_not_evaluated',
          title: 'Policies without resources',
          empty: policies.length === 0 ? 'No policies in scope.' : 'None.',
        },
        [name, severity, type, dataOnly(mapped), dataOnly(id)],
        policies.filter((policy) => !isUsed(policy)),
      ),
    ],
  };
}

const mappedTo = ({ mappings }: PolicyFact): string => describeMappings(mappings);

/** Only open violations have any. */
export const pointsColumn = column<ViolationRow>(
  'points',
  'Risk points',
  'decimal',
  1,
  ({ points }) => (points === undefined ? null : rounded(points)),
);

export const violationColumns: readonly ColumnOf<ViolationRow>[] = [
  column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
  column('policy', 'Policy', 'text', 2, ({ policy }) => policy),
  column('resource', 'Resource', 'id', 2, ({ resource }) => resource),
  column('status', 'Status', 'status', 1, ({ status }) => status),
  column('message', 'Message', 'text', 5, ({ message }) => message),
  below(column('controls', 'Controls', 'text', 3, ({ controls }) => controls || null)),
  below(column('resource_type', 'Resource type', 'text', 2, ({ resource_type: type }) => type)),
  below(column('environment', 'Environment', 'text', 1, ({ environment }) => environment ?? null)),
  below(column('provider', 'Provider', 'text', 1, ({ provider }) => provider)),
  below(column('account_id', 'Account', 'text', 1, ({ account_id: account }) => account ?? null)),
  below(column('region', 'Region', 'text', 1, ({ region }) => region ?? null)),
  column('detected_at', 'Found', 'timestamp', 2, ({ found_at: at }) => isoCell(at)),
  below(column('resolved_at', 'Resolved', 'timestamp', 2, ({ resolved_at: at }) => isoCell(at))),
  below(column('violation_id', 'Violation', 'id', 2, ({ id }) => id)),
  dataOnly(pointsColumn),
];

/** On pages, violations stand beneath their policies. */
export const violationsByPolicy: Paper = {
  by: ['policy', 'severity'],
  columns: ['resource', 'points'],
  once: ['environment', 'region', 'detected_at', 'message', 'controls', 'resource_type'],
  rank: ['severity', 'points'],
  chosen: 'those with the highest risk',
  unit: ['violation', 'violations'],
};

/** The scans of the scope's time, the first first. */
export function scansTable(facts: Facts): Table {
  const creator = personColumns<ScanFact>(facts, 'created_by', 'Requested by', (one) => one.created_by); // prettier-ignore
  const columns: readonly ColumnOf<ScanFact>[] = [
    column('scan', 'Scan', 'id', 3, ({ id }) => id),
    below(column('name', 'Name', 'text', 2, ({ name }) => name ?? null)),
    column('of', 'Scope', 'text', 1, ({ isWhole }) => (isWhole ? 'everything' : 'a part')),
    column('status', 'Status', 'status', 1, ({ status }) => status),
    below(column('created_at', 'Requested', 'timestamp', 2, ({ created_at: at }) => isoCell(at))),
    column('completed_at', 'Ended', 'timestamp', 2, ({ completed_at: at }) => isoCell(at)),
    creator.byId,
    below(column('resources', 'Resources', 'integer', 1, ({ resources }) => resources)),
    column('evaluations', 'Evaluations', 'integer', 1, ({ evaluated }) => evaluated),
    column('failed', 'Failed', 'integer', 1, ({ failed }) => failed),
    below(column('exempt', 'Exempt', 'integer', 1, ({ exempt }) => exempt)),
    column('undecided', 'Errors', 'integer', 1, ({ undecided }) => undecided),
    column('score', 'Score', 'percent', 1, ({ score }) => score),
    below(creator.named),
  ];
  return table({ id: 'scans', title: 'Scans', empty: 'None.' }, columns, facts.scans.within);
}

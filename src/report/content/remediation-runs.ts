import { remediationStatuses } from '../../contract/remediations.ts';
import type { Section } from '../model.ts';
import { below, column, figures, isoCell, paragraph, personColumns, table } from './blocks.ts';
import type { ColumnOf } from './blocks.ts';
import type { FailedActionFact, Facts, RemediationFact } from './facts.ts';
import { asLabel, count, countOrNo, number } from './wording.ts';

const actionsOf = ({ counts }: RemediationFact): number =>
  Object.values(counts).reduce((sum, one) => sum + one, 0);

const columns: readonly ColumnOf<RemediationFact>[] = [
  column('id', 'Remediation', 'id', 3, ({ id }) => id),
  column('status', 'State', 'status', 1, ({ status }) => status),
  column('kind', 'Kind', 'text', 1, ({ kind }) => kind),
  column('created_at', 'Planned', 'timestamp', 2, ({ created_at: at }) => isoCell(at)),
  column('actions', 'Actions', 'integer', 1, actionsOf),
  column('completed', 'Completed', 'integer', 1, ({ counts }) => counts.completed),
  column('failed', 'Failed', 'integer', 1, ({ counts }) => counts.failed),
  below(column('skipped', 'Skipped', 'integer', 1, ({ counts }) => counts.skipped)),
  below(column('unverified', 'Unverified', 'integer', 1, ({ counts }) => counts.unverified)),
  below(column('rolls_back', 'Rolls back', 'id', 2, ({ rolls_back: id }) => id ?? null)),
  below(column('why_not', 'Blocked by', 'text', 3, ({ why_not: why }) => why.join('; ') || null)),
  below(column('note', 'Note', 'text', 3, ({ note }) => note ?? null)),
  below(column('ended_at', 'Ended', 'timestamp', 2, ({ ended_at: at }) => isoCell(at))),
];

const failureColumns: readonly ColumnOf<FailedActionFact>[] = [
  column('severity', 'Severity', 'severity', 1, ({ severity }) => severity),
  column('policy', 'Policy', 'text', 2, ({ policy }) => policy),
  column('resource', 'Resource', 'id', 2, ({ resource }) => resource),
  column('method', 'Method', 'text', 1, ({ method }) => method),
  column('why', 'Reason', 'text', 4, ({ why }) => why),
  below(column('remediation', 'Remediation', 'id', 2, ({ remediation }) => remediation)),
  below(column('ended_at', 'Ended', 'timestamp', 2, ({ ended_at: at }) => isoCell(at))),
];

/** Remediations in the scope: their states, and why some of their actions failed. */
export function remediationsSection(facts: Facts): Section {
  const { remediations, scope } = facts;
  const requester = personColumns<RemediationFact>(facts, 'requested_by', 'Requested by', (one) => one.requested_by); // prettier-ignore
  const { total = 0, states = new Map<string, number>(), plans = [], failed = 0, failures = [] } = remediations ?? {}; // prettier-ignore
  return {
    id: 'remediations',
    title: 'Remediation plans',
    blocks: [
      paragraph(
        `${scope.since === undefined ? 'All stored remediations' : 'Remediations open at any time in the range'}, newest first. A rollback restores what another remediation changed; a dry run changes nothing.${scope.isPast ? ' States are as of the time of the report.' : ''}`,
      ),
      ...(total > 0
        ? [
            figures(
              ...remediationStatuses.map((status) => ({
                label: asLabel(status),
                value: number(states.get(status) ?? 0),
              })),
            ),
          ]
        : []),
      ...(plans.length < total
        ? [paragraph(`The table lists the newest ${number(plans.length)} of ${count(total, 'remediation')}.`)] // prettier-ignore
        : []),
      table(
        { id: 'remediations', title: 'Remediation plans', empty: 'No remediations.' },
        [...columns, requester.byId, below(requester.named)],
        plans,
      ),
      ...(failures.length < failed
        ? [paragraph(`${countOrNo(failed, 'action')} failed; the table lists ${number(failures.length)} of the newest remediations.`)] // prettier-ignore
        : []),
      table(
        {
          id: 'failed_actions',
          title: 'Failed actions',
          empty: 'No failed actions.',
        },
        failureColumns,
        failures,
      ),
    ],
  };
}

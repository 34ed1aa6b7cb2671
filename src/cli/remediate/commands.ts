import { severities } from '../../contract/policies.ts';
import type { Remediation } from '../../contract/remediations.ts';
import {
  RemediationWithActions,
  remediationSortFields,
  remediationStatuses,
} from '../../contract/remediations.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { shortTime } from '../terminal/ages.ts';
import { isUnderway, remediationView } from './remediation-view.ts';

interface ListOptions {
  readonly status?: readonly string[];
  readonly automatic?: boolean;
}

const remediations: OwnNoun<Remediation, ListOptions> = {
  one: 'remediation',
  many: 'remediations',
  feature: 'remediations',
  api: (client) => client.remediations,
  list: {
    filter: ({ status, automatic }) => ({
      status: status?.join(',').toLowerCase(),
      automatic: automatic ? 'true' : undefined,
    }),
    columns: ({ now, room }) => [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'STATUS', cell: (row) => (row.dry_run ? `${row.status} (dry run)` : row.status) },
      { title: 'RESOURCES', cell: ({ blast }) => String(blast.resources), drops: 2 },
      { title: 'DONE', cell: ({ counts }) => String(counts.completed) },
      { title: 'FAILED', cell: ({ counts }) => String(counts.failed) },
      { title: 'WAITS', cell: ({ counts }) => String(counts.unverified), drops: 3 },
      { title: 'BY', cell: (row) => (row.automatic ? 'automatic' : row.requested_by), drops: 1 },
      { title: 'CREATED', cell: (row) => shortTime(now, room)(row.created_at) },
    ],
  },
  // What `get` reads has its actions.
  view: (item) => remediationView(RemediationWithActions.parse(item)),
  isUnderway,
};

/** The flags that select violations. */
const selecting = (command: GovctlCommand): GovctlCommand =>
  command
    .argument('[violation...]', 'IDs of violations; otherwise the open ones that the flags select')
    .option(
      '--policy <policy>',
      'only of this policy, by id, name or key; repeatable',
      collectValues,
    )
    .option('--framework <label>', 'only of this framework or control, such as SOC2:CC6.1')
    .option('--severity <severity>', `only ${severities.join(', ')}; repeatable`, collectValues)
    .option('--resource <id>', 'only of this resource')
    .option('--type <type>', 'only of this resource type; repeatable', collectValues)
    .option('--provider <provider>', 'repeatable', collectValues)
    .option('--account <id>', 'repeatable', collectValues)
    .option('--region <region>', 'repeatable', collectValues)
    .option('--environment <name>', 'repeatable', collectValues)
    .option('--note <text>', 'why, for those who read it later');

const waiting = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--no-wait', 'do not wait until it has ended')
    .option('--timeout <seconds>', 'how long to wait', '600');

const approving = (command: GovctlCommand): GovctlCommand =>
  command.option('-y, --yes', 'do not ask').option('--auto-approve', 'the same');

export function registerRemediateCommands(program: GovctlCommand, act: Act): void {
  const remediate = program
    .command('remediate')
    .description('fix what policies find, by a plan that is shown first');
  selecting(
    remediate
      .command('plan')
      .summary('show what would be done')
      .description(
        'Shows which open violations would be remediated, how, and how far that reaches. Nothing changes. Exit 6 where a guard would refuse it.',
      ),
  ).action(act(() => import('./plan.ts').then((m) => m.runPlan)));
  waiting(
    approving(
      selecting(
        remediate
          .command('apply')
          .summary('show the plan, ask, and carry it out')
          .description(
            'Shows the plan, asks, and carries out exactly what was shown. Exit 0 completed, 1 failed, 7 some failed, 8 waits to be verified or approved, 6 refused by a guard, 5 changed meanwhile.',
          ),
      ),
    ),
  ).action(act(() => import('./apply.ts').then((m) => m.runApply)));
  remediate
    .command('show')
    .description('show one remediation with all of its actions')
    .argument('<id>')
    .action(act(() => import('./plan.ts').then((m) => m.runShow)));
  const its = nounCommands(remediate, act, { argument: '<id>', noun: remediations });
  its
    .list('list remediations', { fields: remediationSortFields, by: 'created_at', order: 'desc' })
    .option(
      '--status <status>',
      `only ${remediationStatuses.join(', ')}; repeatable`,
      collectValues,
    )
    .option('--automatic', 'only those that auto_remediation made');
  its.get('show one remediation; 8 while it is under way');
  remediate
    .command('cancel')
    .description('cancel a remediation; the action under way is finished, the others are not begun')
    .argument('<id>')
    .option('--reason <text>', 'why')
    .action(act(() => import('./cancel.ts').then((m) => m.runCancel)));
}

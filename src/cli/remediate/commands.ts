import { numberColumn } from '../terminal/table.ts';
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
import { withViolationFlags } from '../violation/filter-flags.ts';
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
    userOf: ({ requested_by: by }) => by,
    columns: ({ now, room, userName }) => [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'STATUS', cell: (row) => (row.dry_run ? `${row.status} (dry run)` : row.status) },
      numberColumn('RESOURCES', ({ blast }) => blast.resources, { drops: 2 }),
      numberColumn('DONE', ({ counts }) => counts.completed),
      numberColumn('FAILED', ({ counts }) => counts.failed),
      numberColumn('UNVERIFIED', ({ counts }) => counts.unverified, { drops: 3 }),
      { title: 'BY', cell: ({ requested_by: by }) => userName(by), drops: 1 },
      { title: 'CREATED', cell: (row) => shortTime(now, room)(row.created_at) },
    ],
  },
  // What `get` reads has its actions.
  view: (item) => remediationView(RemediationWithActions.parse(item)),
  isUnderway,
};

/** The flags that select violations. */
const selecting = (command: GovctlCommand): GovctlCommand =>
  withViolationFlags(
    command.argument(
      '[violation...]',
      'violation IDs (default: the open violations that match the options)',
    ),
  )
    .optionsGroup('Options:')
    .option('--note <text>', 'reason, stored with the remediation');

const waiting = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--no-wait', 'return without waiting for the result')
    .option('--timeout <seconds>', 'maximum time to wait, in seconds', '600');

const approving = (command: GovctlCommand): GovctlCommand =>
  command.option('-y, --yes', 'skip the prompt').option('--auto-approve', 'same as --yes');

export function registerRemediateCommands(program: GovctlCommand, act: Act): void {
  const remediate = program
    .command('remediate')
    .description('fix open violations after you approve a plan');
  selecting(
    remediate
      .command('plan')
      .summary('show what a remediation would change')
      .description(
        'Show which open violations a remediation would fix, what it would change, and how many resources and accounts it affects. Nothing is changed. The exit code is 6 if a guard would refuse the remediation.',
      ),
  ).action(act(() => import('./plan.ts').then((m) => m.runPlan)));
  waiting(
    approving(
      selecting(
        remediate
          .command('apply')
          .summary('show the plan, prompt for approval, and execute it')
          .description(
            'Show the plan, prompt for approval, and execute exactly that plan. Exit codes: 0 completed, 1 failed, 5 the plan has changed, 6 refused by a guard, 7 partly failed, 8 not yet verified.',
          ),
      ),
    ),
  ).action(act(() => import('./apply.ts').then((m) => m.runApply)));
  remediate
    .command('show')
    .description('show a remediation with all of its actions')
    .argument('<id>', 'remediation ID')
    .action(act(() => import('./plan.ts').then((m) => m.runShow)));
  const its = nounCommands(remediate, act, {
    argument: '<id>',
    which: 'remediation ID',
    noun: remediations,
  });
  its
    .list('list remediations', { fields: remediationSortFields, by: 'created_at', order: 'desc' })
    .option(
      '--status <status>',
      `filter by status: ${remediationStatuses.join(', ')} (repeatable)`,
      collectValues,
    )
    .option('--automatic', 'only automatic remediations (policies with auto_remediation)');
  its.get('show a remediation; the exit code is 8 while the remediation runs');
  remediate
    .command('cancel')
    .description('cancel a remediation; the running action finishes, the others do not start')
    .argument('<id>', 'remediation ID')
    .option('--reason <text>', 'reason, stored with the remediation')
    .action(act(() => import('./cancel.ts').then((m) => m.runCancel)));
  waiting(
    approving(
      remediate
        .command('approve')
        .summary('approve a remediation')
        .description(
          'Show the plan, prompt for approval, and approve and execute exactly that plan. Exit codes: 4 you are not allowed to approve the remediation, 5 the remediation is not waiting for approval or the digest differs; otherwise as for `remediate apply`.',
        )
        .argument('<id>', 'remediation ID')
        .option('--digest <sha256>', 'approve only if the digest of the plan still matches'),
    ),
  ).action(act(() => import('./approve.ts').then((m) => m.runApprove)));
  waiting(
    approving(
      remediate
        .command('rollback')
        .summary('undo what a remediation changed')
        .description(
          'Show the plan, prompt for approval, and restore the attributes that the remediation changed, the last change first. Attributes that have changed since are skipped. The exit codes are the same as for `remediate apply`.',
        )
        .argument('<id>', 'remediation ID')
        .option('--dry-run', 'show the plan and change nothing')
        .option('--note <text>', 'reason, stored with the remediation'),
    ),
  ).action(act(() => import('./rollback.ts').then((m) => m.runRollback)));
}

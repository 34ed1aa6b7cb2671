import { severities } from '../../contract/policies.ts';
import { violationSortFields, violationStatuses } from '../../contract/violations.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import type { Act } from '../act.ts';

export function registerViolationCommands(program: GovctlCommand, act: Act): void {
  const violation = program
    .command('violation')
    .description('what policies find wrong in the inventory of the service');
  listFlags(
    violation.command('list').description('list violations, the gravest first'),
    violationSortFields,
    'severity',
    'desc',
  )
    .option(
      '--status <status>',
      `only ${violationStatuses.join(', ')}; repeatable (default: OPEN)`,
      collectValues,
    )
    .option('--severity <severity>', `only ${severities.join(', ')}; repeatable`, collectValues)
    .option(
      '--policy <policy>',
      'only those of this policy, by id, name or key; repeatable',
      collectValues,
    )
    .option('--resource <id>', 'only those of this resource')
    .option('--type <type>', 'only those of this resource type; repeatable', collectValues)
    .option('--provider <provider>', 'repeatable', collectValues)
    .option('--account <id>', 'repeatable', collectValues)
    .option('--region <region>', 'repeatable', collectValues)
    .option('--environment <name>', 'repeatable', collectValues)
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  violation
    .command('get')
    .description('show one violation with its history')
    .argument('<id>')
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
  violation
    .command('resolve')
    .description('resolve a violation by hand; it opens again when its resource is found failing')
    .argument('<id>')
    .requiredOption('--reason <text>', 'why')
    .action(act(() => import('./resolve.ts').then((m) => m.runResolve)));
}

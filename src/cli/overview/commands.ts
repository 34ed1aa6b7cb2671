import type { Act } from '../act.ts';
import { collectValues } from '../flags/list-flags.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';

export function registerOverviewCommand(program: GovctlCommand, act: Act): void {
  program
    .command('overview')
    .summary('show an overview: score, violations, resources about to fail')
    .description(
      'Show the current state of the inventory: the score of the latest evaluations and its 30-day trend, open violations by severity, resources about to fail, the accounts with the highest risk, and the frameworks with the lowest score. Trend and frameworks are not shown with filters.',
    )
    .option('--provider <provider>', 'filter by provider (repeatable)', collectValues)
    .option('--account <id>', 'filter by account (repeatable)', collectValues)
    .option('--environment <name>', 'filter by environment (repeatable)', collectValues)
    .option('--watch', 'refresh every 5 seconds until Ctrl-C')
    .addHelpText('after', overviewHelp)
    .action(act(() => import('./overview.ts').then((m) => m.runOverview)));
}

const overviewHelp = `
Exit codes: 0 regardless of the score.

Examples:
  $ govctl overview
  $ govctl overview --environment production --watch
  $ govctl overview -o json     # the unmodified response of the service`;

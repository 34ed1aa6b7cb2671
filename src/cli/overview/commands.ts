import type { Act } from '../act.ts';
import { collectValues } from '../flags/list-flags.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';

export function registerOverviewCommand(program: GovctlCommand, act: Act): void {
  program
    .command('overview')
    .summary('see how everything stands: score, violations, what is about to fail')
    .description(
      'Shows how the inventory stands now: the score over the latest outcome of each policy on each resource, the open violations by severity, and what is about to fail. It reflects the last change.',
    )
    .option('--provider <provider>', 'only this part; repeatable', collectValues)
    .option('--account <id>', 'repeatable', collectValues)
    .option('--environment <name>', 'repeatable', collectValues)
    .option('--watch', 'read it again every 5 seconds, until Ctrl-C')
    .addHelpText('after', overviewHelp)
    .action(act(() => import('./overview.ts').then((m) => m.runOverview)));
}

const overviewHelp = `
Exit codes: 0 read; it says nothing of how good the score is.

Examples:
  $ govctl overview
  $ govctl overview --environment production --watch
  $ govctl overview -o json        the answer of the service as it is`;

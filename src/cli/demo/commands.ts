import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerDemoCommand(program: GovctlCommand, act: Act): void {
  program
    .command('demo')
    .noFormats()
    .summary('watch the main job on a service of your own, in a few seconds')
    .description(
      'Starts a service in this process on a temporary store, applies the policy library that comes with govctl, ' +
        'changes one policy by hand, finds the drift, and makes a report of a sample inventory. Nothing leaves this machine, and nothing but the report is left behind.',
    )
    .option('--keep', 'leave the service running, and its data in place, until Ctrl-C')
    .option('--out <folder>', 'put the report here (default: a temporary folder, which it names)')
    .option('--port <port>', 'listen on this port; 0 picks a free one', '0')
    .action(act(() => import('./demo.ts').then((module) => module.runDemo)));
}

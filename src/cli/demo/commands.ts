import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerDemoCommand(program: GovctlCommand, act: Act): void {
  program
    .command('demo')
    .noFormats()
    .summary('run a guided tour with a temporary service')
    .description(
      'Start a service in this process with a temporary store, apply the policy library included with govctl, ' +
        'edit one policy, detect the drift, and generate a report for a sample inventory. Nothing is sent to other machines, and only the report remains.',
    )
    .option('--keep', 'keep the service and its data until Ctrl-C')
    .option('--out <dir>', 'directory for the report (default: a temporary directory)')
    .option('--port <port>', 'port to listen on; 0 selects a free port', '0')
    .action(act(() => import('./demo.ts').then((module) => module.runDemo)));
}

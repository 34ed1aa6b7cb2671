import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerDemoCommand(program: GovctlCommand, act: Act): void {
  program
    .command('demo')
    .noFormats()
    .summary('run a guided tour on a temporary service, in a few seconds')
    .description(
      'Starts a service in this process with a temporary store, applies the policy library included with govctl, ' +
        'edits one policy, detects the drift, and generates a report for a sample inventory. Sends nothing to other machines, and keeps only the report.',
    )
    .option('--keep', 'keep the service running and its data until Ctrl-C')
    .option('--out <dir>', 'directory for the report (default: a temporary directory)')
    .option('--port <port>', 'port to listen on; 0 picks a free port', '0')
    .action(act(() => import('./demo.ts').then((module) => module.runDemo)));
}

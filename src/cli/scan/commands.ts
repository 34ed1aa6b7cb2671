import { Option } from 'commander';
import { scanSortFields, scanStatuses } from '../../contract/scans.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import type { Act } from '../act.ts';

export function registerScanCommands(program: GovctlCommand, act: Act): void {
  const scan = program
    .command('scan')
    .description('evaluate the inventory of the service anew, and see how compliant it is');
  scan
    .command('run')
    .summary('start a scan')
    .description(
      'Starts a scan: every resource against every enabled policy of its type. With --wait it ends when the scan does: 0 completed, 1 failed, 8 still on its way when the time was up.',
    )
    .option('--name <name>', 'what to call it')
    .option('--type <type>', 'only resources of this type; repeatable', collectValues)
    .option('--policy <policy>', 'only this policy, by id, name or key; repeatable', collectValues)
    .option('--wait', 'wait until it has ended')
    .option('--timeout <seconds>', 'with --wait: at most so long', '600')
    .action(act(() => import('./run.ts').then((m) => m.runScan)));
  listFlags(scan.command('list').description('list scans'), scanSortFields, 'created_at', 'desc')
    .addOption(new Option('--status <status>', 'only these').choices([...scanStatuses]))
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  scan
    .command('get')
    .description('show one scan: its progress or its result')
    .argument('<id>')
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
}

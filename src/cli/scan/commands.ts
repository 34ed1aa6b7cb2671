import { numberColumn } from '../terminal/table.ts';
import { Option } from 'commander';
import type { Scan } from '../../contract/scans.ts';
import { scanSortFields, scanStatuses } from '../../contract/scans.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { isUnderway, scanView } from './scan-view.ts';

const scans: OwnNoun<Scan, { readonly status?: string }> = {
  one: 'scan',
  many: 'scans',
  feature: 'scans',
  api: (client) => client.scans,
  list: {
    filter: ({ status }) => ({ status }),
    columns: () => [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'NAME', cell: ({ name }) => name ?? '-', shrinks: 'end', drops: 1 },
      { title: 'STATUS', cell: ({ status }) => status },
      numberColumn('SCORE', (scan) => scan.compliance_score),
      numberColumn('RESOURCES', (scan) => scan.resources_scanned, { drops: 3 }),
      numberColumn('FAIL', ({ summary }) => summary.fail, { drops: 4 }),
      { title: 'CREATED', cell: (scan) => utcMinute(scan.created_at), drops: 2 },
    ],
  },
  view: scanView,
  isUnderway,
};

export function registerScanCommands(program: GovctlCommand, act: Act): void {
  const scan = program
    .command('scan')
    .description('evaluate the inventory in the service and show its compliance');
  scan
    .command('run')
    .summary('start a scan')
    .description(
      'Start a scan, which evaluates every resource against every enabled policy of its type. Exit codes with --wait: 0 completed, 1 failed, 8 still running at the timeout.',
    )
    .option('--name <name>', 'name of the scan')
    .option('--type <type>', 'only resources of this type (repeatable)', collectValues)
    .option('--policy <policy>', 'only this policy: ID, name or key (repeatable)', collectValues)
    .option('--wait', 'wait for the scan to finish')
    .option('--timeout <seconds>', 'with --wait: timeout in seconds', '600')
    .action(act(() => import('./run.ts').then((m) => m.runScan)));
  const its = nounCommands(scan, act, { argument: '<id>', noun: scans });
  its
    .list('list scans', { fields: scanSortFields, by: 'created_at', order: 'desc' })
    .addOption(new Option('--status <status>', 'filter by status').choices([...scanStatuses]));
  its.get('show a scan, its progress or its result');
}

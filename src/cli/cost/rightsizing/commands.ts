import { Option } from 'commander';
import {
  rightsizingRisks,
  rightsizingSortFields,
  rightsizingStatuses,
  withheldReasons,
} from '../../../contract/rightsizing.ts';
import { statistics } from '../../../cost/metrics/export.ts';
import type { Act } from '../../act.ts';
import type { GovctlCommand } from '../../flags/govctl-command.ts';
import { collectValues, listFlags } from '../../flags/list-flags.ts';

/** `cost metrics …` and `cost rightsizing …`. */
export function registerRightsizingCommands(cost: GovctlCommand, act: Act): void {
  cost
    .command('metrics')
    .description('import the utilization of virtual machines')
    .command('import')
    .summary('import CPU and memory utilization of virtual machines')
    .description(
      'Import CPU and memory utilization of virtual machines from NDJSON and from exports of CloudWatch, Azure Monitor and Google Cloud Monitoring. All files are read before anything is sent. Importing the same files again changes nothing.',
    )
    .argument('<files...>', 'files or directories; - reads standard input')
    .option('--resource <id>', 'ID of the machine, for files that do not include the ID')
    .option('--period <seconds>', 'period of each value, for files that do not include the period')
    .addOption(
      new Option(
        '--statistic <name>',
        'statistic of the values, for files that do not include the statistic',
      ).choices([...statistics]),
    )
    .option('--skip-unknown', 'skip machines that are not in the inventory')
    .option('--dry-run', 'show what the files contain; send nothing')
    .addHelpText('after', importHelp)
    .action(act(() => import('./import-metrics.ts').then((m) => m.runImportMetrics)));

  const rightsizing = cost
    .command('rightsizing')
    .withOwnAction()
    .alsoFormats(['csv'])
    .summary('list virtual machines that are larger than needed')
    .description(
      'List virtual machines that a smaller size of the same family can replace, with at least 20% of its CPU (99.5th percentile) and memory (peak) free. Bars show the utilization of the current size.',
    )
    .option('--provider <provider>', 'filter by provider (repeatable)', collectValues)
    .option('--account <id>', 'filter by account (repeatable)', collectValues)
    .option('--region <region>', 'filter by region (repeatable)', collectValues)
    .option('--environment <name>', 'filter by environment (repeatable)', collectValues)
    .option(
      '--risk <risk>',
      `filter by risk: ${rightsizingRisks.join(', ')} (repeatable)`,
      collectValues,
    ) // prettier-ignore
    .option(
      '--status <status>',
      `filter by status: ${rightsizingStatuses.join(', ')} (repeatable; default: recommended)`,
      collectValues,
    ) // prettier-ignore
    .option(
      '--reason <reason>',
      `filter by reason for withholding: ${withheldReasons.join(', ')} (repeatable)`,
      collectValues,
    ) // prettier-ignore
    .option(
      '--assume-memory <percent>',
      'peak memory utilization in percent to assume if not measured, such as 40',
    );
  listFlags(rightsizing, rightsizingSortFields, 'monthly_saving', 'desc')
    .addHelpText('after', listHelp)
    .action(act(() => import('./list.ts').then((m) => m.runRightsizing)));
  const about = (name: string): GovctlCommand =>
    rightsizing
      .command(name)
      .argument('<id>', 'ID of the resource or of the recommendation')
      .option(
        '--assume-memory <percent>',
        'peak memory utilization in percent to assume if not measured, such as 40',
      );
  about('get')
    .description('show a recommendation and its evidence')
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
  about('apply')
    .summary('plan the resize as a remediation that requires approval')
    .description(
      'Create a remediation that changes the size after approval. Until the remediation ends, applying again shows the existing remediation.',
    )
    .option('--size <name>', 'size to apply (default: the suggested size)')
    .addHelpText('after', applyHelp)
    .action(act(() => import('./apply.ts').then((m) => m.runApply)));
}

const importHelp = `
Exit codes: 0 imported, or valid with --dry-run; 3 a file is invalid, or a
machine is not in the inventory.

Examples:
  $ aws cloudwatch get-metric-statistics --namespace AWS/EC2 \\
      --metric-name CPUUtilization --dimensions Name=InstanceId,Value=i-0abc \\
      --statistics Maximum --period 3600 --start-time 2026-01-01T00:00:00Z \\
      --end-time 2026-01-31T00:00:00Z > cpu.json
  $ govctl cost metrics import cpu.json --resource i-0abc
  $ govctl cost metrics import metrics/ --dry-run`;

const listHelp = `
Exit codes: 0 regardless of the results.

Examples:
  $ govctl cost rightsizing --risk low,medium --environment production
  $ govctl cost rightsizing --status withheld -o csv
  $ govctl cost rightsizing get i-0abc
  $ govctl cost rightsizing apply i-0abc`;

const applyHelp = `
Requires the scopes cost:admin and compliance:write.

Examples:
  $ govctl cost rightsizing apply i-0abc
  $ govctl cost rightsizing apply i-0abc --size m5.2xlarge`;

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
    .description('utilization of virtual machines')
    .command('import')
    .summary('import the utilization of virtual machines')
    .description(
      'Stores CPU and memory of virtual machines, from exports of CloudWatch, Azure Monitor and Google Cloud Monitoring, and from NDJSON. All files are read before anything is sent. The same again changes nothing.',
    )
    .argument('<files...>', 'files or folders; - is standard input')
    .option('--resource <id>', 'the machine, where a file does not say it')
    .option('--period <seconds>', 'seconds that a number stands for, where a file does not say it')
    .addOption(
      new Option(
        '--statistic <name>',
        'what the numbers are, where a file does not say it',
      ).choices([...statistics]),
    )
    .option('--skip-unknown', 'leave out machines that the inventory lacks')
    .option('--dry-run', 'only show what the files contain')
    .addHelpText('after', importHelp)
    .action(act(() => import('./import-metrics.ts').then((m) => m.runImportMetrics)));

  const rightsizing = cost
    .command('rightsizing')
    .withOwnAction()
    .alsoFormats(['csv'])
    .summary('list virtual machines for which a smaller size would do')
    .description(
      'Lists virtual machines for which a smaller size of the same family would do: the 99.5th percentile of CPU and the peak of memory keep a fifth of it free. Bars show what is in use now.',
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
      `${rightsizingStatuses.join(', ')} (repeatable; default: recommended)`,
      collectValues,
    ) // prettier-ignore
    .option(
      '--reason <reason>',
      `filter by why it is withheld: ${withheldReasons.join(', ')} (repeatable)`,
      collectValues,
    ) // prettier-ignore
    .option('--assume-memory <percent>', 'memory in use, where it was never measured');
  listFlags(rightsizing, rightsizingSortFields, 'monthly_saving', 'desc')
    .addHelpText('after', listHelp)
    .action(act(() => import('./list.ts').then((m) => m.runRightsizing)));
  const about = (name: string): GovctlCommand =>
    rightsizing
      .command(name)
      .argument('<id>', 'the ID of the resource or of the recommendation')
      .option('--assume-memory <percent>', 'memory in use, where it was never measured');
  about('get')
    .description('show one recommendation with its evidence')
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
  about('apply')
    .summary('plan the change of one size; somebody has to approve it')
    .description(
      'Makes a remediation that changes the size and waits for approval. Carries out nothing. The same again shows the same remediation.',
    )
    .option('--size <name>', 'another size that fits (default: the suggested one)')
    .addHelpText('after', applyHelp)
    .action(act(() => import('./apply.ts').then((m) => m.runApply)));
}

const importHelp = `
Exit codes: 0 stored, or read with --dry-run; 3 a file is not valid, or a
machine is not known.

Examples:
  $ aws cloudwatch get-metric-statistics --namespace AWS/EC2 \\
      --metric-name CPUUtilization --dimensions Name=InstanceId,Value=i-0abc \\
      --statistics Maximum --period 3600 --start-time 2026-01-01T00:00:00Z \\
      --end-time 2026-01-31T00:00:00Z > cpu.json
  $ govctl cost metrics import cpu.json --resource i-0abc
  $ govctl cost metrics import metrics/ --dry-run`;

const listHelp = `
Exit codes: 0 whatever is found.

Examples:
  $ govctl cost rightsizing --risk low,medium --environment production
  $ govctl cost rightsizing --status withheld -o csv
  $ govctl cost rightsizing get i-0abc
  $ govctl cost rightsizing apply i-0abc`;

const applyHelp = `
Takes the scopes cost:admin and compliance:write.

Examples:
  $ govctl cost rightsizing apply i-0abc
  $ govctl cost rightsizing apply i-0abc --size m5.2xlarge`;

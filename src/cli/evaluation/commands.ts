import { Option } from 'commander';
import { undecidedReasons } from '../../contract/findings.ts';
import { evaluationSortFields, outcomeStatuses } from '../../contract/governance.ts';
import { severities } from '../../contract/policies.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';

export function registerEvaluationCommands(program: GovctlCommand, act: Act): void {
  const evaluation = program
    .command('evaluation')
    .description('list errors: evaluations that policies could not decide');
  const list = evaluation
    .command('list')
    .summary('list errors of evaluations, highest severity first')
    .description(
      'List the latest evaluation of each policy and resource that ended in an error, with the attribute and the reason, highest severity first. Other outcomes: --status.',
    )
    .optionsGroup('Filters (values repeatable or comma-separated):')
    .addOption(
      new Option('--status <status>', `outcome: ${outcomeStatuses.join(', ')}`)
        .argParser(collectValues)
        .default(undefined, 'ERROR'),
    )
    .option('--reason <reason>', `reason for errors: ${undecidedReasons.join(', ')}`, collectValues)
    .option('--severity <severity>', `severity: ${severities.join(', ')}`, collectValues)
    .option('--policy <policy>', 'policy ID, name or key', collectValues)
    .option('--type <type>', 'resource type, such as AWS::S3::Bucket', collectValues)
    .option('--environment <name>', 'environment', collectValues)
    .option('--account <id>', 'account', collectValues)
    .option('--provider <provider>', 'cloud provider', collectValues)
    .option('--region <region>', 'region', collectValues)
    .option('--resource <id>', 'resource ID (one value)');
  listFlags(list, evaluationSortFields, 'severity', 'desc')
    .addHelpText('after', listHelp)
    .action(act(() => import('./list.ts').then((m) => m.runList)));
}

const listHelp = `
Examples:
  $ govctl evaluation list --severity CRITICAL,HIGH
  $ govctl evaluation list --policy s3-encryption --reason missing_attribute
  $ govctl evaluation list --all -o ndjson`;

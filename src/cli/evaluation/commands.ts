import { Option } from 'commander';
import { undecidedReasons } from '../../contract/findings.ts';
import { evaluationSortFields, outcomeStatuses } from '../../contract/governance.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import { filterGroup, withResourceFlags } from '../violation/filter-flags.ts';

export function registerEvaluationCommands(program: GovctlCommand, act: Act): void {
  const evaluation = program
    .command('evaluation')
    .description('list evaluations that ended in an error');
  const list = evaluation
    .command('list')
    .summary('list evaluation errors, highest severity first')
    .description(
      'List the latest evaluation of each policy and resource that ended in an error, with the attribute and the reason, highest severity first. For other outcomes, use --status.',
    )
    .optionsGroup(filterGroup)
    .addOption(
      new Option('--status <status>', `outcome: ${outcomeStatuses.join(', ')}`)
        .argParser(collectValues)
        .default(undefined, 'ERROR'),
    )
    .option(
      '--reason <reason>',
      `reason for errors: ${undecidedReasons.join(', ')}`,
      collectValues,
    );
  listFlags(withResourceFlags(list), evaluationSortFields, 'severity', 'desc')
    .addHelpText('after', listHelp)
    .action(act(() => import('./list.ts').then((m) => m.runList)));
}

const listHelp = `
Examples:
  $ govctl evaluation list --severity CRITICAL,HIGH
  $ govctl evaluation list --policy s3-encryption --reason missing_attribute
  $ govctl evaluation list --all -o ndjson`;

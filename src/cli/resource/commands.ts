import { Option } from 'commander';
import { resourceSortFields } from '../../contract/resources.ts';
import { describeInputs, formats } from '../../inventory/formats/formats.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerResourceCommands(program: GovctlCommand, act: Act): void {
  const resource = program
    .command('resource')
    .description('the inventory of the service: the resources that policies are evaluated over');
  resource
    .command('import')
    .summary('bring resources into the inventory')
    .description(
      `Creates or replaces the resources of files: ${describeInputs()}, one a line as JSON in any number. Each is evaluated at once.`,
    )
    .argument('<inputs...>', 'files or folders; - is standard input')
    .addOption(
      new Option(
        '--format <format>',
        'what the inputs are (default: told by their content)',
      ).choices([...formats]),
    )
    .option('--parameters <key=value>', "a template's parameter; repeatable", collectValues)
    .option('--parameters-file <file>', 'parameters as JSON or YAML')
    .action(act(() => import('./import.ts').then((m) => m.runImport)));
  listFlags(resource.command('list').description('list resources'), resourceSortFields, 'id')
    .option('--type <type>', 'only those of a type; repeatable', collectValues)
    .option('--provider <provider>', 'repeatable', collectValues)
    .option('--account <id>', 'repeatable', collectValues)
    .option('--region <region>', 'repeatable', collectValues)
    .option('--environment <name>', 'repeatable', collectValues)
    .option(
      '--tag <key[=value]>',
      'only those with this tag; repeatable: all of them',
      collectValues,
    )
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  resource
    .command('get')
    .description('show one resource')
    .argument('<id>')
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
  resource
    .command('delete')
    .description('remove a resource from the inventory; its violations are resolved')
    .argument('<id>')
    .option('-y, --yes', 'do not ask')
    .option('--auto-approve', 'the same')
    .action(act(() => import('./delete.ts').then((m) => m.runDelete)));
}

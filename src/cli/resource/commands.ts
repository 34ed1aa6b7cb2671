import { Option } from 'commander';
import type { AnsweredResource } from '../../contract/resources.ts';
import { resourceSortFields } from '../../contract/resources.ts';
import { describeInputs, formats } from '../../inventory/formats/formats.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { parsePercent } from '../flags/parse-percent.ts';
import { parseTypes } from '../flags/parse-types.ts';
import { approvalFlags, nounCommands } from '../objects/commands.ts';
import type { OwnNoun } from '../objects/noun.ts';
import { resourceView } from './resource-view.ts';

type ListOptions = {
  readonly [Flag in 'type' | 'provider' | 'account' | 'region' | 'environment' | 'tag']?: string[];
};

const resources: OwnNoun<AnsweredResource, ListOptions> = {
  one: 'resource',
  many: 'resources',
  feature: 'a resource inventory',
  api: (client) => client.resources,
  list: {
    filter: ({ type, provider, account, region, environment, tag }) => ({
      type: type && parseTypes(type, '--provider').join(','),
      provider: provider?.join(','),
      account_id: account?.join(','),
      region: region?.join(','),
      environment: environment?.join(','),
      tags: tag?.join(','),
    }),
    sayIfEmpty: async (flags, context) =>
      (await import('../violation/unknown-filters.ts')).sayUnknownInInventory(context, flags),
    columns: () => [
      { title: 'ID', cell: ({ id }) => id, shrinks: 'wrap', least: 30 },
      { title: 'TYPE', cell: ({ type }) => type, shrinks: 'middle' },
      { title: 'ACCOUNT', cell: (row) => row.account_id ?? '-', drops: 2 },
      { title: 'REGION', cell: (row) => row.region ?? '-', drops: 3 },
      { title: 'ENVIRONMENT', cell: (row) => row.environment ?? '-', drops: 1 },
    ],
  },
  view: resourceView,
};

export function registerResourceCommands(program: GovctlCommand, act: Act): void {
  const resource = program
    .command('resource')
    .description('manage the inventory: the resources that policies evaluate in the service');
  const importing = resource
    .command('import')
    .summary('import resources into the inventory')
    .description(
      `Create or replace resources from files: ${describeInputs()}. NDJSON files may contain any number of resources, one per line. Each resource is evaluated immediately.`,
    )
    .argument('<inputs...>', 'files or directories; - reads standard input')
    .addOption(
      new Option('--format <format>', 'input format (default: detected)').choices([...formats]),
    )
    .option('--parameters <key=value>', 'template parameter (repeatable)', collectValues)
    .option('--parameters-file <file>', 'file with template parameters, JSON or YAML')
    .option('--all-conditions', 'also import resources whose condition is false')
    .option('--wait', 'wait until the service has no pending evaluations')
    .option('--timeout <time>', 'with --wait: timeout in seconds, or a duration such as 10m', '600')
    .option(
      '--prune',
      'delete resources that were deleted according to the files, or are missing from them, for the types, accounts and regions in the files',
    )
    .option(
      '--complete',
      'with --prune: the files contain all resources of their types, even if they are templates, Terraform files or changes recorded by AWS Config',
    )
    .option('--dry-run', 'with --prune: show what would be deleted; import and delete nothing')
    .addOption(
      new Option(
        '--max-delete <percent>',
        'with --prune: maximum percentage of resources to delete',
      )
        .argParser(parsePercent)
        .default(undefined, '30, for 10 resources or more'),
    );
  approvalFlags(importing)
    .addHelpText('after', importHelp)
    .action(act(() => import('./import.ts').then((m) => m.runImport)));
  const its = nounCommands(resource, act, { argument: '<id>', noun: resources });
  its
    .list('list resources', { fields: resourceSortFields, by: 'id' })
    .option('--type <type>', 'filter by resource type (repeatable)', collectValues)
    .option('--provider <provider>', 'filter by provider (repeatable)', collectValues)
    .option('--account <id>', 'filter by account (repeatable)', collectValues)
    .option('--region <region>', 'filter by region (repeatable)', collectValues)
    .option('--environment <name>', 'filter by environment (repeatable)', collectValues)
    .option('--tag <key[=value]>', 'filter by tag (repeatable; all must match)', collectValues);
  its.get('show a resource');
  its.delete('delete a resource from the inventory and resolve its violations');
}

const importHelp = `
--prune deletes a resource if AWS Config says that it was deleted, or if lists
and snapshots contain only other resources of its type, account and region.
Templates, Terraform files and changes recorded by AWS Config contain a part of
an account, so they prune only with --complete. If a file or line is rejected,
nothing is deleted.

Exit codes: 0 imported; 3 a file or line was rejected, or --prune was not
approved; 6 --prune was refused: a file or line was rejected, there are no
resources, or more than --max-delete would be deleted; 8 evaluations are still
pending at the timeout of --wait. Imported resources are kept.

Examples:
  $ govctl resource import snapshot.json
  $ govctl resource import snapshot.json --wait --timeout 10m
  $ govctl resource import exports/ --prune --dry-run
  $ govctl resource import exports/ --prune --max-delete 50 --auto-approve`;

import { Option } from 'commander';
import { costMetrics, granularities } from '../../contract/cost.ts';
import {
  costImportSortFields,
  costImportStatuses,
  dateFormats,
} from '../../contract/cost-imports.ts';
import { unusedKinds, unusedSortFields } from '../../contract/cost-unused.ts';
import type { Act } from '../act.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { collectValues } from '../flags/list-flags.ts';
import { nounCommands } from '../objects/commands.ts';
import { registerAnomalyCommands } from './anomalies/commands.ts';
import { registerRightsizingCommands } from './rightsizing/commands.ts';

export function registerCostCommands(program: GovctlCommand, act: Act): void {
  const cost = program.command('cost').description('import and analyze cloud costs');
  cost
    .command('import')
    .summary('import cost exports, by billing period')
    .description(
      'Import FOCUS 1.0 to 1.3, AWS CUR and Azure cost details: CSV and NDJSON, also compressed with gzip, and Parquet. An import replaces all stored charges of the billing periods, providers and billing accounts in the files. If it fails, nothing is replaced. Importing the same files again changes nothing.',
    )
    .argument('<files...>', 'files, or patterns such as "exports/*.csv.gz"; - reads standard input')
    .option('--dry-run', 'show what the files contain and what an import would change')
    .option('--skip-rejected', 'skip invalid rows and import the others')
    .addOption(
      new Option(
        '--date-format <format>',
        'order of month and day in dates with slashes (default: detected)',
      ).choices([...dateFormats]),
    )
    .option('--name <name>', 'name of the import')
    .option('--no-wait', 'do not wait for the import to finish')
    .addHelpText('after', importHelp)
    .action(act(() => import('./import.ts').then((m) => m.runImport)));
  registerImports(cost, act);
  cost
    .command('summary')
    .summary('show the cost of this month, compared with last month')
    .description(
      'Show the cost of this month so far, by service, compared with last month up to the same day. If this month has no data yet, show the last month with data.',
    )
    .addOption(metricOption())
    .alsoFormats(['csv'])
    .addHelpText('after', summaryHelp)
    .action(act(() => import('./summary.ts').then((m) => m.runSummary)));
  cost
    .command('analysis')
    .summary('show the cost of a period by service, account, tag and more')
    .description(
      'Show the cost of a period, grouped by up to three fields, with the trend, the largest changes, and the cost without tags. Whole months are compared with the preceding months, and other periods with the same number of preceding days.',
    )
    .option(
      '--group-by <fields>',
      'up to three fields: provider, billing_account, account, service, service_category, category, region, resource, environment, owner, tag:KEY; or only policy (repeatable or comma-separated; default: service)',
      collectValues,
    )
    .addOption(
      new Option(
        '--last <days>',
        'number of days or weeks up to today, such as 30d or 12w',
      ).default(undefined, '30d'),
    )
    .option('--month <month>', 'calendar month, such as 2026-01')
    .addOption(metricOption())
    .option(
      '--where <field=value>',
      'filter by a field of --group-by; tag:KEY= selects cost without the tag (repeatable)',
      collectValues,
    )
    .optionsGroup('Other periods:')
    .option('--start <day>', 'first day, such as 2026-01-31')
    .addOption(
      new Option('--end <day>', 'with --start: day after the last day of the period').default(
        undefined,
        'tomorrow, UTC',
      ),
    )
    .option('--compare-start <day>', 'first day of the period to compare with')
    .option('--compare-end <day>', 'day after the last day of the period to compare with')
    .optionsGroup('Results:')
    .addOption(
      new Option('--granularity <length>', 'interval of the trend')
        .choices([...granularities])
        .default(undefined, 'day; month for periods over 92 days'),
    )
    .addOption(
      new Option('--currency <code>', 'show only this currency').default(
        undefined,
        'each separately',
      ),
    )
    .option('--limit <n>', 'maximum number of groups, up to 100', '20')
    .alsoFormats(['csv'])
    .addHelpText('after', analysisHelp)
    .action(act(() => import('./analysis.ts').then((m) => m.runAnalysis)));
  registerForecast(cost, act);
  registerAnomalyCommands(cost, act);
  registerRightsizingCommands(cost, act);
  cost
    .command('unused')
    .summary('list resources that appear unused, with their cost')
    .description(
      'List unattached volumes, unused addresses, stopped instances, idle load balancers and snapshots over 90 days old, most expensive first.',
    )
    .option(
      '--kind <kind>',
      `filter by kind: ${unusedKinds.join(', ')} (repeatable or comma-separated)`,
      collectValues,
    )
    .option(
      '--provider <provider>',
      'filter by provider (repeatable or comma-separated)',
      collectValues,
    )
    .option('--account <id>', 'filter by account (repeatable or comma-separated)', collectValues)
    .option(
      '--type <type>',
      'filter by resource type (repeatable or comma-separated)',
      collectValues,
    )
    .option('--sort <field>', `sort by ${unusedSortFields.join(', ')}`, 'monthly_cost')
    .option('--limit <n>', 'maximum number of results', '100')
    .option('--all', 'no limit')
    .alsoFormats(['csv'])
    .addHelpText('after', unusedHelp)
    .action(act(() => import('./unused.ts').then((m) => m.runUnused)));
}

function registerImports(cost: GovctlCommand, act: Act): void {
  const imports = cost.command('imports').description('list, get and delete cost imports');
  const its = nounCommands(imports, act, {
    argument: '<import>',
    which: 'import ID',
    noun: () => import('./imports.ts').then((m) => m.imports),
  });
  its.list('list cost imports', {
    fields: costImportSortFields,
    by: 'created_at',
    order: 'desc',
    first: (list) =>
      list.option(
        '--status <status>',
        `filter by status: ${costImportStatuses.join(', ')} (repeatable)`,
        collectValues,
      ),
  });
  its.get('show a cost import, its progress or its result');
  its.delete('delete a cost import but keep the imported charges');
}

function registerForecast(cost: GovctlCommand, act: Act): void {
  cost
    .command('forecast')
    .summary('forecast the cost of the next days and of each month')
    .description(
      'Forecast the usage cost of the next days, with 80% and 95% intervals: the total and, with --group-by, each of the largest groups. Purchases, taxes and credits are not included.',
    )
    .option('--days <n>', 'number of days, at most 365', '30')
    .option(
      '--group-by <field>',
      'field to group by: provider, billing_account, account, service, service_category, category, region, resource, environment, owner, tag:KEY',
    )
    .addOption(metricOption())
    .option('--where <field=value>', 'filter by a field of --group-by (repeatable)', collectValues)
    .option('--currency <code>', 'show only this currency (default: each separately)')
    .alsoFormats(['csv'])
    .addHelpText('after', forecastHelp)
    .action(act(() => import('./forecast.ts').then((m) => m.runForecast)));
}

const forecastHelp = `
Exit codes: 0 regardless of the forecast.

Examples:
  $ govctl cost forecast
  $ govctl cost forecast --days 90 --group-by service
  $ govctl cost forecast --where account=111122223333 -o csv`;

const metricOption = (): Option =>
  new Option('--metric <metric>', 'cost metric').choices([...costMetrics]).default('effective');

const importHelp = `
Exit codes: 0 imported, 3 the files cannot be imported, 8 not finished yet.

Examples:
  $ govctl cost import --dry-run focus-2026-09.csv.gz
  $ govctl cost import "exports/2026-09/*.parquet"
  $ aws s3 cp s3://billing/cur.csv.gz - | govctl cost import -`;

const summaryHelp = `
Exit codes: 0 regardless of the cost.

Examples:
  $ govctl cost summary
  $ govctl cost summary --metric billed -o json`;

const analysisHelp = `
Values of one field are alternatives; different fields must all match.

Examples:
  $ govctl cost analysis --group-by service,account --last 30d
  $ govctl cost analysis --month 2026-03
  $ govctl cost analysis --month 2026-03 --compare-start 2025-03-01 \\
      --compare-end 2025-04-01
  $ govctl cost analysis --group-by tag:team --start 2026-01-01 --end 2026-04-01
  $ govctl cost analysis --group-by resource --where service=AmazonS3 -o csv
  $ govctl cost analysis --where tag:owner= --group-by account
  $ govctl cost analysis --group-by policy      # what non-compliance costs`;

const unusedHelp = `
Costs cover the last 30 whole days of data. The list does not include
resources whose usage is missing from the inventory.

Examples:
  $ govctl cost unused
  $ govctl cost unused --kind unattached_volume,unused_address \\
      --account 111122223333
  $ govctl cost unused --all -o ndjson`;

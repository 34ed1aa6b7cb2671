import { Option } from 'commander';
import {
  reportFormats,
  reportSortFields,
  reportStatuses,
  reportTypes,
} from '../../contract/reports.ts';
import { dateRangeTypes } from '../../contract/schedules.ts';
import type { GovctlCommand } from '../govctl-command.ts';
import { HintedOption } from '../hinted-option.ts';
import { collectValues, listFlags } from '../list-flags.ts';
import type { Act } from '../program.ts';

const which = 'its id, or its name where only one has it';

export function registerReportCommands(program: GovctlCommand, act: Act): void {
  const report = program
    .command('report')
    .description('reports for auditors and others: generate, watch, download, share, verify');
  registerCreate(report, act);
  registerReads(report, act);
}

const words = (flags: string, description: string, known: readonly string[]): HintedOption =>
  new HintedOption(flags, description).argParser(collectValues).offering(known);

export const formatOption = (description: string): HintedOption =>
  words('--format <format>', description, reportFormats);

/** What a report, and a schedule's template, take alike. */
export const contentFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--framework <label>', 'soc2, hipaa, iso27001, pci, a control (SOC2:CC6.1) or your own')
    .option('--environment <name>', 'only resources of these; repeatable, or a,b', collectValues)
    .option(
      '--provider <name>',
      'only resources of these clouds; repeatable, or a,b',
      collectValues,
    )
    .addOption(formatOption(`${reportFormats.join(', ')}; repeatable, or a,b (default: pdf)`))
    .option('--no-summary', 'without the executive summary')
    .option('--no-findings', 'without the detailed findings')
    .option('--watermark <text>', 'across each page')
    .option('--sign', "sign it with the server's certificate");

const passwordFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--password-env <name>', 'the password is in this environment variable')
    .option('--password-file <file>', 'the password is in this file; - reads standard input')
    .option('--password', 'ask for the password');

function registerCreate(report: GovctlCommand, act: Act): void {
  const create = report
    .command('create')
    .summary('generate a report, in the background')
    .description(
      'Asks the service for a report, which it generates in the background. A password protects the files, and is never given on the command line, which others can see.',
    )
    .argument('[name]', 'what to call it')
    .option('-f, --file <file>', 'YAML or JSON with its fields; - reads standard input')
    .addOption(new Option('--type <type>', 'what it is about').choices([...reportTypes]))
    .option('--description <text>');
  passwordFlags(contentFlags(create))
    .option('--from <time>', 'from then on: a date, a time, or how long ago: 30d')
    .option('--to <time>', 'up to then, and without it; a date is its 00:00 UTC (default: now)')
    .addOption(
      new Option('--range <range>', 'a whole one, such as last_month').choices([...dateRangeTypes]),
    )
    .option('--timezone <zone>', 'the zone of --range, such as Europe/Berlin (default: UTC)')
    .option('--at <time>', 'generate it then: a time, or so long from now: 2h')
    .option('--notify <email>', 'tell them when it is done; repeatable, or a,b', collectValues)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
}

function registerReads(report: GovctlCommand, act: Act): void {
  listFlags(
    report.command('list').description('list reports, the latest first'),
    reportSortFields,
    'created_at',
    'desc',
  )
    .addOption(words('--type <type>', `only ${reportTypes.join(', ')}; repeatable`, reportTypes))
    .option('--framework <label>', 'only those of these; repeatable', collectValues)
    .addOption(
      words('--status <state>', `only ${reportStatuses.join(', ')}; repeatable`, reportStatuses),
    )
    .option('--schedule <id>', 'only those that this schedule made')
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  report
    .command('get')
    .description('show one report: how far it is, what it holds, its files')
    .argument('<report>', which)
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
  report
    .command('delete')
    .description('remove a report, its files and its links')
    .argument('<report>', which)
    .option('-y, --yes', 'do not ask')
    .option('--auto-approve', 'the same')
    .option('--if-match <etag>', 'only if it still is as this ETag says')
    .action(act(() => import('./delete.ts').then((m) => m.runDelete)));
}

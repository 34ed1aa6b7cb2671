import { Option } from 'commander';
import {
  reportFormats,
  reportSortFields,
  reportStatuses,
  reportTypes,
} from '../../contract/reports.ts';
import { dateRangeTypes } from '../../contract/schedules.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { ifMatch, nounCommands } from '../objects/commands.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import { oneOf } from '../flags/parse-words.ts';
import type { Act } from '../act.ts';

const which = 'its id, or its name where only one has it';

export function registerReportCommands(program: GovctlCommand, act: Act): void {
  const report = program
    .command('report')
    .description('reports for auditors and others: generate, watch, download, share, verify');
  registerCreate(report, act);
  const its = nounCommands(report, act, {
    argument: '<report>',
    which,
    noun: () => import('./reports.ts').then((m) => m.reports),
  });
  its
    .list('list reports, the latest first', {
      fields: reportSortFields,
      by: 'created_at',
      order: 'desc',
    })
    .addOption(words('--type <type>', `only ${reportTypes.join(', ')}; repeatable`, reportTypes))
    .option('--framework <label>', 'only those of these; repeatable', collectValues)
    .addOption(
      words('--status <state>', `only ${reportStatuses.join(', ')}; repeatable`, reportStatuses),
    )
    .option('--schedule <schedule>', 'only those that this one made, by id, name or key in git')
    .addHelpText('after', listHelp);
  its.get('show one report: how far it is, what it holds, its files');
  its.delete('remove a report, its files and its links').addOption(ifMatch());
  registerWatch(report, act);
  registerDownload(report, act);
  registerLink(report, act);
  registerVerify(report, act);
}

const words = (flags: string, description: string, known: readonly string[]): HintedOption =>
  new HintedOption(flags, description).argParser(collectValues).offering(known);

/** One word of a few. @param flags long first, `--type <type>` */
export const choice = (
  flags: string,
  description: string,
  known: readonly string[],
): HintedOption => {
  const [flag = flags] = flags.split(' ');
  return new HintedOption(flags, `${description}: ${known.join(', ')}`)
    .argParser(oneOf(flag, known))
    .offering(known);
};

const formatOption = (description: string): HintedOption =>
  words('--format <format>', description, reportFormats);

/** What a report, and a schedule's template, take alike. */
export const contentFlags = (command: GovctlCommand, isNew = true): GovctlCommand =>
  command
    .option('--framework <label>', 'soc2, hipaa, iso27001, pci, a control (SOC2:CC6.1) or your own')
    .option('--environment <name>', 'only resources of these; repeatable, or a,b', collectValues)
    .option(
      '--provider <name>',
      'only resources of these clouds; repeatable, or a,b',
      collectValues,
    )
    .addOption(
      formatOption(
        `${reportFormats.join(', ')}; repeatable, or a,b${isNew ? ' (default: pdf)' : ''}`,
      ),
    )
    .option('--no-summary', 'without the executive summary')
    .option('--no-findings', 'without the detailed findings')
    .option('--include-cost', 'with costs (risk, trend); the files then need a cost scope, too')
    .option('--watermark <text>', 'across each page')
    .option('--sign', "sign it with the server's certificate");

export const passwordFlags = (command: GovctlCommand): GovctlCommand =>
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
    .addOption(choice('--type <type>', 'what it is about', reportTypes))
    .option('--description <text>');
  passwordFlags(contentFlags(create))
    .option('--from <time>', 'from then on: a date, a time, or how long ago: 30d')
    .option('--to <time>', 'up to then, and without it; a date is its 00:00 UTC (default: now)')
    .addOption(choice('--range <range>', 'from and to by name', dateRangeTypes))
    .option('--timezone <zone>', 'the zone of --range, such as Europe/Berlin (default: UTC)')
    .option('--at <time>', 'generate it then: a time, or so long from now: 2h')
    .option('--notify <email>', 'tell them when it is done; repeatable, or a,b', collectValues)
    .option('--wait', 'wait until it is done: 0 completed, 1 failed, 8 when the time was up')
    .option('--timeout <time>', 'with --wait: at most so long, in seconds or as 10m', '600')
    .option(
      '--out <place>',
      'wait, and download each format into this folder, or the one as FILE.pdf',
    )
    .addHelpText('after', createHelp)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
}

function registerWatch(report: GovctlCommand, act: Act): void {
  report
    .command('watch')
    .summary('follow a report until it is done')
    .description(
      'Shows how far a report is, until it ends: on a terminal in place, in a pipe a line for each change, with -o ndjson each state. It ends with 0 completed, 1 failed, 8 when the time was up.',
    )
    .argument('<report>', which)
    .option('--timeout <time>', 'at most so long, in seconds or as 10m', '3600')
    .addHelpText('after', watchHelp)
    .action(act(() => import('./watch.ts').then((m) => m.runWatch)));
}

function registerDownload(report: GovctlCommand, act: Act): void {
  const download = report
    .command('download')
    .summary("fetch a report's files")
    .description(
      "Fetches a report's files. One that was cut off goes on where it was (FILE.part), and a file gets its name only when all of it is there and its SHA-256 is what the server says.",
    )
    .argument('<report>', which)
    .addOption(formatOption('which; repeatable, or a,b (default: those that were generated)'))
    .option('--out <place>', 'a folder, FILE.pdf, or - for standard output (default: this folder)');
  passwordFlags(download)
    .addHelpText('after', downloadHelp)
    .action(act(() => import('./download/run-download.ts').then((m) => m.runDownload)));
  const open = report
    .command('open')
    .description('fetch a report and show it; off a terminal print where the file is')
    .argument('<report>', which)
    .addOption(formatOption('which one (default: html or pdf)'));
  passwordFlags(open).action(act(() => import('./open.ts').then((m) => m.runOpen)));
}

function registerLink(report: GovctlCommand, act: Act): void {
  report
    .command('link')
    .summary("make a temporary address of a report's file")
    .description(
      "Makes a temporary address of a report's file: whoever has it can fetch the file, without a login, until it expires or is ended. The password of a protected report is still needed.",
    )
    .argument('<report>', which)
    .addOption(formatOption('of which file (default: the first that was generated)'))
    .option(
      '--expires <time>',
      'how long it is good for, such as 1h or 7d (default: the server says)',
    )
    .addOption(new Option('--list', 'list those there are').conflicts('revoke'))
    .option('--revoke <link>', 'end this one now')
    .addHelpText('after', linkHelp)
    .action(act(() => import('./link.ts').then((m) => m.runLink)));
  listFlags(
    report.command('downloads').description('who downloaded a report, and when'),
    ['at'],
    'at',
    'desc',
  )
    .argument('<report>', which)
    .action(act(() => import('./downloads.ts').then((m) => m.runDownloads)));
}

function registerVerify(report: GovctlCommand, act: Act): void {
  report
    .command('verify')
    .summary('check that a file is what the server made')
    .description(
      'Compares the SHA-256 of a file with what the server has of the report, and checks its signature (in a PDF, else FILE.sig) against the certificate of the server. It ends with 2 where they differ. With --certificate it checks the signature alone, and asks no server.',
    )
    .argument('<file>')
    .option('--report <report>', 'which one it should be, where its name does not say its id')
    .option('--certificate <file>', 'the certificate of the server, in PEM')
    .addHelpText('after', verifyHelp)
    .action(act(() => import('./verify.ts').then((m) => m.runVerify)));
}

const createHelp = `
Examples:
  $ govctl report create "SOC 2, Q1" --type compliance --framework soc2 \\
      --range last_quarter --timezone Europe/Berlin --format pdf --out reports
  $ govctl report create Risks --type risk --environment production --wait
  $ REPORT_PASSWORD=… govctl report create Audit --type audit --from 30d \\
      --sign --password-env REPORT_PASSWORD
  $ govctl report create -f report.yaml`;

const listHelp = `
Examples:
  $ govctl report list --type compliance --status completed
  $ govctl report list --schedule "Weekly SOC 2" -o json`;

const watchHelp = `
Examples:
  $ govctl report watch "SOC 2, Q1"
  $ govctl report watch rpt_… --timeout 10m -o ndjson`;

const downloadHelp = `
Examples:
  $ govctl report download "SOC 2, Q1"
  $ govctl report download rpt_… --format pdf --out q1.pdf
  $ govctl report download rpt_… --format json --out - | jq .summary`;

const linkHelp = `
Examples:
  $ govctl report link "SOC 2, Q1" --format pdf --expires 7d
  $ govctl report link rpt_… --list
  $ govctl report link rpt_… --revoke lnk_…`;

const verifyHelp = `
Examples:
  $ govctl report verify soc-2-q1.rpt_….pdf
  $ govctl report verify q1.pdf --certificate server.pem`;

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

const which = 'report ID or name';

export function registerReportCommands(program: GovctlCommand, act: Act): void {
  const report = program
    .command('report')
    .description('generate, download, share and verify reports');
  registerCreate(report, act);
  const its = nounCommands(report, act, {
    argument: '<report>',
    which,
    noun: () => import('./reports.ts').then((m) => m.reports),
  });
  its
    .list('list reports, newest first', {
      fields: reportSortFields,
      by: 'created_at',
      order: 'desc',
    })
    .addOption(
      words(
        '--type <type>',
        `filter by type: ${reportTypes.join(', ')} (repeatable or comma-separated)`,
        reportTypes,
      ),
    )
    .option(
      '--framework <label>',
      'filter by framework (repeatable or comma-separated)',
      collectValues,
    )
    .addOption(
      words(
        '--status <state>',
        `filter by status: ${reportStatuses.join(', ')} (repeatable or comma-separated)`,
        reportStatuses,
      ),
    )
    .option('--schedule <schedule>', 'only reports of this schedule (ID, name or key)')
    .addHelpText('after', listHelp);
  its.get('show a report, its progress, contents and files');
  its.delete('delete a report, its files and its links').addOption(ifMatch());
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
export const contentFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .optionsGroup('Content:')
    .option(
      '--framework <label>',
      'soc2, hipaa, iso27001, pci, a control (SOC2:CC6.1) or a custom framework',
    )
    .option(
      '--environment <name>',
      'only resources of this environment (repeatable or comma-separated)',
      collectValues,
    )
    .option(
      '--provider <name>',
      'only resources of this cloud provider (repeatable or comma-separated)',
      collectValues,
    )
    .option('--no-summary', 'omit the executive summary')
    .option('--no-findings', 'omit the detailed findings')
    .option('--include-cost', 'include costs (risk, trend); downloads then require a cost scope')
    .option('--prepared-for <name>', 'recipient of the report, shown on its title page')
    .optionsGroup('Protection:')
    .option('--watermark <text>', 'watermark on each page')
    .option('--sign', "sign the files with the server's certificate");

/** The formats of a new report. */
export const formatsOption = (): HintedOption =>
  formatOption(`${reportFormats.join(', ')} (repeatable or comma-separated)`);

export const passwordFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--password-env <name>', 'environment variable with the password for the files')
    .option('--password-file <file>', 'file with the password; - reads standard input')
    .option('--password', 'prompt for the password');

function registerCreate(report: GovctlCommand, act: Act): void {
  const create = report
    .command('create')
    .summary('create a report in the background')
    .description(
      'Create a report. The service generates it in the background. Pass a password for the report files in the environment, in a file or at the prompt, because other users can see command lines.',
    )
    .argument('[name]', 'report name')
    .option('-f, --file <file>', 'YAML or JSON file with the fields; - reads standard input')
    .addOption(choice('--type <type>', 'report type', reportTypes))
    .addOption(choice('--range <range>', 'relative period', dateRangeTypes))
    .addOption(formatsOption().default(undefined, 'pdf'))
    .option(
      '--out <place>',
      'wait for the report, then download its files to this directory, or one file as FILE.pdf',
    )
    .optionsGroup('Period:')
    .option('--from <time>', 'start of the period: a date, a time, or a relative time such as 30d')
    .addOption(
      new Option('--to <time>', 'end of the period, exclusive; a date means 00:00 UTC').default(
        undefined,
        'now',
      ),
    )
    .option('--timezone <zone>', 'with --range: time zone, such as Europe/Berlin (default: UTC)');
  passwordFlags(contentFlags(create))
    .optionsGroup('Generation:')
    .option('--description <text>', 'description')
    .addOption(
      new Option('--at <time>', 'start time: a time, or a delay such as 2h').default(
        undefined,
        'now',
      ),
    )
    .option(
      '--notify <email>',
      'email address to notify when the report is done (repeatable or comma-separated)',
      collectValues,
    )
    .option('--wait', 'wait for the report; exit codes: 0 completed, 1 failed, 8 timeout')
    .option('--timeout <time>', 'with --wait: timeout in seconds, or a duration such as 10m', '600')
    .addHelpText('after', createHelp)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
}

function registerWatch(report: GovctlCommand, act: Act): void {
  report
    .command('watch')
    .summary('wait for a report and show its progress')
    .description(
      'Show the progress of a report until the report is completed or fails: updated in place on a terminal, one line per change when piped, or each state as JSON with -o ndjson. Exit codes: 0 completed, 1 failed, 8 timeout.',
    )
    .argument('<report>', which)
    .option('--timeout <time>', 'timeout in seconds, or a duration such as 10m', '3600')
    .addHelpText('after', watchHelp)
    .action(act(() => import('./watch.ts').then((m) => m.runWatch)));
}

function registerDownload(report: GovctlCommand, act: Act): void {
  const download = report
    .command('download')
    .summary('download the files of a report')
    .description(
      'Download the files of a report. An interrupted download resumes from FILE.part. A file is renamed from FILE.part only when it is complete and its SHA-256 matches the server.',
    )
    .argument('<report>', which)
    .addOption(
      formatOption('format (repeatable or comma-separated; default: all generated formats)'),
    )
    .option(
      '--out <place>',
      'directory, FILE.pdf, or - for standard output (default: current directory)',
    );
  passwordFlags(download)
    .addHelpText('after', downloadHelp)
    .action(act(() => import('./download/run-download.ts').then((m) => m.runDownload)));
  const open = report
    .command('open')
    .description('download and open a report; when piped, print the file path')
    .argument('<report>', which)
    .addOption(formatOption('format').default(undefined, 'html, otherwise pdf'));
  passwordFlags(open).action(act(() => import('./open.ts').then((m) => m.runOpen)));
}

function registerLink(report: GovctlCommand, act: Act): void {
  report
    .command('link')
    .summary('create a share link for a report file')
    .description(
      'Create a share link for a report file. Anyone with the link can download the file without a login until the link expires or is revoked. Protected reports still require their password.',
    )
    .argument('<report>', which)
    .addOption(formatOption('format of the file').default(undefined, 'the first generated format'))
    .option('--expires <time>', 'lifetime, for example 1h or 7d (default: 1h)')
    .addOption(new Option('--list', 'list share links').conflicts('revoke'))
    .option('--revoke <link>', 'revoke this share link')
    .addHelpText('after', linkHelp)
    .action(act(() => import('./link.ts').then((m) => m.runLink)));
  listFlags(
    report.command('downloads').description('list the downloads of a report'),
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
    .summary('verify that a file comes from the server')
    .description(
      "Compare the SHA-256 of a file with the server's record, and verify the signature of the file (in a PDF, otherwise FILE.sig) with the server's certificate. The exit code is 2 if either does not match. With --certificate, verify only the signature, offline.",
    )
    .argument('<file>', 'report file')
    .option('--report <report>', 'report ID or name (default: ID in the file name)')
    .option('--certificate <file>', 'PEM file with the server certificate')
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

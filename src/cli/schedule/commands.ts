import { Option } from 'commander';
import { reportTypes } from '../../contract/reports.ts';
import { channelKinds } from '../../contract/report-channels.ts';
import { dateRangeTypes, scheduleSortFields } from '../../contract/schedules.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { ifMatch, nounCommands } from '../objects/commands.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import type { Act } from '../act.ts';
import { choice, contentFlags, formatsOption, passwordFlags } from '../report/commands.ts';

const which = 'schedule ID, name or key';

export function registerScheduleCommands(program: GovctlCommand, act: Act): void {
  const schedule = program
    .command('schedule')
    .description('manage schedules that generate and deliver reports');
  const its = nounCommands(schedule, act, {
    argument: '<schedule>',
    which,
    noun: () => import('./schedules.ts').then((m) => m.schedules),
  });
  its
    .list('list schedules', { fields: scheduleSortFields, by: 'name' })
    .addOption(
      words(
        '--type <type>',
        `filter by report type: ${reportTypes.join(', ')} (repeatable or comma-separated)`,
        reportTypes,
      ),
    )
    .option('--tag <tag>', 'filter by tag (repeatable; all must match)', collectValues)
    .addOption(new Option('--enabled', 'only enabled schedules').conflicts('disabled'))
    .option('--disabled', 'only disabled schedules');
  its.get('show a schedule, its report and its channels');
  registerNext(schedule, act);
  registerWrites(schedule, act);
  its.delete('delete a schedule but keep its reports').addOption(ifMatch());
  its.switch('enable', true, 'enable a schedule');
  its.switch('disable', false, 'disable a schedule');
  registerRuns(schedule, act);
}

const words = (flags: string, description: string, known: readonly string[]): HintedOption =>
  new HintedOption(flags, description).argParser(collectValues).offering(known);

function registerNext(schedule: GovctlCommand, act: Act): void {
  schedule
    .command('next')
    .summary('show the next runs of a schedule')
    .description(
      'Show the next runs of a schedule, in its time zone and in UTC, with daylight saving changes. With --cron, works offline.',
    )
    .argument('[schedule]', which)
    .option('--cron <expression>', "cron expression with five fields, such as '0 9 * * 1'")
    .option(
      '--timezone <zone>',
      "time zone, such as Europe/Berlin (default: the schedule's time zone, otherwise UTC)",
    )
    .option('--count <n>', 'number of runs', '5')
    .addHelpText('after', nextHelp)
    .action(act(() => import('./next.ts').then((m) => m.runNext)));
}

/** @param isNew what is not given has a default; in a change it stays as it is */
function fieldFlags(command: GovctlCommand, isNew: boolean): GovctlCommand {
  const otherwise = (option: Option, words: string): Option =>
    isNew ? option.default(undefined, words) : option;
  command
    .option('--cron <expression>', "cron expression with five fields, such as '0 9 * * 1'")
    .addOption(
      otherwise(new Option('--timezone <zone>', 'time zone, such as Europe/Berlin'), 'UTC'),
    )
    .addOption(choice('--type <type>', 'report type', reportTypes))
    .addOption(
      choice('--report-type <type>', 'same as --type', reportTypes).conflicts('type').hideHelp(),
    )
    .addOption(choice('--range <range>', 'period of the report', dateRangeTypes));
  contentFlags(command)
    .optionsGroup('Content:')
    .addOption(otherwise(formatsOption(), 'pdf'))
    .addOption(
      otherwise(
        new Option('--report-name <name>', 'report name; {{date}} is replaced with the date'),
        'name of the schedule',
      ),
    );
  if (isNew) passwordFlags(command.optionsGroup('Protection:'));
  return channelFlags(command)
    .optionsGroup('Schedule:')
    .option('--description <text>', 'description')
    .option('--tag <tag>', 'tag (repeatable)', collectValues);
}

const channelFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .optionsGroup('Email and chat:')
    .option('--email <address>', 'email recipient (repeatable or comma-separated)', collectValues)
    .option('--subject <text>', 'email subject; {{date}} is replaced with the date')
    .option('--links', 'email links instead of files')
    .option('--chat <channel>', 'chat channel in the server configuration, such as #audit')
    .option('--team-chat-env <name>', 'server secret with the webhook URL of a team chat')
    .optionsGroup('Webhook, SFTP and S3:')
    .option('--webhook-url <url>', 'URL to post the report to')
    .option('--webhook-secret-env <name>', 'server secret that signs the webhook')
    .option('--sftp <place>', 'SFTP upload: user@host/directory or user@host:port/directory')
    .option('--sftp-password-env <name>', 'server secret with the SFTP password')
    .option('--sftp-key-env <name>', 'server secret with the SFTP private key')
    .option('--sftp-host-key <hash>', 'fingerprint of the host key, SHA256:… as in ssh-keygen -l')
    .option('--s3 <place>', 'S3 upload: bucket or bucket/prefix')
    .option('--s3-region <region>', 'S3 region')
    .option('--s3-endpoint <url>', 'endpoint of an S3-compatible store');

function registerWrites(schedule: GovctlCommand, act: Act): void {
  const create = schedule
    .command('create')
    .summary('create a schedule')
    .description(
      'Create a schedule from flags or a file. Schedules contain only the names of channel secrets; the operator defines the secrets and their allowed hosts in the server configuration. Only --password-env names a variable on this machine.',
    )
    .argument('[name]', 'schedule name')
    .option('-f, --file <file>', 'YAML or JSON file with the fields; - reads standard input');
  fieldFlags(create, true)
    .option('--disabled', 'create the schedule disabled')
    .addHelpText('after', createHelp)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  const update = schedule
    .command('update')
    .summary('update a schedule')
    .description(
      'Update a schedule. Fields without a flag stay unchanged. To change the password of its reports, use -f FILE.',
    )
    .argument('<schedule>', which)
    .option('-f, --file <file>', 'YAML or JSON file with the changes; - reads standard input');
  fieldFlags(update, false)
    .option('--name <name>', 'new name')
    .addOption(
      words(
        '--remove <channel>',
        `remove a channel: ${channelKinds.join(', ')} (repeatable or comma-separated)`,
        channelKinds,
      ),
    )
    .addOption(ifMatch())
    .addHelpText('after', updateHelp)
    .action(act(() => import('./update.ts').then((m) => m.runUpdate)));
}

function registerRuns(schedule: GovctlCommand, act: Act): void {
  schedule
    .command('run')
    .summary('run a schedule now')
    .description(
      'Generate and deliver the report now, in addition to the scheduled runs. Exit codes with --wait: 0 delivered, 1 a step failed, 8 timeout.',
    )
    .argument('<schedule>', which)
    .option('--wait', 'wait until the report is delivered')
    .option('--timeout <time>', 'with --wait: timeout in seconds, or a duration such as 10m', '600')
    .addHelpText('after', runHelp)
    .action(act(() => import('./run.ts').then((m) => m.runRun)));
  listFlags(
    schedule.command('runs').description('list the runs of a schedule and their deliveries'),
    ['fire_at'],
    'fire_at',
    'desc',
  )
    .argument('<schedule>', which)
    .action(act(() => import('./runs.ts').then((m) => m.runRuns)));
}

const createHelp = `
Examples:
  $ govctl schedule create "Weekly SOC 2" --cron '0 9 * * 1' \\
      --timezone Europe/Berlin --type compliance --framework soc2 \\
      --range last_week --email audit@example.com
  $ govctl schedule create Nightly --cron '0 2 * * *' --type risk --format csv \\
      --sftp me@files.example.com/in --sftp-password-env SFTP_PASSWORD
  $ govctl schedule create -f schedule.yaml`;

const updateHelp = `
Examples:
  $ govctl schedule update "Weekly SOC 2" --cron '0 7 * * 1-5'
  $ govctl schedule update "Weekly SOC 2" --chat '#audit' --remove email`;

const nextHelp = `
Examples:
  $ govctl schedule next "Weekly SOC 2"
  $ govctl schedule next --cron '0 9 * * 1' --timezone Europe/Berlin`;

const runHelp = `
Examples:
  $ govctl schedule run "Weekly SOC 2" --wait`;

import { Option } from 'commander';
import { reportTypes } from '../../contract/reports.ts';
import { channelKinds } from '../../contract/report-channels.ts';
import { dateRangeTypes, scheduleSortFields } from '../../contract/schedules.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { ifMatch, nounCommands } from '../objects/commands.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import type { Act } from '../act.ts';
import { choice, contentFlags, passwordFlags } from '../report/commands.ts';

const which = 'its id, name or key in git';

export function registerScheduleCommands(program: GovctlCommand, act: Act): void {
  const schedule = program
    .command('schedule')
    .description('reports that are generated and sent again and again');
  const its = nounCommands(schedule, act, {
    argument: '<schedule>',
    which,
    noun: () => import('./schedules.ts').then((m) => m.schedules),
  });
  its
    .list('list schedules', { fields: scheduleSortFields, by: 'name' })
    .addOption(
      words('--type <type>', `only reports of ${reportTypes.join(', ')}; repeatable`, reportTypes),
    )
    .option('--tag <tag>', 'only those with this tag; repeatable: all of them', collectValues)
    .addOption(new Option('--enabled', 'only enabled ones').conflicts('disabled'))
    .option('--disabled', 'only disabled ones');
  its.get('show one schedule: when, what, and where to');
  registerNext(schedule, act);
  registerWrites(schedule, act);
  its.delete('remove a schedule; the reports it made stay').addOption(ifMatch());
  its.switch('enable', true, 'switch a schedule on');
  its.switch('disable', false, 'switch a schedule off; it stays');
  registerRuns(schedule, act);
}

const words = (flags: string, description: string, known: readonly string[]): HintedOption =>
  new HintedOption(flags, description).argParser(collectValues).offering(known);

function registerNext(schedule: GovctlCommand, act: Act): void {
  schedule
    .command('next')
    .summary('when it fires next')
    .description(
      'Shows when a schedule fires next, in its zone and in UTC, and where the clocks are changed before it. With --cron it asks no server.',
    )
    .argument('[schedule]', which)
    .option('--cron <expression>', "five fields, such as '0 9 * * 1'")
    .option('--timezone <zone>', "such as Europe/Berlin (default: the schedule's, else UTC)")
    .option('--count <n>', 'how many', '5')
    .addHelpText('after', nextHelp)
    .action(act(() => import('./next.ts').then((m) => m.runNext)));
}

/** @param isNew what is not given has a default; in a change it stays as it is */
const fieldFlags = (command: GovctlCommand, isNew: boolean): GovctlCommand =>
  channelFlags(
    contentFlags(
      command
        .option('--description <text>')
        .option('--cron <expression>', "five fields, such as '0 9 * * 1'")
        .option('--timezone <zone>', `such as Europe/Berlin${isNew ? ' (default: UTC)' : ''}`)
        .addOption(choice('--type <type>', 'what the reports are about', reportTypes))
        .addOption(
          choice('--report-type <type>', 'the same', reportTypes).conflicts('type').hideHelp(),
        )
        .option(
          '--report-name <name>',
          `what they are called; {{date}} is the day${isNew ? ' (default: as the schedule)' : ''}`,
        )
        .addOption(choice('--range <range>', 'what time they cover', dateRangeTypes))
        .option('--tag <tag>', 'repeatable', collectValues),
      isNew,
    ),
  );

const channelFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--email <address>', 'send it to them; repeatable, or a,b', collectValues)
    .option('--subject <text>', 'of the mail; {{date}} is the day')
    .option('--links', 'mail links in place of the files')
    .option('--chat <channel>', "a chat channel of the server's configuration, such as #audit")
    .option(
      '--team-chat-env <name>',
      "secret of the server's configuration with the webhook URL of a team chat",
    )
    .option('--webhook-url <url>', 'post it there')
    .option(
      '--webhook-secret-env <name>',
      "sign that with this secret of the server's configuration",
    )
    .option('--sftp <place>', 'upload it: user@host/folder, or user@host:port/folder')
    .option('--sftp-password-env <name>', "secret of the server's configuration with the password")
    .option('--sftp-key-env <name>', "secret of the server's configuration with the private key")
    .option('--sftp-host-key <hash>', "of the host's key, SHA256:… as ssh-keygen -l prints it")
    .option('--s3 <place>', 'upload it: bucket, or bucket/prefix')
    .option('--s3-region <region>')
    .option('--s3-endpoint <url>', 'of a store that speaks S3');

function registerWrites(schedule: GovctlCommand, act: Act): void {
  const create = schedule
    .command('create')
    .summary('create a schedule')
    .description(
      "Creates a schedule, from flags or from a file. Schedules never contain channel secrets, only their names: the operator lists them in the server's configuration, with the hosts they may be sent to. Only --password-env names a variable of this machine.",
    )
    .argument('[name]', 'what to call it')
    .option('-f, --file <file>', 'YAML or JSON with its fields; - reads standard input');
  passwordFlags(fieldFlags(create, true))
    .option('--disabled', 'create it disabled')
    .addHelpText('after', createHelp)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  const update = schedule
    .command('update')
    .summary('change some fields of a schedule')
    .description(
      'Changes some fields of a schedule. What no flag names stays as it is, the password of its reports, too; -f FILE can set another one.',
    )
    .argument('<schedule>', which)
    .option('-f, --file <file>', 'YAML or JSON with the fields to change; - reads standard input')
    .option('--name <name>', 'what to call it from now on');
  fieldFlags(update, false)
    .addOption(
      words('--remove <channel>', `send no more to ${channelKinds.join(', ')}`, channelKinds),
    )
    .addOption(ifMatch())
    .addHelpText('after', updateHelp)
    .action(act(() => import('./update.ts').then((m) => m.runUpdate)));
}

function registerRuns(schedule: GovctlCommand, act: Act): void {
  schedule
    .command('run')
    .summary('generate and send the report now')
    .description(
      'Generates and sends the report now, beside the schedule. With --wait it ends when all is sent: 0 sent, 1 failed, 8 still on its way when the time was up.',
    )
    .argument('<schedule>', which)
    .option('--wait', 'wait until the report is sent')
    .option('--timeout <time>', 'with --wait: at most so long, in seconds or as 10m', '600')
    .addHelpText('after', runHelp)
    .action(act(() => import('./run.ts').then((m) => m.runRun)));
  listFlags(
    schedule.command('runs').description('what a schedule did, and what became of each delivery'),
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

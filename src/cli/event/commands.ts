import type { GovctlCommand } from '../flags/govctl-command.ts';
import { listFlags } from '../flags/list-flags.ts';
import type { Act } from '../act.ts';
import { eventOption } from '../webhook/commands.ts';

export function registerEventCommands(program: GovctlCommand, act: Act): void {
  const event = program
    .command('event')
    .description('what happened in the service, as its webhooks are told');
  listFlags(
    event.command('list').description('list events, the latest first'),
    ['sequence', 'created', 'id', 'type'],
    'sequence',
    'desc',
  )
    .addOption(eventOption('--event <type>', 'only of this type; repeatable, or a,b'))
    .addOption(eventOption('--type <type>', 'the same').hideHelp())
    .option('--since <time>', 'only from then on: a time, or how long ago, such as 2h')
    .option('--follow', 'go on with each as it happens, until Ctrl-C')
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  event
    .command('get')
    .description('show one event as webhooks get it')
    .argument('<id>')
    .option('--webhook <webhook>', 'as this one gets it, by id, name or url')
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
  event
    .command('trigger')
    .summary('make an event up, to try receivers out')
    .description(
      'Makes an event up on a local server and sends it to every webhook that gets its type. It holds an example; what --data names is put in place of the same fields there, or beside them.',
    )
    .argument('<type>', 'such as policy.violation.created')
    .option('--data <data>', 'what to put into the example: a JSON object, @FILE, or - for stdin')
    .action(act(() => import('./trigger.ts').then((m) => m.runTrigger)));
  event
    .command('replay')
    .description('send events again, behind what already waits')
    .argument('[ids...]', 'which ones')
    .option('--since <time>', 'all from then on: a time, or how long ago, such as 2h')
    .option('--until <time>', 'with --since: up to then')
    .addOption(eventOption('--event <type>', 'only of this type; repeatable, or a,b'))
    .addOption(eventOption('--type <type>', 'the same').hideHelp())
    .option(
      '--webhook <webhook>',
      'to this one only, whatever its events and filters; by id, name or url',
    )
    .action(act(() => import('./replay.ts').then((m) => m.runReplay)));
}

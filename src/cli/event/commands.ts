import type { GovctlCommand } from '../flags/govctl-command.ts';
import { listFlags } from '../flags/list-flags.ts';
import type { Act } from '../act.ts';
import { eventOption } from '../webhook/commands.ts';

export function registerEventCommands(program: GovctlCommand, act: Act): void {
  const event = program.command('event').description('list, replay and trigger events');
  listFlags(
    event.command('list').description('list events, newest first'),
    ['sequence', 'created', 'id', 'type'],
    'sequence',
    'desc',
  )
    .addOption(
      eventOption('--event <type>', 'filter by event type (repeatable or comma-separated)'),
    )
    .addOption(eventOption('--type <type>', 'same as --event').hideHelp())
    .option('--since <time>', 'start of the period: a time, or a relative time such as 2h')
    .option('--follow', 'keep printing new events until Ctrl-C')
    .action(act(() => import('./list.ts').then((m) => m.runList)));
  event
    .command('get')
    .description('show an event as webhooks receive it')
    .argument('<id>', 'event ID')
    .option(
      '--webhook <webhook>',
      'show the event as this webhook receives it (ID, name, URL or key)',
    )
    .action(act(() => import('./get.ts').then((m) => m.runGet)));
  event
    .command('trigger')
    .summary('trigger an example event to test receivers')
    .description(
      'Trigger an example event on a local server and send it to all webhooks that subscribe to its type. --data adds fields to the example or replaces them.',
    )
    .argument('<type>', 'event type, such as policy.violation.created')
    .option('--data <data>', 'fields of the event: a JSON object, @FILE, or - for standard input')
    .action(act(() => import('./trigger.ts').then((m) => m.runTrigger)));
  event
    .command('replay')
    .description('resend events, after those already queued')
    .argument('[ids...]', 'event IDs')
    .option('--since <time>', 'start of the period: a time, or a relative time such as 2h')
    .option('--until <time>', 'with --since: end of the period, exclusive')
    .addOption(
      eventOption('--event <type>', 'filter by event type (repeatable or comma-separated)'),
    )
    .addOption(eventOption('--type <type>', 'same as --event').hideHelp())
    .option(
      '--webhook <webhook>',
      'send only to this webhook, ignoring its filters (ID, name, URL or key)',
    )
    .action(act(() => import('./replay.ts').then((m) => m.runReplay)));
}

import { eventTypes } from '../../contract/events.ts';
import { severities } from '../../contract/policies.ts';
import { deliveryStatuses } from '../../contract/webhook-deliveries.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { ifMatch, nounCommands } from '../objects/commands.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import type { Act } from '../act.ts';
import { webhookStates } from './webhook-objects.ts';

/** Where the service is asked for a webhook. */
const which = 'its id, name, url or key in git';

export function registerWebhookCommands(program: GovctlCommand, act: Act): void {
  const webhook = program
    .command('webhook')
    .description('send events to receivers, see what became of them, and try receivers out');
  const its = nounCommands(webhook, act, {
    argument: '<webhook>',
    which,
    noun: () => import('./webhooks.ts').then((m) => m.webhooks),
  });
  its
    .list('list webhooks', { fields: sortFields, by: 'created_at', order: 'desc' })
    .addOption(
      new HintedOption('--status <state>', `only ${webhookStates.join(', ')}; repeatable, or a,b`)
        .argParser(collectValues)
        .offering(webhookStates),
    );
  its.get('show one webhook: what it gets, whether it works, what waits for it');
  registerWrites(webhook, act);
  its.delete('remove a webhook and what waits for it').addOption(ifMatch());
  its.switch('pause', false, 'pause deliveries; events queue');
  its.switch('resume', true, 'go on with one that was paused or disabled, in the order of events');
  registerTests(webhook, act);
  registerDeliveries(webhook, act);
  registerVerify(webhook, act);
  registerListen(webhook, act);
}

const sortFields = ['created_at', 'updated_at', 'id', 'url', 'name'];

export const eventOption = (flags: string, description: string): HintedOption =>
  new HintedOption(flags, description).argParser(collectValues).offering([...eventTypes, 'all']);

const secretFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .option('--secret-env <name>', 'sign with the secret in this environment variable')
    .option('--secret-stdin', 'read the secret from standard input')
    .option('--generate-secret', 'make a secret, and show it once');

const fieldFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .addOption(
      new HintedOption('--severity <severity>', 'only events of these; repeatable, or a,b')
        .argParser(collectValues)
        .offering(severities),
    )
    .option('--environment <name>', 'only events of these; repeatable, or a,b', collectValues)
    .option('--provider <name>', 'only events of these clouds; repeatable, or a,b', collectValues)
    .option('--max-attempts <n>', 'give up after so many, 1 to 20; without it: after 24 hours')
    .option('--backoff-multiplier <n>', 'how the pauses between attempts grow, 1 to 10')
    .option('--timeout <seconds>', 'how long the receiver may take, 1 to 30')
    .option('--header <header>', "'Name: value' to send along; repeatable", collectValues)
    .option(
      '--header-env <header>',
      "'Name: VARIABLE': the value is in the environment; repeatable",
      collectValues,
    )
    .option('--name <name>', 'what to call it')
    .option('--tag <tag>', 'repeatable', collectValues);

const typesHelp = `
Event types (all means every one):
${eventTypes.map((type) => `  ${type}\n`).join('')}`;

function registerWrites(webhook: GovctlCommand, act: Act): void {
  const create = webhook
    .command('create')
    .summary('create a webhook')
    .description(
      'Creates a webhook. Its secret comes from the environment, standard input or a question, never from the command line, which others can see.',
    )
    .requiredOption('--url <url>', 'where events go: https, or http to this machine')
    .addOption(
      eventOption('--event <type>', 'what to send; repeatable, or a,b').makeOptionMandatory(),
    );
  fieldFlags(secretFlags(create))
    .option('--paused', 'create it paused: events queue until it is resumed')
    .addHelpText('after', typesHelp)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  const update = webhook
    .command('update')
    .summary('change some fields of a webhook')
    .description(
      'Changes some fields of a webhook. A filter or header that is not named stays as it is; `rotate-secret` changes the secret.',
    )
    .argument('<webhook>', which)
    .option('--url <url>', 'where events go')
    .addOption(
      eventOption('--event <type>', 'what to send, in place of what is; repeatable, or a,b'),
    );
  fieldFlags(update)
    .addOption(
      new HintedOption('--clear <field>', `take away ${clearable.join(', ')}; repeatable, or a,b`)
        .argParser(collectValues)
        .offering(clearable),
    )
    .addOption(ifMatch())
    .action(act(() => import('./update.ts').then((m) => m.runUpdate)));
}

const clearable = ['filters', 'retry_config', 'timeout_seconds', 'headers', 'name', 'tags'];

function registerTests(webhook: GovctlCommand, act: Act): void {
  secretFlags(
    webhook
      .command('rotate-secret')
      .description('sign with another secret; for a while the old one signs, too')
      .argument('<webhook>', which),
  ).action(act(() => import('./rotate-secret.ts').then((m) => m.runRotateSecret)));
  webhook
    .command('test')
    .summary('send a test event now')
    .description('Sends a test event now, outside the queue: 0 when it was delivered, 2 when not.')
    .argument('<webhook>', which)
    .addOption(
      new HintedOption('--event <type>', 'its type; default: the first that it gets').offering(
        eventTypes,
      ),
    )
    .action(act(() => import('./test.ts').then((m) => m.runTest)));
}

function registerDeliveries(webhook: GovctlCommand, act: Act): void {
  listFlags(
    webhook
      .command('deliveries')
      .description('list what was sent to a webhook, or show one delivery with every attempt')
      .argument('<webhook>', which)
      .argument('[id]', 'of one delivery'),
    ['created_at', 'updated_at', 'id', 'event_type', 'status', 'attempt_count'],
    'created_at',
    'desc',
  )
    .addOption(
      new HintedOption(
        '--status <status>',
        `only ${deliveryStatuses.join(', ')}; repeatable, or a,b`,
      )
        .argParser(collectValues)
        .offering(deliveryStatuses),
    )
    .addOption(eventOption('--event <type>', 'only of this type; repeatable, or a,b'))
    .option('--since <time>', 'only from then on: a time, or how long ago, such as 2h')
    .option('--follow', 'go on with each that is new or was tried again, until Ctrl-C')
    .action(act(() => import('./deliveries.ts').then((m) => m.runDeliveries)));
  webhook
    .command('redeliver')
    .description('send a delivery that has ended once more, or all that failed')
    .argument('<webhook>', which)
    .argument('[id]', 'of one delivery')
    .option('--failed', 'all that failed, in the order of their events')
    .option('--since <time>', 'with --failed: only from then on, such as 2h')
    .action(act(() => import('./redeliver.ts').then((m) => m.runRedeliver)));
}

function registerVerify(webhook: GovctlCommand, act: Act): void {
  webhook
    .command('verify')
    .summary('check the signatures of a saved delivery, offline')
    .description(
      'Checks the signatures of a delivery that was saved, without asking the service: 0 when they fit, 2 when not. Says which secret fits, what does not, and how old it is.',
    )
    .option(
      '--request <file>',
      'a whole HTTP request (headers, a blank line, the body), or a line of `listen -o ndjson`; - reads standard input',
    )
    .option('--body <file>', 'the body, byte for byte; - reads standard input')
    .option('--headers <file>', 'with --body: its headers, as lines or JSON')
    .option('--signature <value>', 'with --body: one signature, sha256=… or v1,…')
    .option('--timestamp <seconds>', 'with --signature: when it was sent, Unix time')
    .option('--id <id>', 'with --signature v1,…: its webhook-id')
    .option('--secret-env <name>', 'the variable with the secret; repeatable', collectValues)
    .option('--secret-stdin', 'read the secret from standard input')
    .option('--tolerance <seconds>', 'refuse what is older, or newer, than so long')
    .action(act(() => import('./verify.ts').then((m) => m.runVerify)));
}

function registerListen(webhook: GovctlCommand, act: Act): void {
  const listen = webhook
    .command('listen')
    .summary('receive events here, and forward them')
    .description(
      'Registers a temporary webhook to this machine and shows each delivery as it comes: its signature checked, its bytes forwarded. Ctrl-C ends it and removes the webhook.',
    )
    .addOption(eventOption('--event <type>', 'what to receive; repeatable, or a,b (default: all)'))
    .addOption(eventOption('--events <type>', 'the same').hideHelp())
    .option('--forward <url>', 'send each delivery on, byte for byte; its answer goes back')
    .option('--port <port>', 'listen on this port; 0 picks a free one', '0')
    .option('--public-url <url>', 'a tunnel to this port, for a service that is elsewhere')
    .option('--secret-env <name>', 'sign with the secret in this variable (default: a new one)')
    .option('--count <n>', 'end after so many deliveries')
    .option('--timeout <seconds>', 'end after so long: 8 where --count was not reached')
    .addHelpText('after', listenHelp)
    .action(act(() => import('./listen.ts').then((m) => m.runListen)));
  listen.formats = ['table', 'ndjson'];
}

const listenHelp = `
Examples:
  $ govctl webhook listen
  $ govctl webhook listen --event policy.violation.created \\
      --forward http://localhost:3000/hooks
  $ govctl webhook listen --secret-env SECRET --count 1 -o ndjson=one.json
  $ govctl webhook verify --request one.json --secret-env SECRET`;

import { Option } from 'commander';
import { eventTypes } from '../../contract/events.ts';
import { severities } from '../../contract/policies.ts';
import { deliveryStatuses } from '../../contract/webhook-deliveries.ts';
import type { GovctlCommand } from '../flags/govctl-command.ts';
import { HintedOption } from '../flags/hinted-option.ts';
import { ifMatch, nounCommands } from '../objects/commands.ts';
import { collectValues, listFlags } from '../flags/list-flags.ts';
import type { Act } from '../act.ts';
import { webhookStates } from './webhook-objects.ts';

/** What commands find a webhook by. */
const which = 'webhook ID, name, URL or key';

export function registerWebhookCommands(program: GovctlCommand, act: Act): void {
  const webhook = program
    .command('webhook')
    .description('manage webhooks, inspect deliveries and test receivers');
  const its = nounCommands(webhook, act, {
    argument: '<webhook>',
    which,
    noun: () => import('./webhooks.ts').then((m) => m.webhooks),
  });
  its
    .list('list webhooks', { fields: sortFields, by: 'created_at', order: 'desc' })
    .addOption(
      new HintedOption(
        '--status <state>',
        `filter by status: ${webhookStates.join(', ')} (repeatable or comma-separated)`,
      )
        .argParser(collectValues)
        .offering(webhookStates),
    );
  its.get('show a webhook, its health and its queue');
  registerWrites(webhook, act);
  its.delete('delete a webhook and its queued events').addOption(ifMatch());
  its.switch('pause', false, 'pause deliveries; events are queued');
  its.switch('resume', true, 'resume a paused or disabled webhook');
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
    .option('--secret-env <name>', 'environment variable with the signing secret')
    .option('--secret-stdin', 'read the signing secret from standard input')
    .option('--generate-secret', 'generate a signing secret and show it once');

const fieldFlags = (command: GovctlCommand): GovctlCommand =>
  command
    .optionsGroup('Filters:')
    .addOption(
      new HintedOption(
        '--severity <severity>',
        `only events of this severity: ${severities.join(', ')} (repeatable or comma-separated)`,
      )
        .argParser(collectValues)
        .offering(severities),
    )
    .option(
      '--environment <name>',
      'only events of this environment (repeatable or comma-separated)',
      collectValues,
    )
    .option(
      '--provider <name>',
      'only events of this cloud provider (repeatable or comma-separated)',
      collectValues,
    )
    .optionsGroup('Delivery:')
    .addOption(
      new Option('--max-attempts <n>', 'maximum number of attempts, 1 to 20').default(
        undefined,
        'retry for 24 hours',
      ),
    )
    .option('--backoff-multiplier <n>', 'factor by which the retry delay grows, 1 to 10')
    .option('--timeout <seconds>', 'timeout of a delivery in seconds, 1 to 30')
    .option('--header <header>', "extra HTTP header as 'Name: value' (repeatable)", collectValues)
    .option(
      '--header-env <header>',
      "HTTP header whose value is in an environment variable, as 'Name: VARIABLE' (repeatable)",
      collectValues,
    )
    .optionsGroup('Webhook:')
    .option('--name <name>', 'webhook name')
    .option('--tag <tag>', 'tag (repeatable)', collectValues);

const typesHelp = `
Event types (or all):
${eventTypes.map((type) => `  ${type}\n`).join('')}`;

function registerWrites(webhook: GovctlCommand, act: Act): void {
  const create = webhook
    .command('create')
    .summary('create a webhook')
    .description(
      'Create a webhook. A signing secret is required: have one generated, or pass it in the environment, on standard input or at the prompt. There is no flag for it, because other users can see command lines.',
    )
    .requiredOption('--url <url>', 'URL of the receiver: https, or http on this machine')
    .addOption(
      eventOption(
        '--event <type>',
        'event type, or all (repeatable or comma-separated)',
      ).makeOptionMandatory(),
    );
  fieldFlags(secretFlags(create))
    .option('--paused', 'create the webhook paused; events are queued')
    .addHelpText('after', `${typesHelp}${createHelp}`)
    .action(act(() => import('./create.ts').then((m) => m.runCreate)));
  const update = webhook
    .command('update')
    .summary('update a webhook')
    .description(
      'Update a webhook. Filters and headers without a flag stay unchanged; to change the secret, use `rotate-secret`.',
    )
    .argument('<webhook>', which)
    .option('--url <url>', 'new URL of the receiver')
    .addOption(
      eventOption(
        '--event <type>',
        'event type, or all (repeatable or comma-separated); replaces all event types',
      ),
    );
  fieldFlags(update)
    .addOption(
      new HintedOption(
        '--clear <field>',
        `clear ${clearable.join(', ')} (repeatable or comma-separated)`,
      )
        .argParser(collectValues)
        .offering(clearable),
    )
    .addOption(ifMatch())
    .action(act(() => import('./update.ts').then((m) => m.runUpdate)));
}

const createHelp = `
Examples:
  $ govctl webhook create --url https://hooks.example.com/ops --event all \\
      --generate-secret
  $ govctl webhook create --url https://hooks.example.com/ops \\
      --event policy.violation.created --severity CRITICAL,HIGH \\
      --secret-env SECRET
  $ pass show hooks/ops | govctl webhook create --secret-stdin \\
      --url https://hooks.example.com/ops --event scan.completed --name Ops`;

const clearable = ['filters', 'retry_config', 'timeout_seconds', 'headers', 'name', 'tags'];

function registerTests(webhook: GovctlCommand, act: Act): void {
  secretFlags(
    webhook
      .command('rotate-secret')
      .description('rotate the signing secret; the old secret stays valid for a grace period')
      .argument('<webhook>', which),
  ).action(act(() => import('./rotate-secret.ts').then((m) => m.runRotateSecret)));
  webhook
    .command('test')
    .summary('send a test event now')
    .description(
      'Send a test event now, bypassing the queue. Exit codes: 0 delivered, 2 not delivered.',
    )
    .argument('<webhook>', which)
    .addOption(
      new HintedOption(
        '--event <type>',
        'event type (default: the first type of the webhook)',
      ).offering(eventTypes),
    )
    .action(act(() => import('./test.ts').then((m) => m.runTest)));
}

function registerDeliveries(webhook: GovctlCommand, act: Act): void {
  listFlags(
    webhook
      .command('deliveries')
      .description('list the deliveries of a webhook, or show one with its attempts')
      .argument('<webhook>', which)
      .argument('[id]', 'delivery ID'),
    ['created_at', 'updated_at', 'id', 'event_type', 'status', 'attempt_count'],
    'created_at',
    'desc',
  )
    .addOption(
      new HintedOption(
        '--status <status>',
        `filter by status: ${deliveryStatuses.join(', ')} (repeatable or comma-separated)`,
      )
        .argParser(collectValues)
        .offering(deliveryStatuses),
    )
    .addOption(
      eventOption('--event <type>', 'filter by event type (repeatable or comma-separated)'),
    )
    .option('--since <time>', 'start of the period: a time, or a relative time such as 2h')
    .option('--follow', 'keep printing new and retried deliveries until Ctrl-C')
    .action(act(() => import('./deliveries.ts').then((m) => m.runDeliveries)));
  webhook
    .command('redeliver')
    .description('resend a completed delivery, or all failed deliveries')
    .argument('<webhook>', which)
    .argument('[id]', 'delivery ID')
    .option('--failed', 'resend all failed deliveries, in event order')
    .option(
      '--since <time>',
      'with --failed: start of the period: a time, or a relative time such as 2h',
    )
    .action(act(() => import('./redeliver.ts').then((m) => m.runRedeliver)));
}

function registerVerify(webhook: GovctlCommand, act: Act): void {
  webhook
    .command('verify')
    .summary('verify the signatures of a saved delivery, offline')
    .description(
      'Verify the signatures of a saved delivery, offline. Shows which secret matches, which signatures do not match, and the age of the delivery. Exit codes: 0 valid, 2 not valid.',
    )
    .option(
      '--request <file>',
      'file with an HTTP request (headers, blank line, body) or a line from `listen -o ndjson`; - reads standard input',
    )
    .option('--body <file>', 'file with the exact bytes of the body; - reads standard input')
    .option('--headers <file>', 'with --body: file with the headers, as lines or JSON')
    .option('--signature <value>', 'with --body: signature, sha256=… or v1,…')
    .option('--timestamp <seconds>', 'with --signature: time of the delivery, in Unix seconds')
    .option('--id <id>', 'value of the webhook-id header, for signatures that start with v1')
    .option(
      '--secret-env <name>',
      'environment variable with the secret (repeatable)',
      collectValues,
    )
    .option('--secret-stdin', 'read the secret from standard input')
    .option('--tolerance <seconds>', 'maximum age or clock skew, in seconds')
    .action(act(() => import('./verify.ts').then((m) => m.runVerify)));
}

function registerListen(webhook: GovctlCommand, act: Act): void {
  const listen = webhook
    .command('listen')
    .summary('receive events on this machine and forward them')
    .description(
      'Create a temporary webhook that sends to this machine, then verify, print and forward each delivery. Ctrl-C stops listening and deletes the webhook.',
    )
    .addOption(
      eventOption('--event <type>', 'event type (repeatable or comma-separated; default: all)'),
    )
    .addOption(eventOption('--events <type>', 'same as --event').hideHelp())
    .option('--forward <url>', 'forward each delivery to this URL, and repeat it if that fails')
    .option('--port <port>', 'port to listen on; 0 selects a free port', '0')
    .option('--public-url <url>', 'URL of a tunnel to this port, for a remote service')
    .option(
      '--secret-env <name>',
      'environment variable with the signing secret (default: a new secret)',
    )
    .option('--count <n>', 'exit after this number of deliveries')
    .option('--timeout <seconds>', 'exit after this time; exit code 8 if --count was not reached')
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

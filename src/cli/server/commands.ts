import type { GovctlCommand } from '../govctl-command.ts';
import { Option } from 'commander';
import type { Act } from '../program.ts';

const collect = (value: string, previous: string[]): string[] => [...previous, value];

export function registerServiceCommands(program: GovctlCommand, act: Act): void {
  registerServer(program, act);
  registerApi(program, act);
  program
    .command('doctor')
    .description('check this machine, the login and the service, and say what to do')
    .action(act(() => import('./doctor.ts').then((m) => m.runDoctor)));
  program
    .command('completion')
    .noFormats()
    .summary('print a script that completes govctl on Tab')
    .description('Prints a script that completes govctl on Tab.')
    .addHelpText('after', completionHelp)
    .argument('<shell>', 'bash, zsh or fish')
    .action(act(() => import('./completion.ts').then((m) => m.completionOf(program))));
}

function registerServer(program: GovctlCommand, act: Act): void {
  program
    .command('server')
    .summary('run the service here')
    .description(
      'Runs the whole service in this process until Ctrl-C. On stdout stand its address, its API key and how to ' +
        'log in; logs go to stderr.',
    )
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .option('--port <port>', 'listen on this port; 0 picks a free one', '8787')
    .option('--data-dir <folder>', 'keep the data here', '.govctl/data')
    .option('--store <store>', 'lowdb (files in the data folder) or a postgres:// url', 'lowdb')
    .option('--api-key <key>', 'use this key; it shows in process lists, the next two do not')
    .option(
      '--api-key-file <file>',
      'use the key in this file (GOVCTL_SERVER_API_KEY holds one too)',
    )
    .option('--new-api-key', 'make and print a new key, when the first one was lost')
    .option('--ready-file <file>', 'write {"base_url", "pid"} here once it serves')
    .option(
      '--allow-target <cidr>',
      'let webhooks reach this private range; repeatable',
      collect,
      [],
    )
    .option('--public-url <url>', 'what links in answers start with')
    .option('--tls-cert <file>', 'serve https with this certificate (PEM)')
    .option('--tls-key <file>', 'its private key (PEM)')
    .addOption(
      new Option(
        '--rate-limit <mode>',
        'default: report on a loopback address, else enforce',
      ).choices(['enforce', 'report', 'off']),
    )
    .option('--no-metrics', 'do not serve /metrics')
    .addOption(
      new Option('--log-level <level>')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )
    .action(act(() => import('./server.ts').then((m) => m.runServer)));
}

function registerApi(program: GovctlCommand, act: Act): void {
  program
    .command('api')
    .summary('send one request to the service')
    .description('Sends one request with your login and prints the answer.')
    .argument('[method]', 'GET, POST, PUT or DELETE; left out: GET, with --data POST')
    .argument('[path]', 'e.g. /v1/policies')
    .option(
      '-f, --field <name=value>',
      'a query field of a GET or DELETE, a field of the body otherwise; repeatable',
      collect,
      [],
    )
    .option('-d, --data <body>', 'the body: JSON, @FILE, or - for standard input')
    .option('-H, --header <header>', '"Name: value"; repeatable', collect, [])
    .option('-i, --include', 'print status and headers too')
    .option('--paginate', 'fetch every page of a list and print one list')
    .option('--list', 'list the endpoints')
    .addHelpText('after', apiHelp)
    .action(act(() => import('./api.ts').then((m) => m.runApi)));
}

const apiHelp = `
Examples:
  $ govctl api --list
  $ govctl api GET /v1/policies -f severity=HIGH,CRITICAL --paginate
  $ govctl api PUT /v1/policies/pol_01… --data '{"enabled": false}'
  $ govctl api POST /v1/api-keys --data @key.json`;

const completionHelp = `
bash  govctl completion bash > ~/.local/share/bash-completion/completions/govctl
zsh   govctl completion zsh > "\${fpath[1]}/_govctl"
fish  govctl completion fish > ~/.config/fish/completions/govctl.fish`;

import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

const collect = (value: string, previous: string[]): string[] => [...previous, value];

export function registerApiCommand(program: GovctlCommand, act: Act): void {
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

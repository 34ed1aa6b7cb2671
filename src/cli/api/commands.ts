import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

const collect = (value: string, previous: string[]): string[] => [...previous, value];

export function registerApiCommand(program: GovctlCommand, act: Act): void {
  program
    .command('api')
    .summary('send one request to the service')
    .description('Send one request with your login and print the response.')
    .argument('[method]', 'GET, POST, PUT or DELETE (default: GET; with --data, POST)')
    .argument('[path]', 'path, such as /v1/policies')
    .option(
      '-f, --field <name=value>',
      'query parameter (GET, DELETE) or field of the body (POST, PUT); repeatable',
      collect,
      [],
    )
    .option('-d, --data <body>', 'request body: JSON, @FILE, or - for standard input')
    .option('-H, --header <header>', "request header, 'Name: value' (repeatable)", collect, [])
    .option('-i, --include', 'also print the status and headers of the response')
    .option('--paginate', 'get all pages of a list and print them as one list')
    .option('--list', 'list all endpoints')
    .addHelpText('after', apiHelp)
    .action(act(() => import('./api.ts').then((m) => m.runApi)));
}

const apiHelp = `
Examples:
  $ govctl api --list
  $ govctl api GET /v1/policies -f severity=HIGH,CRITICAL --paginate
  $ govctl api PUT /v1/policies/pol_01… --data '{"enabled": false}'
  $ govctl api POST /v1/api-keys --data @key.json`;

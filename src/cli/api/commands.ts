import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

const collect = (value: string, previous: string[]): string[] => [...previous, value];

export function registerApiCommand(program: GovctlCommand, act: Act): void {
  program
    .command('api')
    .summary('send an authenticated request to the service')
    .description('Send an authenticated request to the service and print the response.')
    .argument('[method]', 'HTTP method: GET, POST, PUT or DELETE (default: GET; with --data, POST)')
    .argument('[path]', 'path, such as /v1/policies')
    .option(
      '-f, --field <name=value>',
      'query parameter (GET, DELETE) or body field (POST, PUT), as name=value (repeatable)',
      collect,
      [],
    )
    .option('-d, --data <body>', 'request body: JSON, @FILE, or - for standard input')
    .option('-H, --header <header>', "request header as 'Name: value' (repeatable)", collect, [])
    .option('-i, --include', 'print the response status and headers before the body')
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

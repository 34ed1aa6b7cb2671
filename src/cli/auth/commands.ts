import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerAuthCommands(program: GovctlCommand, act: Act): void {
  const auth = program.command('auth').description('log in to a service, and log out');
  auth
    .command('login')
    .description('log in to a service and store the login')
    .option('--web', 'log in with the browser of this machine')
    .option('--device', 'show a code to enter in a browser, on any device')
    .option('--with-token', 'read an API key or access token from standard input')
    .option('--client-id <id>', 'log in as this client; its secret comes from standard input')
    .option('--oidc', 'log in as this CI job, by its ID token: GitHub Actions, GitLab CI')
    .option('--scope <scopes>', 'scopes to request, separated by spaces or commas')
    .option('--client-cert <file>', 'client certificate to show the service, a PEM file')
    .option('--client-key <file>', 'key of the client certificate, a PEM file')
    .addHelpText('after', loginHelp)
    .action(act(() => import('./login.ts').then((m) => m.runLogin)));
  auth
    .command('logout')
    .description('end and remove the login of a profile')
    .option('--all', 'end and remove every login')
    .action(act(() => import('./logout.ts').then((m) => m.runLogout)));
  auth
    .command('status')
    .description('show who is logged in, where, and whether the service accepts it')
    .option('--all', 'look at every profile')
    .action(act(() => import('./status.ts').then((m) => m.runStatus)));
  auth
    .command('token')
    .noFormats()
    .description('print the bearer token, for scripts')
    .action(act(() => import('./token.ts').then((m) => m.runToken)));
  auth
    .command('switch')
    .description('make a profile the current one, which commands use by default')
    .argument('<profile>')
    .action(act(() => import('./switch.ts').then((m) => m.runSwitch)));
}

const loginHelp = `
Examples:
  $ govctl auth login                          asks for what it needs
  $ govctl auth login --base-url URL --web     in your browser
  $ govctl auth login --base-url URL --device  by a code, for SSH
  $ govctl auth login --base-url URL --with-token < key.txt
  $ printf %s "$SECRET" | govctl auth login --base-url URL --client-id ci
  $ govctl auth login --profile staging        beside the default login
  $ govctl auth login --base-url URL --oidc    in a CI job, without a secret

A key that requires signed requests: its signing secret is prompted for, or
read from the second line of standard input.

A service with mutual TLS: --client-cert and --client-key, which the profile
keeps as paths, or GOVCTL_CLIENT_CERT and GOVCTL_CLIENT_KEY.

Without a login: set GOVCTL_BASE_URL, and GOVCTL_TOKEN (with
GOVCTL_SIGNING_SECRET, if the key requires it), or GOVCTL_CLIENT_ID and
GOVCTL_CLIENT_SECRET, or, in a CI job, GOVCTL_OIDC=1.`;

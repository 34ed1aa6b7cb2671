import type { GovctlCommand } from '../flags/govctl-command.ts';
import type { Act } from '../act.ts';

export function registerAuthCommands(program: GovctlCommand, act: Act): void {
  const auth = program.command('auth').description('log in, log out and manage login profiles');
  auth
    .command('login')
    .description('log in to a service and store the login')
    .option('--web', 'log in with a browser on this machine')
    .option('--device', 'log in with a code in a browser on any device')
    .option('--with-token', 'read an API key or access token from standard input')
    .option(
      '--client-id <id>',
      'log in as the OAuth client with this ID; read its secret from standard input',
    )
    .option('--oidc', 'log in with the ID token of a GitHub Actions or GitLab CI job')
    .option('--scope <scopes>', 'scopes to request, separated by spaces or commas')
    .option('--client-cert <file>', 'PEM file with the client certificate for mutual TLS')
    .option('--client-key <file>', 'PEM file with the private key of the client certificate')
    .addHelpText('after', loginHelp)
    .action(act(() => import('./login.ts').then((m) => m.runLogin)));
  auth
    .command('logout')
    .description('revoke and delete the login of a profile')
    .option('--all', 'revoke and delete all logins')
    .action(act(() => import('./logout.ts').then((m) => m.runLogout)));
  auth
    .command('status')
    .description('show the current login and check it with the service')
    .option('--all', 'show all profiles')
    .action(act(() => import('./status.ts').then((m) => m.runStatus)));
  auth
    .command('token')
    .noFormats()
    .description('print the bearer token, for scripts')
    .action(act(() => import('./token.ts').then((m) => m.runToken)));
  auth
    .command('switch')
    .description('set the current profile, which commands use by default')
    .argument('<profile>', 'profile name')
    .action(act(() => import('./switch.ts').then((m) => m.runSwitch)));
}

const loginHelp = `
Examples:
  $ govctl auth login                            # prompts for all values
  $ govctl auth login --base-url URL --web       # with your browser
  $ govctl auth login --base-url URL --device    # with a code, over SSH
  $ govctl auth login --base-url URL --with-token < key.txt
  $ printf %s "$SECRET" | govctl auth login --base-url URL --client-id ci
  $ govctl auth login --profile staging          # another profile
  $ govctl auth login --base-url URL --oidc      # in CI, without a secret

If an API key requires signed requests, its signing secret is read from a prompt
or from the second line of standard input.

For mutual TLS, use --client-cert and --client-key, whose paths the profile
stores, or GOVCTL_CLIENT_CERT and GOVCTL_CLIENT_KEY.

To run without a stored login, set GOVCTL_BASE_URL and one of: GOVCTL_TOKEN
(with GOVCTL_SIGNING_SECRET if the key requires signed requests);
GOVCTL_CLIENT_ID and GOVCTL_CLIENT_SECRET; in a CI job, GOVCTL_OIDC=1.`;

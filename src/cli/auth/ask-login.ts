import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { isLoopback } from '../credentials/base-url.ts';
import type { Login } from '../credentials/find-login.ts';
import { checkToken } from '../credentials/find-login.ts';
import { logInPerson, waysOfPeople } from './person/log-in.ts';
import type { PersonTokens } from './person/oauth-client.ts';

export interface LoginOptions {
  readonly web?: boolean;
  readonly device?: boolean;
  readonly withToken?: boolean;
  readonly clientId?: string;
  readonly scope?: string;
  readonly oidc?: boolean;
  readonly clientCert?: string;
  readonly clientKey?: string;
}

/** What is logged in with. */
export type Given =
  Exclude<Login, { kind: 'profile' }> | ({ readonly kind: 'person' } & PersonTokens);

/** Each question for a secret says who will get it. */
export async function askLogin(
  context: Context,
  options: LoginOptions,
  baseUrl: string,
): Promise<Given> {
  const { prompt } = context.world;
  if (options.oidc) return { kind: 'oidc', ...defined({ scope: options.scope }) };
  if (options.withToken) {
    return askToken(context, `API key or access token for ${baseUrl}:`);
  }
  if (options.clientId !== undefined) {
    return askClient(context, options.clientId, options.scope, baseUrl);
  }
  if (options.web || options.device) {
    return logInPerson(context, baseUrl, { way: options.web ? 'web' : 'device', ...options });
  }
  if (!context.flags.input) {
    throw new GovctlError('usage_error', 'No credentials given, and prompts are disabled', {
      hint: 'Use --web or --device, pipe an API key into `govctl auth login --with-token`, or pipe a client secret into `govctl auth login --client-id ID`. In a CI job, use --oidc.',
    });
  }
  const people = await waysOfPeople(context, baseUrl);
  const key = { name: 'an API key', value: 'key' } as const;
  const way = await prompt.select(`How do you want to log in to ${baseUrl}?`, [
    // A server on this machine has shown its key, and may have no users.
    ...(isLoopback(baseUrl) ? [key, ...people] : [...people, key]),
    { name: 'client credentials (ID and secret)', value: 'client' },
  ]);
  switch (way) {
    case 'web':
    case 'device':
      return logInPerson(context, baseUrl, { way, ...options });
    case 'key':
      return askToken(context, `API key for ${baseUrl}:`);
    case 'client':
      return askClient(context, await prompt.input('Client ID:'), options.scope, baseUrl);
  }
}

/** So that a second line is not taken for one by mistake. */
const signingSecretBegins = 'gss_';

/** Standard input may have the secret that requests are signed with on a second line. */
async function askToken(context: Context, question: string): Promise<Given> {
  const { flags, world } = context;
  if (flags.input) return { kind: 'token', token: await askSecret(context, question) };
  const text = await world.terminal.readStdin();
  const lines = text.trim().split(/\r?\n/);
  const [first = '', second] = lines;
  if (second?.startsWith(signingSecretBegins) !== true || lines.length > 2) {
    return { kind: 'token', token: checkToken(text, 'standard input') };
  }
  return {
    kind: 'token',
    token: checkToken(first, 'the first line of standard input'),
    signingSecret: checkToken(second, 'the second line of standard input'),
  };
}

async function askClient(
  context: Context,
  id: string,
  scope: string | undefined,
  baseUrl: string,
): Promise<Given> {
  const clientId = checkToken(id, 'the client ID');
  const clientSecret = await askSecret(context, `Client secret for ${baseUrl}:`);
  return { kind: 'client', clientId, clientSecret, ...(scope ? { scope } : {}) };
}

/** From the terminal without echo, else from standard input. */
async function askSecret({ flags, world }: Context, question: string): Promise<string> {
  if (flags.input) return checkToken(await world.prompt.secret(question), 'the entered value');
  return checkToken(await world.terminal.readStdin(), 'standard input');
}

import { defined } from '../../contract/defined.ts';
import { join } from 'node:path';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { connectAs } from '../objects/connect.ts';
import type { Context } from '../context.ts';
import { parseBaseUrl } from '../credentials/base-url.ts';
import { jobOf } from '../credentials/ci-token.ts';
import { configDir } from '../credentials/config-dir.ts';
import type { Login } from '../credentials/find-login.ts';
import { checkToken, trustRepoUrl } from '../credentials/find-login.ts';
import { probeKeychain, systemKeychain } from '../credentials/keychain.ts';
import type { Profile, Profiles, SecretPlace } from '../credentials/profiles.ts';
import {
  checkProfileName,
  defaultProfile,
  readProfiles,
  writeProfiles,
} from '../credentials/profiles.ts';
import type { Secrets } from '../credentials/secret-store.ts';
import type { TokenSource } from '../credentials/token-source.ts';
import { secretStoreOf, withToken } from '../credentials/token-source.ts';
import { shortKeyId } from '../credentials/trusted-key.ts';
import { projectBaseUrl } from '../objects/project-base-url.ts';
import { describeLogin, describePlace } from './describe-login.ts';
import { pinKey } from './pin-key.ts';
import { describeVerdict, verifyLogin } from './verify-login.ts';

export interface LoginOptions {
  readonly withToken?: boolean;
  readonly clientId?: string;
  readonly scope?: string;
  readonly oidc?: boolean;
}

/** What a person logs in with. */
type Given = Exclude<Login, { kind: 'profile' }>;

/** Asks for what was not given, tries it at the service, and only then keeps it. */
export async function runLogin(context: Context, options: LoginOptions): Promise<ExitCode> {
  const { world } = context;
  checkOptions(options);
  const folder = configDir(world.env);
  const profiles = await readProfiles(folder, context.warn);
  const name = checkProfileName(context.flags.profile ?? defaultProfile);
  const before = Object.hasOwn(profiles.profiles, name) ? profiles.profiles[name] : undefined;
  const baseUrl = await askBaseUrl(context, { before, oidc: options.oidc === true });
  const { given, client, tokens, verdict } = await tryLogin(
    context,
    baseUrl,
    await askLogin(context, options, baseUrl),
  );
  const pinned = await pinKey(context, client, baseUrl, before);
  const { scope, expiresAt } = tokens.last();
  const profile: Profile = {
    base_url: baseUrl,
    ...methodOf(given),
    stored_in:
      given.kind === 'oidc'
        ? 'job'
        : await choosePlace(context, join(folder, 'credentials', `${name}.json`)),
    logged_in_at: new Date(world.now()).toISOString(),
    ...defined({ server_key: pinned?.pem }),
  };
  const secrets = await secretsOf(context, given, tokens);
  await keepLogin(context, profiles, { name, profile, before, secrets });
  await context.show({
    value: {
      profile: name,
      ...profile,
      ...defined({ server_key_id: pinned?.id }),
      can_read_policies: verdict.reads,
      ...defined({ policies: verdict.policies, granted_scope: scope }),
      ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    },
    human: (style) =>
      `${style.green('Logged in')} to ${style.bold(baseUrl)} with ${describeLogin(profile)}: ${describeVerdict(verdict)}.\n` +
      `Profile "${name}", kept in ${placeOf(profile, join(folder, 'credentials', `${name}.json`))}.\n` +
      (pinned ? `Pinned the server's signing key ${shortKeyId(pinned.id)}.\n` : ''),
  });
  const variable = ['GOVCTL_TOKEN', 'GOVCTL_CLIENT_ID', 'GOVCTL_OIDC'].find(
    (one) => world.env[one],
  );
  if (variable !== undefined) {
    await context.warn(`${variable} is set and goes before this login.`);
  }
  return exitCodes.ok;
}

/** Asks for the secret of signatures once the service says that the key requires them. */
async function tryLogin(context: Context, baseUrl: string, given: Given) {
  const { client, tokens } = await connectAs(context, baseUrl, given);
  try {
    const verdict = await context.progress(`Asking ${baseUrl}`, () => verifyLogin(client));
    return { given, client, tokens, verdict };
  } catch (error) {
    const isUnsigned = error instanceof GovctlError && error.error === 'signature_required';
    if (!isUnsigned || given.kind !== 'token' || given.signingSecret !== undefined) throw error;
    if (!context.flags.input) {
      throw new GovctlError('signature_required', error.message, {
        hint: 'Pipe the API key and, on a second line, its signing secret into `govctl auth login --with-token`.',
      });
    }
    const secret = await context.world.prompt.secret(`Signing secret of the key for ${baseUrl}:`);
    const signingSecret = checkToken(secret, 'the answer');
    return tryLogin(context, baseUrl, { ...given, signingSecret });
  }
}

function methodOf(given: Given): Pick<Profile, 'method' | 'client_id' | 'scope' | 'signs'> {
  if (given.kind === 'token') {
    return { method: 'api_key', ...(given.signingSecret === undefined ? {} : { signs: true }) };
  }
  const scope = given.scope ? { scope: given.scope } : {};
  return given.kind === 'oidc'
    ? { method: 'oidc', ...scope }
    : { method: 'client_credentials', client_id: given.clientId, ...scope };
}

const placeOf = ({ stored_in: place }: Profile, file: string): string =>
  place === 'keychain' ? "the system's keychain" : place === 'job' ? describePlace.job : file;

async function secretsOf({ world }: Context, given: Given, tokens: TokenSource): Promise<Secrets> {
  switch (given.kind) {
    case 'token':
      return { secret: given.token, ...defined({ signing_secret: given.signingSecret }) };
    case 'client':
      return { secret: given.clientSecret };
    case 'oidc': {
      const value = await tokens.token();
      return withToken(defined({ job: jobOf(world.env) }), { value, ...tokens.last() });
    }
  }
}

function checkOptions({ withToken, clientId, scope, oidc }: LoginOptions): void {
  const ways = [
    withToken && '--with-token',
    clientId !== undefined && '--client-id',
    oidc && '--oidc',
  ].filter(Boolean);
  if (ways.length > 1) throw new GovctlError('usage_error', `Use either ${ways.join(' or ')}`);
  if (scope !== undefined && withToken) {
    throw new GovctlError('usage_error', '--scope is for a client: an API key has its scopes', {
      hint: 'Give --client-id with it, or leave it out.',
    });
  }
}

async function askBaseUrl(
  context: Context,
  { before, oidc }: { readonly before: Profile | undefined; readonly oidc: boolean },
): Promise<string> {
  const { flags, world } = context;
  if (flags.baseUrl !== undefined) return parseBaseUrl(flags.baseUrl, '--base-url');
  const repoUrl = before ? undefined : await projectBaseUrl(context);
  const preset = before
    ? parseBaseUrl(before.base_url, 'the profile')
    : repoUrl && parseBaseUrl(repoUrl.url, `${repoUrl.file}, base_url`);
  if (flags.input) {
    const from = repoUrl ? ` (${repoUrl.file} names this one)` : '';
    const answer = await world.prompt.input(`Address of the service${from}:`, preset);
    return parseBaseUrl(answer, 'the answer');
  }
  if (preset === undefined) {
    throw new GovctlError('usage_error', 'Which service to log in to is not said', {
      hint: 'Give --base-url URL.',
    });
  }
  const what = oidc ? 'The ID token of this job' : 'The credential from standard input';
  if (repoUrl) trustRepoUrl(context, what, repoUrl);
  await context.say(`Logging in to ${preset}`);
  return preset;
}

/** Each question for a secret says who will get it. */
async function askLogin(context: Context, options: LoginOptions, baseUrl: string): Promise<Given> {
  const { prompt } = context.world;
  if (options.oidc) return { kind: 'oidc', ...defined({ scope: options.scope }) };
  if (options.withToken) {
    return askToken(context, `API key or access token for ${baseUrl}:`);
  }
  if (options.clientId !== undefined) {
    return askClient(context, options.clientId, options.scope, baseUrl);
  }
  if (!context.flags.input) {
    throw new GovctlError(
      'usage_error',
      'What to log in with is not said, and nobody can be asked',
      {
        hint: 'Pipe an API key into `govctl auth login --with-token`, or a client secret into `--client-id ID`. CI jobs log in with --oidc.',
      },
    );
  }
  const method = await prompt.select(`Log in to ${baseUrl} with`, [
    { name: 'an API key', value: 'key' },
    { name: 'client credentials (id and secret)', value: 'client' },
  ]);
  if (method === 'key') {
    return askToken(context, `API key for ${baseUrl}:`);
  }
  return askClient(context, await prompt.input('Client id:'), options.scope, baseUrl);
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
  const clientId = checkToken(id, 'the client id');
  const clientSecret = await askSecret(context, `Client secret for ${baseUrl}:`);
  return { kind: 'client', clientId, clientSecret, ...(scope ? { scope } : {}) };
}

/** From the terminal without echo, else from standard input. */
async function askSecret({ flags, world }: Context, question: string): Promise<string> {
  if (flags.input) return checkToken(await world.prompt.secret(question), 'the answer');
  return checkToken(await world.terminal.readStdin(), 'standard input');
}

/** Characters of a reason that still fits into a line. */
const longestReason = 60;

/** The keychain where it works; else a file, and it is said why. */
async function choosePlace({ world, say }: Context, file: string): Promise<SecretPlace> {
  if (world.env.GOVCTL_KEYRING === 'off') return 'file';
  const why = await probeKeychain(world.keychain ?? systemKeychain());
  if (why === undefined) return 'keychain';
  // What a missing keychain service says fills lines and helps nobody.
  const reason = why.length <= longestReason ? ` (${why})` : '';
  await say(
    `There is no usable keychain${reason}; the login goes into ${file}, readable by you only.`,
  );
  return 'file';
}

interface NewLogin {
  readonly name: string;
  readonly profile: Profile;
  readonly before: Profile | undefined;
  readonly secrets: Secrets;
}

async function keepLogin(
  { world, warn }: Context,
  profiles: Profiles,
  { name, profile, before, secrets }: NewLogin,
): Promise<void> {
  await secretStoreOf(world, profile.stored_in, warn).write(name, secrets);
  const hasCurrent = Object.hasOwn(profiles.profiles, profiles.current);
  await writeProfiles(configDir(world.env), {
    ...profiles,
    current: hasCurrent ? profiles.current : name,
    profiles: { ...profiles.profiles, [name]: profile },
  });
  // What the profile had elsewhere would be left lying there.
  if (before === undefined || before.stored_in === profile.stored_in) return;
  try {
    await secretStoreOf(world, before.stored_in, warn).remove(name);
  } catch (error) {
    await warn(`The former login could not be removed: ${(error as Error).message}`);
  }
}

import { defined } from '../../contract/defined.ts';
import { join } from 'node:path';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { connectAs } from '../objects/connect.ts';
import type { Context } from '../context.ts';
import { parseBaseUrl } from '../credentials/base-url.ts';
import type { CertificateFiles } from '../credentials/client-certificate.ts';
import { bothOf, certificateFilesOf } from '../credentials/client-certificate.ts';
import { configDir } from '../credentials/config-dir.ts';
import type { Login } from '../credentials/find-login.ts';
import { checkToken, trustRepoUrl } from '../credentials/find-login.ts';
import type { Profile, Profiles } from '../credentials/profiles.ts';
import { checkProfileName, defaultProfile, readProfiles } from '../credentials/profiles.ts';
import { shortKeyId } from '../credentials/trusted-key.ts';
import { parseScope } from '../flags/parse-words.ts';
import { projectBaseUrl } from '../objects/project-base-url.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import { describeLogin, describePlace } from './describe-login.ts';
import { pinKey } from './pin-key.ts';
import type { Given, LoginOptions } from './ask-login.ts';
import { askLogin } from './ask-login.ts';
import { choosePlace, keepLogin, methodOf, secretsOf } from './keep-login.ts';
import { revokeLogin } from './person/revoke-login.ts';
import { describePerson, describeVerdict, verifyLogin } from './verify-login.ts';

/** Asks for what was not given, tries it at the service, and only then keeps it. */
export async function runLogin(given: Context, typed: LoginOptions): Promise<ExitCode> {
  const { world } = given;
  checkOptions(typed);
  const { scope: asking } = typed;
  const options = asking === undefined ? typed : { ...typed, scope: parseScope('--scope', asking) };
  const folder = configDir(world.env);
  const profiles = await readProfiles(folder, given.warn);
  const name = checkProfileName(given.flags.profile ?? defaultProfile);
  const before = Object.hasOwn(profiles.profiles, name) ? profiles.profiles[name] : undefined;
  const baseUrl = await askBaseUrl(given, before, options);
  const { context, certificate } = withCertificate(
    given,
    options,
    before?.base_url === baseUrl ? before : {},
  );
  const asked = await askLogin(context, options, baseUrl);
  const { profile, verdict, pinned, scope, expiresAt } = await tryAndKeep(context, asked, {
    name,
    before,
    baseUrl,
    profiles,
    certificate,
  }).catch(async (error: unknown) => {
    // Nobody has its tokens any more; where that can't be told, they end by themselves.
    if (asked.kind === 'person') {
      await revokeLogin(
        context,
        { base_url: baseUrl },
        { ...asked, accessToken: asked.value },
      ).catch(() => undefined);
    }
    throw error;
  });
  const user = verdict.me?.user;
  const who =
    profile.method === 'person'
      ? `as ${user ? describePerson(user) : describeLogin(profile)}`
      : `with ${describeLogin(profile)}`;
  await context.show({
    value: {
      profile: name,
      ...profile,
      ...defined({ server_key_id: pinned?.id }),
      can_read_policies: verdict.reads,
      ...defined({ policies: verdict.policies, granted_scope: scope, user }),
      ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    },
    human: (style, columns) =>
      [
        `${style.green('Logged in')} to ${style.bold(baseUrl)} ${who}: ${describeVerdict(verdict)}.`,
        `Profile "${name}", stored in ${placeOf(profile, fileOf(folder, name))}.`,
        ...(pinned ? [`Pinned the server's signing key ${shortKeyId(pinned.id)}.`] : []),
      ]
        .map((line) => `${wrapWords(line, columns)}\n`)
        .join(''),
  });
  const variable = ['GOVCTL_TOKEN', 'GOVCTL_CLIENT_ID', 'GOVCTL_OIDC'].find(
    (one) => world.env[one],
  );
  if (variable !== undefined) {
    await context.warn(`${variable} is set and overrides this login.`);
  }
  return exitCodes.ok;
}

/** Where the secrets of a profile are that are in no keychain. */
const fileOf = (folder: string, name: string): string =>
  join(folder, 'credentials', `${name}.json`);

const placeOf = ({ stored_in: place }: Profile, file: string): string =>
  place === 'keychain' ? 'the system keychain' : place === 'job' ? describePlace.job : file;

/**
 * The context whose requests show the client certificate of the flags, of the environment, or of the former login to the same
 * service, and the one to keep: that of the environment is not.
 */
function withCertificate(
  context: Context,
  { clientCert: cert, clientKey: key }: LoginOptions,
  former: Pick<Profile, 'client_cert' | 'client_key'>,
): { readonly context: Context; readonly certificate: CertificateFiles | undefined } {
  const { world } = context;
  const { cwd, env } = world;
  const given = bothOf(cwd, { cert, key }, { cert: '--client-cert', key: '--client-key' });
  const certificate = given ?? certificateFilesOf({ cwd, env: {} }, former);
  const shown = given ?? certificateFilesOf(world, former);
  if (!shown) return { context, certificate };
  const variables = { GOVCTL_CLIENT_CERT: shown.cert, GOVCTL_CLIENT_KEY: shown.key };
  return {
    context: { ...context, world: { ...world, env: { ...env, ...variables } } },
    certificate,
  };
}

interface Place {
  readonly certificate: CertificateFiles | undefined;
  readonly name: string;
  readonly before: Profile | undefined;
  readonly baseUrl: string;
  readonly profiles: Profiles;
}

async function tryAndKeep(
  context: Context,
  asked: Given,
  { name, before, baseUrl, profiles, certificate }: Place,
) {
  const { world } = context;
  const { given, client, tokens, verdict } = await tryLogin(context, baseUrl, asked);
  const pinned = await pinKey(context, client, baseUrl, before);
  const { scope, expiresAt } = given.kind === 'person' ? given : tokens.last();
  const profile: Profile = {
    base_url: baseUrl,
    ...methodOf(given, verdict.me?.user?.email),
    stored_in:
      given.kind === 'oidc'
        ? 'job'
        : await choosePlace(context, fileOf(configDir(world.env), name)),
    logged_in_at: new Date(world.now()).toISOString(),
    ...defined({
      client_cert: certificate?.cert,
      client_key: certificate?.key,
      server_key: pinned?.pem,
    }),
  };
  const secrets = await secretsOf(context, given, { baseUrl, tokens });
  await keepLogin(context, profiles, { name, profile, before, secrets });
  return { profile, verdict, pinned, scope, expiresAt };
}

/** Asks for the secret of signatures once the service says that the key requires them. */
async function tryLogin(context: Context, baseUrl: string, given: Given) {
  const login: Login = given.kind === 'person' ? { kind: 'token', token: given.value } : given;
  const { client, tokens } = await connectAs(context, baseUrl, login);
  try {
    const verdict = await context.progress(`Verifying the login with ${baseUrl}`, () =>
      verifyLogin(client),
    );
    return { given, client, tokens, verdict };
  } catch (error) {
    const isUnsigned = error instanceof GovctlError && error.error === 'signature_required';
    if (!isUnsigned || given.kind !== 'token' || given.signingSecret !== undefined) throw error;
    if (!context.flags.input) {
      throw new GovctlError('signature_required', error.message, {
        hint: 'Pipe the API key and, on a second line, its signing secret into `govctl auth login --with-token`.',
      });
    }
    const secret = await context.world.prompt.secret(
      `Signing secret of the API key for ${baseUrl}:`,
    );
    const signingSecret = checkToken(secret, 'the entered secret');
    return tryLogin(context, baseUrl, { ...given, signingSecret });
  }
}

function checkOptions({ web, device, withToken, clientId, scope, oidc }: LoginOptions): void {
  const ways = [
    web && '--web',
    device && '--device',
    withToken && '--with-token',
    clientId !== undefined && '--client-id',
    oidc && '--oidc',
  ].filter(Boolean);
  if (ways.length > 1) throw new GovctlError('usage_error', `Use either ${ways.join(' or ')}`);
  if (scope !== undefined && withToken) {
    throw new GovctlError(
      'usage_error',
      '--scope does not apply to API keys, whose scopes are fixed',
      {
        hint: 'Omit --scope, or use --client-id, --web or --device.',
      },
    );
  }
}

async function askBaseUrl(
  context: Context,
  before: Profile | undefined,
  { web, device, oidc }: LoginOptions,
): Promise<string> {
  const { flags, world } = context;
  if (flags.baseUrl !== undefined) return parseBaseUrl(flags.baseUrl, '--base-url');
  const repoUrl = before ? undefined : await projectBaseUrl(context);
  const preset = before
    ? parseBaseUrl(before.base_url, 'the profile')
    : repoUrl && parseBaseUrl(repoUrl.url, `${repoUrl.file}, base_url`);
  if (flags.input) {
    const from = repoUrl ? ` (from ${repoUrl.file})` : '';
    const answer = await world.prompt.input(`URL of the service${from}:`, preset);
    return parseBaseUrl(answer, 'the entered URL');
  }
  if (preset === undefined) {
    throw new GovctlError('usage_error', 'No service given', {
      hint: 'Pass --base-url URL.',
    });
  }
  if (repoUrl) {
    const what = oidc
      ? 'The ID token of this CI job'
      : web || device
        ? 'Your login'
        : 'The credential from standard input';
    trustRepoUrl(context, what, repoUrl);
  }
  await context.say(`Logging in to ${preset}`);
  return preset;
}

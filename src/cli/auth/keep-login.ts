import { defined } from '../../contract/defined.ts';
import type { Context } from '../context.ts';
import { jobOf } from '../credentials/ci-token.ts';
import { configDir } from '../credentials/config-dir.ts';
import { probeKeychain, systemKeychain } from '../credentials/keychain.ts';
import { withLoginLock } from '../credentials/login-lock.ts';
import type { Profile, Profiles, SecretPlace } from '../credentials/profiles.ts';
import { writeProfiles } from '../credentials/profiles.ts';
import type { Secrets } from '../credentials/secret-store.ts';
import { readSecrets, secretStoreOf, withToken } from '../credentials/secret-store.ts';
import type { TokenSource } from '../credentials/token-source.ts';
import type { Given } from './ask-login.ts';
import { revokeLogin } from './person/revoke-login.ts';

/** What the profile says of how it logs in. */
export function methodOf(
  given: Given,
  email: string | undefined,
): Pick<Profile, 'method' | 'client_id' | 'scope' | 'email' | 'signs'> {
  switch (given.kind) {
    case 'token':
      return { method: 'api_key', ...(given.signingSecret === undefined ? {} : { signs: true }) };
    case 'person':
      return { method: 'person', ...defined({ email }) };
    case 'oidc':
      return { method: 'oidc', ...scopeOf(given) };
    case 'client':
      return { method: 'client_credentials', client_id: given.clientId, ...scopeOf(given) };
  }
}

const scopeOf = ({ scope }: { readonly scope?: string }): { scope?: string } =>
  scope ? { scope } : {};

export async function secretsOf(
  { world }: Context,
  given: Given,
  { baseUrl, tokens }: { readonly baseUrl: string; readonly tokens: TokenSource },
): Promise<Secrets> {
  const base = { base_url: baseUrl };
  switch (given.kind) {
    case 'token':
      return { ...base, secret: given.token, ...defined({ signing_secret: given.signingSecret }) };
    case 'client':
      return { ...base, secret: given.clientSecret };
    case 'person':
      return withToken({ ...base, secret: given.refreshToken }, given);
    case 'oidc': {
      const value = await tokens.token();
      const job = defined({ job: jobOf(world.env) });
      return withToken({ ...base, ...job }, { value, ...tokens.last() });
    }
  }
}

/** Characters of a reason that still fits into a line. */
const longestReason = 60;

/** The keychain where it works; else a file, and it is said why. */
export async function choosePlace({ world, say }: Context, file: string): Promise<SecretPlace> {
  if (world.env.GOVCTL_KEYRING === 'off') return 'file';
  const why = await probeKeychain(world.keychain ?? systemKeychain());
  if (why === undefined) return 'keychain';
  // What a missing keychain service says fills lines and helps nobody.
  const reason = why.length <= longestReason ? ` (${why})` : '';
  await say(`No usable keychain${reason}; storing the login in ${file}, which only you can read.`);
  return 'file';
}

interface NewLogin {
  readonly name: string;
  readonly profile: Profile;
  readonly before: Profile | undefined;
  readonly secrets: Secrets;
}

export async function keepLogin(
  context: Context,
  profiles: Profiles,
  { name, profile, before, secrets }: NewLogin,
): Promise<void> {
  const { world, warn } = context;
  // A command that refreshes the former login must not put it in place of this one.
  const former = await withLoginLock(world, name, warn, async () => {
    const replaced = await formerPerson(context, name, before);
    await secretStoreOf(world, profile.stored_in, warn).write(name, secrets);
    return replaced;
  });
  const hasCurrent = Object.hasOwn(profiles.profiles, profiles.current);
  await writeProfiles(configDir(world.env), {
    ...profiles,
    current: hasCurrent ? profiles.current : name,
    profiles: { ...profiles.profiles, [name]: profile },
  });
  // It would be good at the service for weeks, and nobody could end it.
  if (before && former?.secret !== undefined) {
    await revokeLogin(context, before, { refreshToken: former.secret }).catch(() => undefined);
  }
  // What the profile had elsewhere would be left lying there.
  if (before === undefined || before.stored_in === profile.stored_in) return;
  try {
    await secretStoreOf(world, before.stored_in, warn).remove(name);
  } catch (error) {
    await warn(`The previous login could not be deleted: ${(error as Error).message}`);
  }
}

/** What a new login of a person replaces; undefined: there is none, or it can't be read. */
async function formerPerson(
  { world, warn }: Context,
  name: string,
  before: Profile | undefined,
): Promise<Secrets | undefined> {
  if (before?.method !== 'person') return undefined;
  try {
    return await readSecrets(secretStoreOf(world, before.stored_in, warn), name, before);
  } catch {
    return undefined;
  }
}

import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { configDir } from '../credentials/config-dir.ts';
import type { Profile } from '../credentials/profiles.ts';
import {
  defaultProfile,
  profileNamed,
  readProfiles,
  writeProfiles,
} from '../credentials/profiles.ts';
import { withLoginLock } from '../credentials/login-lock.ts';
import { readSecrets, secretIn, secretStoreOf, tokenOfJob } from '../credentials/secret-store.ts';
import { revokeLogin } from './person/revoke-login.ts';

export interface LogoutOptions {
  readonly all?: boolean;
}

/** Ends the logins of people and CI jobs at their service and forgets all of them here; keys and clients stay valid at the service. */
export async function runLogout(context: Context, options: LogoutOptions): Promise<ExitCode> {
  const folder = configDir(context.world.env);
  const profiles = await readProfiles(folder, context.warn);
  const all = Object.keys(profiles.profiles);
  const names = options.all ? all : [context.flags.profile ?? profiles.current];
  if (all.length === 0) throw new GovctlError('not_logged_in', 'No login profiles');
  const going = names.map((name) => ({ name, profile: profileNamed(profiles, name) }));
  const ended: Ended[] = [];
  for (const { name, profile } of going) ended.push(await endLogin(context, name, profile));
  const left = Object.fromEntries(
    Object.entries(profiles.profiles).filter(([name]) => !names.includes(name)),
  );
  const current = Object.hasOwn(left, profiles.current)
    ? profiles.current
    : (Object.keys(left)[0] ?? defaultProfile);
  await writeProfiles(folder, { ...profiles, current, profiles: left });
  await context.show({
    value: { logged_out: names, revoked: names.filter((_, i) => ended[i]?.isRevoked) },
    human: () =>
      going
        .map(({ name, profile }) => `Logged out of ${profile.base_url} (profile "${name}").\n`)
        .join(''),
  });
  if (going.some(({ profile }) => !endsAtService(profile))) {
    await context.say('The API key remains valid. To revoke it, run `govctl api-key revoke`.');
  }
  return ended.some(({ isLeft }) => isLeft) ? exitCodes.error : exitCodes.ok;
}

/** Of a person or a CI job: what the service gave it is of no use to anybody after the logout. */
const endsAtService = ({ method }: Profile): boolean => method === 'person' || method === 'oidc';

interface Ended {
  /** The service has ended it; undefined: there was nothing to end. */
  readonly isRevoked: boolean | undefined;
  /** Something of it is left, here or at the service, and was said. */
  readonly isLeft: boolean;
}

/** No command may refresh a login between its end at the service and here. */
const endLogin = (context: Context, name: string, profile: Profile): Promise<Ended> =>
  withLoginLock(context.world, name, context.warn, async () => {
    const isRevoked = endsAtService(profile) ? await revoke(context, name, profile) : undefined;
    const isRemoved = await removeSecrets(context, name, profile);
    return { isRevoked, isLeft: !isRemoved || isRevoked === false };
  });

/** @returns as `isRevoked` */
async function revoke(
  context: Context,
  name: string,
  profile: Profile,
): Promise<boolean | undefined> {
  const { world, warn } = context;
  try {
    const store = secretStoreOf(world, profile.stored_in, warn);
    if (profile.method === 'oidc') {
      const token = tokenOfJob(await store.read(name), profile, world.env);
      if (!token) return undefined;
      await revokeLogin(context, profile, { accessToken: token.value });
      return true;
    }
    const { secret, token } = await readSecrets(store, name, profile);
    await revokeLogin(context, profile, {
      refreshToken: secretIn({ secret }, name),
      accessToken: token?.value,
    });
    return true;
  } catch (error) {
    if (!(error instanceof GovctlError)) throw error;
    const hint =
      profile.method === 'oidc'
        ? ''
        : ` An admin can run \`govctl user revoke ${profile.email ?? 'EMAIL'}\`.`;
    await warn(
      `The login could not be revoked at ${profile.base_url}: ${error.message}. Copies of the login remain valid until it expires.${hint}`,
    );
    return false;
  }
}

/** @returns false where a secret could not be removed, which is said */
async function removeSecrets(
  { world, warn }: Context,
  name: string,
  profile: Profile,
): Promise<boolean> {
  // A file may be left of an earlier login; the keychain is asked only where something was put there.
  await secretStoreOf(world, 'file', warn).remove(name);
  if (profile.stored_in === 'file') return true;
  try {
    await secretStoreOf(world, profile.stored_in, warn).remove(name);
    return true;
  } catch (error) {
    await warn(
      `${(error as Error).message} Delete the keychain entry "govctl", account "profile:${name}", manually.`,
    );
    return false;
  }
}

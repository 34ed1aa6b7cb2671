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
import { secretStoreOf } from '../credentials/token-source.ts';

export interface LogoutOptions {
  readonly all?: boolean;
}

/** Forgets logins here; the keys themselves stay valid at the service. */
export async function runLogout(context: Context, options: LogoutOptions): Promise<ExitCode> {
  const folder = configDir(context.world.env);
  const profiles = await readProfiles(folder, context.warn);
  const names = options.all
    ? Object.keys(profiles.profiles)
    : [context.flags.profile ?? profiles.current];
  if (names.length === 0) throw new GovctlError('not_logged_in', 'There is no login to forget');
  const going = names.map((name) => ({ name, profile: profileNamed(profiles, name) }));
  const kept = [];
  for (const { name, profile } of going)
    kept.push(...(await removeSecrets(context, name, profile)));
  const left = Object.fromEntries(
    Object.entries(profiles.profiles).filter(([name]) => !names.includes(name)),
  );
  const current = Object.hasOwn(left, profiles.current)
    ? profiles.current
    : (Object.keys(left)[0] ?? defaultProfile);
  await writeProfiles(folder, { ...profiles, current, profiles: left });
  await context.show({
    value: { logged_out: names },
    human: () =>
      going
        .map(({ name, profile }) => `Logged out of ${profile.base_url} (profile "${name}").\n`)
        .join(''),
  });
  await context.say('The key stays valid at the service until it is revoked there.');
  return kept.length > 0 ? exitCodes.error : exitCodes.ok;
}

/** Gives the name back where its secret could not be removed, and says so. */
async function removeSecrets(
  { world, warn }: Context,
  name: string,
  profile: Profile,
): Promise<string[]> {
  // A file may be left of an earlier login; the keychain is asked only where something was put there.
  await secretStoreOf(world, 'file', warn).remove(name);
  if (profile.stored_in === 'file') return [];
  try {
    await secretStoreOf(world, profile.stored_in, warn).remove(name);
    return [];
  } catch (error) {
    await warn(
      `${(error as Error).message} Remove the entry "govctl", account "profile:${name}", there yourself.`,
    );
    return [name];
  }
}

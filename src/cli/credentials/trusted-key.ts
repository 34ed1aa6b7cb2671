import type { KeyObject } from 'node:crypto';
import { GovctlError } from '../../contract/errors.ts';
import { keyIdOf, readPublicKey } from '../../report/sign/public-key.ts';
import type { Context } from '../context.ts';
import { readInputFile } from '../flags/input-file.ts';
import { parseBaseUrl } from './base-url.ts';
import { configDir } from './config-dir.ts';
import { ownBaseUrl } from './find-login.ts';
import type { Profile } from './profiles.ts';
import { profileNamed, readProfiles } from './profiles.ts';

/** The key that must have signed. */
export interface TrustedKey {
  readonly id: string;
  readonly key: KeyObject;
  /** Where it was pinned at login; absent: it was given with --key. */
  readonly pinned?: { readonly profile: string; readonly base_url: string };
}

/** Enough of an ID for people to compare. */
export const shortKeyId = (id: string): string => `${id.slice(0, 16)}…`;

/**
 * The key of --key, else the one that was pinned at the login to a service: the given one, or the one that the user names
 * by --profile, --base-url or the environment. Files of the repo are ignored: they must not choose whom to trust. Makes no request.
 * @param baseUrl of the service
 * @throws GovctlError invalid_file, usage_error, not_logged_in for a profile that does not exist
 */
export async function findTrustedKey(
  context: Context,
  file: string | undefined,
  baseUrl?: string,
): Promise<TrustedKey | undefined> {
  if (file !== undefined) return readKeyFile(context, file);
  const pinned = await pinnedProfile(context, baseUrl);
  if (pinned?.profile.server_key === undefined) return undefined;
  const { name, profile } = pinned;
  const key = readPublicKey(profile.server_key ?? '');
  if (key) return { id: keyIdOf(key), key, pinned: { profile: name, base_url: profile.base_url } };
  throw new GovctlError(
    'invalid_file',
    `The key pinned in profile "${name}" is not an Ed25519 public key`,
    { hint: 'Log in again with `govctl auth login`, or pass --key FILE.' },
  );
}

async function pinnedProfile(
  context: Context,
  baseUrl: string | undefined,
): Promise<{ readonly name: string; readonly profile: Profile } | undefined> {
  const profiles = await readProfiles(configDir(context.world.env), context.warn);
  const wanted = context.flags.profile;
  const address = baseUrl ?? ownBaseUrl(context);
  if (wanted !== undefined) {
    const profile = profileNamed(profiles, wanted);
    return isAt(profile, address) ? { name: wanted, profile } : undefined;
  }
  const found = Object.entries(profiles.profiles)
    .map(([name, profile]) => ({ name, profile }))
    .filter(({ profile }) => isAt(profile, address));
  const current = found.find(({ name }) => name === profiles.current);
  if (current || address === undefined) return current;
  return found.find(({ profile }) => profile.server_key !== undefined);
}

/** Whether a profile is for this very address: another path may be another server. */
const isAt = ({ base_url: known }: Profile, address: string | undefined): boolean =>
  address === undefined || parseBaseUrl(known, 'the profile') === address;

async function readKeyFile({ world }: Context, file: string): Promise<TrustedKey> {
  const key = readPublicKey(await readInputFile(world, file));
  if (key) return { id: keyIdOf(key), key };
  throw new GovctlError('invalid_file', `${file} is not an Ed25519 public key in PEM format`, {
    hint: 'Use the `key.public_key` that `govctl api GET /v1/compliance/evidence/key` printed for a server you trust.',
  });
}

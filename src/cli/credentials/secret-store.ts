import { join } from 'node:path';
import * as z from 'zod';
import { GovctlError } from '../../contract/errors.ts';
import type { World } from '../context.ts';
import { defined } from '../../contract/defined.ts';
import { jobOf } from './ci-token.ts';
import { configDir } from './config-dir.ts';
import type { AccessToken } from './exchange-token.ts';
import type { Keychain } from './keychain.ts';
import { systemKeychain } from './keychain.ts';
import type { Warn } from './private-file.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from './private-file.ts';
import type { Profile, SecretPlace } from './profiles.ts';

/** What a profile must keep to itself. */
export const Secrets = z.strictObject({
  /** The API key, the secret of the client, or the refresh token of a person; a CI job has none. */
  secret: z.string().optional(),
  /** What requests with the key are signed with, where it requires that. */
  signing_secret: z.string().optional(),
  /** The service that it is for, which is the only one that gets it. */
  base_url: z.string().optional(),
  /** The CI job that the token is for: none after it may use it. */
  job: z.string().optional(),
  /** The last access token got for it, or for the ID token of a CI job. */
  token: z
    .strictObject({ value: z.string(), expires_at: z.string(), scope: z.string().optional() })
    .optional(),
});
export type Secrets = z.infer<typeof Secrets>;

/** One place for secrets, a record for each profile. */
export interface SecretStore {
  readonly place: SecretPlace;
  /** @throws GovctlError when it can't be read; undefined when there is none */
  read(profile: string): Promise<Secrets | undefined>;
  write(profile: string, secrets: Secrets): Promise<void>;
  remove(profile: string): Promise<boolean>;
}

/** @throws GovctlError not_logged_in for a login in the keychain while GOVCTL_KEYRING=off keeps us from it */
export function secretStoreOf(
  world: Pick<World, 'env' | 'keychain'>,
  place: SecretPlace,
  warn: Warn,
): SecretStore {
  if (place === 'file') return fileStore(configDir(world.env), warn);
  if (place === 'job') return { ...fileStore(jobDir(world.env), warn), place };
  if (world.env.GOVCTL_KEYRING !== 'off') return keychainStore(world.keychain ?? systemKeychain());
  throw new GovctlError(
    'not_logged_in',
    'The login is stored in the keychain, but GOVCTL_KEYRING=off disables it',
    { hint: 'Unset GOVCTL_KEYRING, or run `govctl auth login` to store the login in a file.' },
  );
}

/** GitHub's runners remove this folder at the end of a job. */
const jobDir = (env: NodeJS.ProcessEnv): string =>
  env.RUNNER_TEMP ? join(env.RUNNER_TEMP, 'govctl') : configDir(env);

/** @throws GovctlError not_logged_in when they are gone, or were replaced by those of a login elsewhere */
export async function readSecrets(
  store: SecretStore,
  name: string,
  profile: Profile,
): Promise<Secrets> {
  const secrets = await store.read(name);
  if (!secrets) throw gone(name, store.place === 'keychain' ? 'the keychain' : 'its file');
  if (secrets.base_url === undefined || secrets.base_url === profile.base_url) return secrets;
  throw new GovctlError(
    'not_logged_in',
    `The login of profile "${name}" is for ${secrets.base_url}; it is not sent to ${profile.base_url}`,
    { hint: `Run the command again, or log in with \`govctl auth login --profile ${name}\`.` },
  );
}

/** @throws GovctlError not_logged_in where there is none */
export function secretIn({ secret }: Secrets, name: string): string {
  if (secret !== undefined) return secret;
  throw gone(name, 'its store');
}

const gone = (name: string, place: string): GovctlError =>
  new GovctlError(
    'not_logged_in',
    `Profile "${name}" exists, but its login is missing from ${place}`,
    { hint: `Log in again with \`govctl auth login --profile ${name}\`.` },
  );

/** The access token that was kept, if any. */
export function keptToken({ token }: Secrets): AccessToken | undefined {
  if (!token) return undefined;
  const { value, scope } = token;
  const expiresAt = Date.parse(token.expires_at);
  if (Number.isNaN(expiresAt)) return undefined;
  return { value, expiresAt, ...defined({ scope }) };
}

/** The access token that was kept for this CI job and service; what another job left on the same machine is not used. */
export function tokenOfJob(
  secrets: Secrets | undefined,
  { base_url }: Profile,
  env: NodeJS.ProcessEnv,
): AccessToken | undefined {
  const isOurs = secrets?.base_url === base_url && secrets.job === jobOf(env);
  return isOurs ? keptToken(secrets) : undefined;
}

/** Secrets with this access token in place of the former one. */
export function withToken(
  { secret, signing_secret, base_url, job }: Secrets,
  { value, expiresAt, scope }: AccessToken,
): Secrets {
  const own = defined({ secret, signing_secret, base_url, job });
  // Without an end it could be kept for ever, and without a job for one that is not known.
  if (expiresAt === undefined || (secret ?? job) === undefined) return own;
  return {
    ...own,
    token: { value, expires_at: new Date(expiresAt).toISOString(), ...defined({ scope }) },
  };
}

/** In the operating system's keychain. */
function keychainStore(keychain: Keychain): SecretStore {
  // Accounts are prefixed so that no profile's name can meet the probe's.
  const account = (profile: string): string => `profile:${profile}`;
  return {
    place: 'keychain',
    read: async (profile) =>
      parseSecrets(await asking(keychain.read(account(profile))), 'the keychain'),
    write: (profile, secrets) => asking(keychain.write(account(profile), JSON.stringify(secrets))),
    remove: (profile) => asking(keychain.remove(account(profile))),
  };
}

/** One 0600 file for each profile, so that two commands at once never write the same file for different logins. */
function fileStore(folder: string, warn: Warn): SecretStore {
  const file = (profile: string): string => join(folder, 'credentials', `${profile}.json`);
  return {
    place: 'file',
    read: async (profile) =>
      parseSecrets((await readPrivateFile(file(profile), warn)) ?? null, file(profile)),
    write: (profile, secrets) =>
      writePrivateFile(file(profile), `${JSON.stringify(secrets, null, 2)}\n`),
    remove: (profile) => removePrivateFile(file(profile)),
  };
}

async function asking<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new GovctlError(
      'not_logged_in',
      `The keychain that contains the login cannot be used: ${(cause as Error).message}`,
      {
        cause,
        hint: 'Unlock the keychain, set GOVCTL_TOKEN, or log in again with GOVCTL_KEYRING=off to store the login in a file.',
      },
    );
  }
}

function parseSecrets(text: string | null, where: string): Secrets | undefined {
  if (text === null) return undefined;
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    given = undefined;
  }
  const parsed = Secrets.safeParse(given);
  if (parsed.success) return parsed.data;
  // What is in there is not repeated: it may be a secret all the same.
  throw new GovctlError('invalid_file', `The login in ${where} was not written by govctl`, {
    hint: 'Log in again with `govctl auth login`.',
  });
}

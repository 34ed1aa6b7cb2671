import { join } from 'node:path';
import * as z from 'zod';
import { GovctlError } from '../../contract/errors.ts';
import type { Keychain } from './keychain.ts';
import type { Warn } from './private-file.ts';
import { readPrivateFile, removePrivateFile, writePrivateFile } from './private-file.ts';
import type { SecretPlace } from './profiles.ts';

/** What a profile must keep to itself. */
export const Secrets = z.strictObject({
  /** The API key, or the secret of the client; a CI job has none. */
  secret: z.string().optional(),
  /** What requests with the key are signed with, where it requires that. */
  signing_secret: z.string().optional(),
  /** The CI job that the token is for: none after it may use it. */
  job: z.string().optional(),
  /** The last token got for a client's secret, or for the ID token of a CI job. */
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

/** In the operating system's keychain. */
export function keychainStore(keychain: Keychain): SecretStore {
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
export function fileStore(folder: string, warn: Warn): SecretStore {
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
      `The keychain that holds the login can't be used: ${(cause as Error).message}`,
      {
        cause,
        hint: 'Unlock it; or log in again with GOVCTL_KEYRING=off, which keeps the login in a file; or set GOVCTL_TOKEN.',
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
  throw new GovctlError('invalid_file', `The login in ${where} is not one that govctl wrote`, {
    hint: 'Log in again with `govctl auth login`.',
  });
}

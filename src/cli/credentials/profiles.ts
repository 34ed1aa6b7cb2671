import { join } from 'node:path';
import * as z from 'zod';
import { GovctlError } from '../../contract/errors.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import { nearestWord } from '../../contract/nearest.ts';
import type { Warn } from './private-file.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

/** `oidc`: the ID token of the CI job that a command runs in. */
const loginMethods = ['api_key', 'client_credentials', 'oidc', 'person'] as const;

/** `job`: where files of a CI job are, which its runner removes. */
const secretPlaces = ['keychain', 'file', 'job'] as const;
export type SecretPlace = (typeof secretPlaces)[number];

/** What is known of a login, without its secrets. */
export const Profile = z.strictObject({
  base_url: z.string().refine(URL.canParse, 'must be a URL'),
  method: z.enum(loginMethods),
  client_id: z.string().optional(),
  /** Of the person who logged in. */
  email: z.string().optional(),
  /** Asked of the token endpoint; space-separated. */
  scope: z.string().optional(),
  /** Requests are signed, with a secret that is kept beside the key. */
  signs: z.boolean().optional(),
  /** Paths of the PEM files that a service which requires client certificates is shown. */
  client_cert: z.string().optional(),
  client_key: z.string().optional(),
  stored_in: z.enum(secretPlaces),
  logged_in_at: z.string(),
  /** PEM of the key that the service signs evidence and its audit log with, as it was at the first login. */
  server_key: z.string().optional(),
});
export type Profile = z.infer<typeof Profile>;

export const Profiles = z.strictObject({
  format_version: z.literal(1),
  /** The profile of commands that name none. */
  current: z.string(),
  profiles: z.record(z.string(), Profile),
});
export type Profiles = z.infer<typeof Profiles>;

export const defaultProfile = 'default';

const fileName = 'profiles.json';

/** Lower case only, as some file systems and keychains don't tell case apart. */
const profileName = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const isProfileName = (name: string): boolean => profileName.test(name);

/** @throws GovctlError usage_error */
export function checkProfileName(name: string): string {
  if (isProfileName(name)) return name;
  throw new GovctlError('usage_error', `"${name}" is not a valid profile name`, {
    hint: 'Use up to 64 lowercase letters, digits, ".", "_" and "-", beginning with a letter or digit.',
  });
}

const mend = 'Fix the file, or delete it and run `govctl auth login`.';

/** @throws GovctlError invalid_file when the file is not what govctl writes */
export async function readProfiles(folder: string, warn: Warn): Promise<Profiles> {
  const file = join(folder, fileName);
  const text = await readPrivateFile(file, warn);
  if (text === undefined) return { format_version: 1, current: defaultProfile, profiles: {} };
  const value = parseJson(text);
  if (value === undefined) {
    throw new GovctlError('invalid_file', `${file} is not valid JSON`, { hint: mend });
  }
  const parsed = parseToFirstIssue(Profiles, value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new GovctlError(
    'invalid_file',
    `${file} is not a valid profiles file: ${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not valid'}`,
    { hint: mend },
  );
}

export const writeProfiles = (folder: string, profiles: Profiles): Promise<void> =>
  writePrivateFile(join(folder, fileName), `${JSON.stringify(profiles, null, 2)}\n`);

/** @throws GovctlError not_logged_in when there is no such profile */
export function profileNamed(profiles: Profiles, name: string): Profile {
  checkProfileName(name);
  const profile = Object.hasOwn(profiles.profiles, name) ? profiles.profiles[name] : undefined;
  if (profile) return profile;
  const names = Object.keys(profiles.profiles);
  const nearest = nearestWord(name, names);
  throw new GovctlError('not_logged_in', `No login profile "${name}"`, {
    hint: nearest
      ? `Did you mean --profile ${nearest}? To create the profile, run \`govctl auth login --profile ${name}\`.`
      : `To create the profile, run \`govctl auth login --profile ${name}\`${names.length > 0 ? `; existing profiles: ${names.join(', ')}` : ''}.`,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

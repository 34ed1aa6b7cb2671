import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { covers, parseBaseUrl, sameOrigin } from './base-url.ts';
import { configDir } from './config-dir.ts';
import type { ClientCredentials } from './exchange-token.ts';
import type { Profile, Profiles } from './profiles.ts';
import { profileNamed, readProfiles } from './profiles.ts';

/** Whose word the service takes. */
export type Login =
  | {
      readonly kind: 'token';
      readonly token: string;
      /** What its requests are signed with. */
      readonly signingSecret?: string;
    }
  | ({ readonly kind: 'client' } & ClientCredentials)
  | { readonly kind: 'oidc'; readonly scope?: string }
  | { readonly kind: 'profile'; readonly name: string; readonly profile: Profile };

export const profileOf = (login: Login | undefined): Profile | undefined =>
  login?.kind === 'profile' ? login.profile : undefined;

type EnvironmentLogin = Exclude<Login, { kind: 'profile' }>;

/** A service, and whose login it gets; where nobody is logged in there, the error that says so. */
export type Target = { readonly baseUrl: string } & (
  { readonly login: Login } | { readonly login?: undefined; readonly missing: GovctlError }
);

/** A file of the repo that names a service, such as govctl.yaml: whoever wrote the repo wrote the address. */
export interface RepoUrl {
  readonly url: string;
  /** The file, as the user would type it. */
  readonly file: string;
}

/**
 * Which service and whose login this command line means. Base URL: flag, environment, a file of the repo, profile.
 * Login: GOVCTL_TOKEN, GOVCTL_CLIENT_ID and _SECRET, GOVCTL_OIDC, then a profile. A profile's login goes to the origin it was
 * made for and to no other; a login of the environment goes to an address that only the repo names if it is trusted.
 * @throws GovctlError usage_error when no service is named, not_logged_in for a profile that does not exist
 */
export async function findTarget(context: Context, repoUrl?: RepoUrl): Promise<Target> {
  const { env } = context.world;
  const own = ownBaseUrl(context);
  const fromEnv = environmentLogin(env);
  if (own !== undefined && fromEnv) return { baseUrl: own, login: fromEnv };
  const profiles = await readProfiles(configDir(env), context.warn);
  if (own === undefined && repoUrl !== undefined) {
    return repoTarget(context, repoUrl, profiles, fromEnv);
  }
  const wanted = context.flags.profile;
  if (own !== undefined) return profileTarget(profiles, own, wanted, sameOrigin);
  const current = wanted ?? profiles.current;
  const known = wanted !== undefined || Object.hasOwn(profiles.profiles, current);
  if (!known) throw noService();
  const profile = profileNamed(profiles, current);
  const baseUrl = parseBaseUrl(profile.base_url, `profile "${current}"`);
  return { baseUrl, login: fromEnv ?? { kind: 'profile', name: current, profile } };
}

/** The address that the user gave, of whom it is taken: by a flag or the environment. */
export function ownBaseUrl({ flags, world }: Pick<Context, 'flags' | 'world'>): string | undefined {
  if (flags.baseUrl === undefined) return undefined;
  const from = flags.baseUrl === world.env.GOVCTL_BASE_URL ? 'GOVCTL_BASE_URL' : '--base-url';
  return parseBaseUrl(flags.baseUrl, from);
}

const parseRepoUrl = ({ url, file }: RepoUrl): string => parseBaseUrl(url, `${file}, base_url`);

function repoTarget(
  context: Context,
  repoUrl: RepoUrl,
  profiles: Profiles,
  fromEnv: EnvironmentLogin | undefined,
): Target {
  const baseUrl = parseRepoUrl(repoUrl);
  const isTrusted = isTrustedUrl(context, baseUrl);
  if (!fromEnv) {
    const fits = isTrusted ? sameOrigin : covers;
    return profileTarget(profiles, baseUrl, context.flags.profile, fits);
  }
  const isKnown = Object.values(profiles.profiles).some(({ base_url }) =>
    covers(base_url, baseUrl),
  );
  if (isTrusted || isKnown) return { baseUrl, login: fromEnv };
  return { baseUrl, missing: notSent(whatIsSent[fromEnv.kind], baseUrl, repoUrl.file) };
}

/** What the service would get of a login of the environment. */
const whatIsSent: Readonly<Record<EnvironmentLogin['kind'], string>> = {
  token: 'GOVCTL_TOKEN',
  client: 'GOVCTL_CLIENT_SECRET',
  oidc: 'The ID token of this CI job',
};

/** Whether the user takes a file's word for this address. @throws GovctlError usage_error for what is no list of URLs */
const isTrustedUrl = ({ flags, world }: Context, baseUrl: string): boolean =>
  flags.trustRepoUrl ||
  (world.env.GOVCTL_TRUSTED_URLS ?? '')
    .split(/[\s,]+/)
    .some((url) => url !== '' && covers(parseBaseUrl(url, 'GOVCTL_TRUSTED_URLS'), baseUrl));

/**
 * The address that a file of the repo names, for a secret that has just been given.
 * @throws GovctlError not_logged_in unless the user trusts the address
 */
export function trustRepoUrl(context: Context, what: string, repoUrl: RepoUrl): string {
  const baseUrl = parseRepoUrl(repoUrl);
  if (isTrustedUrl(context, baseUrl)) return baseUrl;
  throw notSent(what, baseUrl, repoUrl.file);
}

const notSent = (what: string, baseUrl: string, file: string): GovctlError =>
  new GovctlError(
    'not_logged_in',
    `${what} is not sent to ${baseUrl}: only ${file} specifies that URL`,
    {
      hint: `If you trust this URL, pass --base-url ${baseUrl} or set GOVCTL_BASE_URL. To trust URLs from repos, pass --trust-repo-url or list them in GOVCTL_TRUSTED_URLS.`,
    },
  );

/** @param fits whether the login that was made for the first address may be sent to the second */
function profileTarget(
  profiles: Profiles,
  baseUrl: string,
  wanted: string | undefined,
  fits: (known: string, address: string) => boolean,
): Target {
  const name = wanted ?? profileFor(profiles, baseUrl, fits);
  if (name === undefined) return { baseUrl, missing: noLogin(baseUrl, profiles) };
  const profile = profileNamed(profiles, name);
  if (fits(profile.base_url, baseUrl)) {
    return { baseUrl, login: { kind: 'profile', name, profile } };
  }
  return {
    baseUrl,
    missing: new GovctlError(
      'not_logged_in',
      `The login of profile "${name}" is for ${profile.base_url}; it is not sent to ${baseUrl}`,
      { hint: loginHint(baseUrl) },
    ),
  };
}

/** @throws GovctlError usage_error for half of the client credentials, or a token no header can carry */
function environmentLogin(env: NodeJS.ProcessEnv): EnvironmentLogin | undefined {
  const { GOVCTL_TOKEN: token, GOVCTL_CLIENT_ID: clientId, GOVCTL_CLIENT_SECRET: secret } = env;
  const signing = env.GOVCTL_SIGNING_SECRET;
  if (token) {
    return {
      kind: 'token',
      token: checkToken(token, 'GOVCTL_TOKEN'),
      ...(signing ? { signingSecret: checkToken(signing, 'GOVCTL_SIGNING_SECRET') } : {}),
    };
  }
  if (signing) {
    throw new GovctlError('usage_error', 'GOVCTL_SIGNING_SECRET is set, but GOVCTL_TOKEN is not', {
      hint: 'Set both variables, or neither.',
    });
  }
  if (clientId && secret) {
    return { kind: 'client', clientId, clientSecret: secret, ...scopeOf(env) };
  }
  if (!clientId && !secret) {
    return isOn(env.GOVCTL_OIDC) ? { kind: 'oidc', ...scopeOf(env) } : undefined;
  }
  const [given, lacks] = clientId ? ['ID', 'SECRET'] : ['SECRET', 'ID'];
  throw new GovctlError(
    'usage_error',
    `GOVCTL_CLIENT_${given} is set, but GOVCTL_CLIENT_${lacks} is not`,
    { hint: 'Set both variables, or neither.' },
  );
}

const scopeOf = ({ GOVCTL_SCOPE: scope }: NodeJS.ProcessEnv): { readonly scope?: string } =>
  scope ? { scope } : {};

const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value);

/** Trimmed. @throws GovctlError usage_error when it is empty or has characters no token has */
export function checkToken(given: string, from: string): string {
  const token = given.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new GovctlError(
    'usage_error',
    token === ''
      ? `${from} contains no token`
      : `${from} is not a token: it contains spaces, line breaks or non-ASCII characters`,
    { hint: 'Use only the API key or access token, without quotes or "Bearer".' },
  );
}

/** The current profile where it fits the address, else the only one that does. */
function profileFor(
  profiles: Profiles,
  baseUrl: string,
  fits: (known: string, address: string) => boolean,
): string | undefined {
  const fitting = Object.entries(profiles.profiles)
    .filter(([, profile]) => fits(profile.base_url, baseUrl))
    .map(([name]) => name);
  if (fitting.includes(profiles.current)) return profiles.current;
  if (fitting.length > 1) {
    throw new GovctlError(
      'usage_error',
      `Several profiles are for ${baseUrl}: ${fitting.join(', ')}`,
      {
        hint: `Choose with --profile ${fitting[0]} or GOVCTL_PROFILE.`,
      },
    );
  }
  return fitting[0];
}

const noService = (): GovctlError =>
  new GovctlError('usage_error', 'No service given', {
    hint: 'Log in with `govctl auth login`, pass --base-url URL, set GOVCTL_BASE_URL, or set base_url in govctl.yaml. To start a local server, run `govctl server`.',
  });

function noLogin(baseUrl: string, profiles: Profiles): GovctlError {
  const others = Object.entries(profiles.profiles).map(
    ([name, { base_url }]) => `${name} (${base_url})`,
  );
  const elsewhere = others.length > 0 ? `; other logins: ${others.join(', ')}` : '';
  return new GovctlError('not_logged_in', `No login for ${baseUrl}${elsewhere}`, {
    hint: loginHint(baseUrl),
  });
}

const loginHint = (baseUrl: string): string =>
  `Log in with \`govctl auth login --base-url ${baseUrl}\`, or set GOVCTL_TOKEN and GOVCTL_BASE_URL.`;

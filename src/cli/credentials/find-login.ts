import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { parseBaseUrl, sameOrigin } from './base-url.ts';
import { configDir } from './config-dir.ts';
import type { ClientCredentials } from './exchange-token.ts';
import type { Profile, Profiles } from './profiles.ts';
import { profileNamed, readProfiles } from './profiles.ts';

/** Whose word the service takes. */
export type Login =
  | { readonly kind: 'token'; readonly token: string }
  | ({ readonly kind: 'client' } & ClientCredentials)
  | { readonly kind: 'profile'; readonly name: string; readonly profile: Profile };

/** A service, and whose login it gets; where nobody is logged in there, the error that says so. */
export type Target = { readonly baseUrl: string } & (
  { readonly login: Login } | { readonly login?: undefined; readonly missing: GovctlError }
);

/**
 * Which service and whose login this command line means. Base URL: flag, environment, `govctl.yaml`, profile.
 * Login: GOVCTL_TOKEN, GOVCTL_CLIENT_ID and _SECRET, then a profile. A profile's login goes to the origin it was
 * made for and to no other.
 * @throws GovctlError usage_error when no service is named, not_logged_in for a profile that does not exist
 */
export async function findTarget(context: Context, projectBaseUrl?: string): Promise<Target> {
  const { env } = context.world;
  const named = namedBaseUrl(context, projectBaseUrl);
  const fromEnv = environmentLogin(env);
  if (named !== undefined && fromEnv) return { baseUrl: named, login: fromEnv };
  const profiles = await readProfiles(configDir(env), context.warn);
  const wanted = context.flags.profile;
  const current = wanted ?? profiles.current;
  if (named === undefined) {
    const known = wanted !== undefined || Object.hasOwn(profiles.profiles, current);
    if (!known) throw noService();
    const profile = profileNamed(profiles, current);
    const baseUrl = parseBaseUrl(profile.base_url, `profile "${current}"`);
    return { baseUrl, login: fromEnv ?? { kind: 'profile', name: current, profile } };
  }
  const name = wanted ?? profileFor(profiles, named);
  if (name === undefined) return { baseUrl: named, missing: noLogin(named, profiles) };
  const profile = profileNamed(profiles, name);
  if (sameOrigin(profile.base_url, named)) {
    return { baseUrl: named, login: { kind: 'profile', name, profile } };
  }
  return {
    baseUrl: named,
    missing: new GovctlError(
      'not_logged_in',
      `The login of profile "${name}" is for ${profile.base_url}; it is not sent to ${named}`,
      { hint: loginHint(named) },
    ),
  };
}

function namedBaseUrl(context: Context, projectBaseUrl: string | undefined): string | undefined {
  const { flags, world } = context;
  if (flags.baseUrl !== undefined) {
    const from = flags.baseUrl === world.env.GOVCTL_BASE_URL ? 'GOVCTL_BASE_URL' : '--base-url';
    return parseBaseUrl(flags.baseUrl, from);
  }
  return projectBaseUrl === undefined
    ? undefined
    : parseBaseUrl(projectBaseUrl, 'govctl.yaml, base_url');
}

/** @throws GovctlError usage_error for half of the client credentials, or a token no header can carry */
function environmentLogin(env: NodeJS.ProcessEnv): Login | undefined {
  const { GOVCTL_TOKEN: token, GOVCTL_CLIENT_ID: clientId, GOVCTL_CLIENT_SECRET: secret } = env;
  if (token) return { kind: 'token', token: checkToken(token, 'GOVCTL_TOKEN') };
  if (clientId && secret) return { kind: 'client', clientId, clientSecret: secret };
  if (!clientId && !secret) return undefined;
  const [given, lacks] = clientId ? ['ID', 'SECRET'] : ['SECRET', 'ID'];
  throw new GovctlError(
    'usage_error',
    `GOVCTL_CLIENT_${given} is set, but GOVCTL_CLIENT_${lacks} is not`,
    { hint: 'Set both, or neither.' },
  );
}

/** Trimmed. @throws GovctlError usage_error when it is empty or has characters no token has */
export function checkToken(given: string, from: string): string {
  const token = given.trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new GovctlError(
    'usage_error',
    token === ''
      ? `${from} holds no token`
      : `${from} holds something that is not a token: it has spaces, line breaks or characters beyond ASCII`,
    { hint: 'Give the API key or access token alone, without quotes or "Bearer".' },
  );
}

/** The current profile where it fits the address, else the only one that does. */
function profileFor(profiles: Profiles, baseUrl: string): string | undefined {
  const fitting = Object.entries(profiles.profiles)
    .filter(([, profile]) => sameOrigin(profile.base_url, baseUrl))
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
  new GovctlError('usage_error', 'No service is named', {
    hint: 'Log in with `govctl auth login`, give --base-url URL, set GOVCTL_BASE_URL, or write base_url into govctl.yaml. `govctl server` runs one here.',
  });

function noLogin(baseUrl: string, profiles: Profiles): GovctlError {
  const others = Object.entries(profiles.profiles).map(
    ([name, { base_url }]) => `${name} (${base_url})`,
  );
  const elsewhere =
    others.length > 0 ? `; there are logins for other services: ${others.join(', ')}` : '';
  return new GovctlError('not_logged_in', `There is no login for ${baseUrl}${elsewhere}`, {
    hint: loginHint(baseUrl),
  });
}

const loginHint = (baseUrl: string): string =>
  `Log in with \`govctl auth login --base-url ${baseUrl}\`, or set GOVCTL_TOKEN.`;

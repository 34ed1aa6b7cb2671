import type { Client } from '../../client/client.ts';
import { createClient } from '../../client/client.ts';
import type { Fetch } from '../../client/http.ts';
import type { TransportOptions, TryEvent } from '../../client/transport.ts';
import { endpointsAt } from '../api/endpoint-table.ts';
import type { Context } from '../context.ts';
import { createHttpFetch } from '../credentials/http-fetch.ts';
import { isLoopback, isUnprotected } from '../credentials/base-url.ts';
import { certificateFilesOf, readClientCertificate } from '../credentials/client-certificate.ts';
import type { Login, RepoUrl } from '../credentials/find-login.ts';
import { findTarget, profileOf } from '../credentials/find-login.ts';
import type { Profile } from '../credentials/profiles.ts';
import { projectBaseUrl } from './project-base-url.ts';
import { count, printableLine } from '../terminal/printable.ts';
import type { TokenSource } from '../credentials/token-source.ts';
import { createTokenSource, signingSecretOf } from '../credentials/token-source.ts';

export interface Connection {
  readonly client: Client;
  readonly baseUrl: string;
}

/**
 * A client for the service that this command uses. Base URL: flag, environment, `govctl.yaml`, profile.
 * Token: GOVCTL_TOKEN, client credentials of the environment, then the profile's login.
 * @param repoUrl `base_url` of govctl.yaml or of a saved plan, if the command read one
 * @throws GovctlError usage_error without a base URL, not_logged_in without a token
 */
export async function connect(context: Context, repoUrl?: RepoUrl): Promise<Connection> {
  const target = await findTarget(context, repoUrl);
  if (!target.login) throw target.missing;
  const { client } = await connectAs(context, target.baseUrl, target.login, scopeOf);
  return { client, baseUrl: target.baseUrl };
}

/** A client for the service set by flags, environment, `govctl.yaml` or the profile; use `context.client()`. */
export async function connectToOwn(context: Context): Promise<Client> {
  const { client } = await connect(context, await projectBaseUrl(context));
  return client;
}

/** Milliseconds that removing something may take at the end. */
const longestRemoval = 10_000;

/** The same, for what a command removes at its end: it also works after an interruption. */
export const connectToRemove = (context: Context): Promise<Client> =>
  connectToOwn({
    ...context,
    world: { ...context.world, signal: AbortSignal.timeout(longestRemoval) },
  });

/**
 * A client for one service and one login, and the source of its tokens.
 * @param scopeFor the scope that a request's token needs; default: all scopes of the login
 */
export async function connectAs(
  context: Context,
  baseUrl: string,
  login: Login,
  scopeFor: (method: string, path: string) => string | undefined = () => undefined,
): Promise<{ client: Client; tokens: TokenSource }> {
  await warnUnprotected(context, baseUrl);
  const profile = profileOf(login);
  const options = transportOptions(context, baseUrl, profile);
  // What a profile exchanges for tokens goes to the very address that it was made for.
  const home = profile?.base_url ?? baseUrl;
  const tokens = createTokenSource(
    login,
    context.world,
    { ...options, baseUrl: home },
    context.warn,
  );
  const secret = await signingSecretOf(login, context.world, context.warn);
  const client = createClient({
    ...options,
    ...(secret === undefined ? {} : { signing: { secret, sha256, now: context.world.now } }),
    fetch: renewing(options.fetch, tokens),
    token: (method, path) => tokens.token(scopeFor(method, path)),
  });
  return { client, tokens };
}

/** Warns where a login would cross a network in the clear. */
export async function warnUnprotected({ warn }: Context, baseUrl: string): Promise<void> {
  if (!isUnprotected(baseUrl)) return;
  await warn(
    `${baseUrl} is not encrypted: anyone on the network can read your credentials. Use https://.`,
  );
}

async function sha256(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest();
}

/** The scope that an endpoint of the contract needs; undefined for any other. */
const scopeOf = (method: string, path: string): string | undefined =>
  endpointsAt(path.replace(/\?.*$/s, '')).find((row) => row.method === method)?.scope ?? undefined;

/**
 * How this command connects to a service, without a login.
 * @param profile whose client certificate the service is shown, unless the environment names one
 */
export function transportOptions(
  context: Context,
  baseUrl: string,
  profile?: Pick<Profile, 'client_cert' | 'client_key'>,
): TransportOptions {
  const { world, flags, version, talkStyle, serviceClock } = context;
  const files = certificateFilesOf(world, profile);
  const identity = files && {
    baseUrl,
    certificate: () => readClientCertificate(files, { warn: context.warn, now: world.now }),
  };
  const fetch = world.fetch ?? createHttpFetch(world.env, identity);
  const onTry = (event: TryEvent): void =>
    void world.terminal.stderr.write(`${talkStyle.dim(describeTry(event))}\n`);
  return {
    baseUrl,
    fetch: isLoopback(baseUrl) ? serviceClock.reading(fetch) : fetch,
    userAgent: `govctl/${version}`,
    signal: world.signal,
    // On a terminal, the spinner shows progress.
    ...(flags.verbose ? { onTry } : world.terminal.stderrIsTty ? {} : { onTry: sayOnce(context) }),
  };
}

/** Waits of this many milliseconds need an explanation in a CI log. */
const longWait = 1_000;

/** Explains a wait once: an unreachable server may be starting, so requests are retried for some seconds. */
function sayOnce({ say }: Context): (event: TryEvent) => void {
  let said = false;
  return ({ url, status, error, retryInMs }) => {
    if (said || retryInMs === undefined) return;
    if (error === undefined && retryInMs < longWait) return;
    said = true;
    const seconds = count(Math.ceil(retryInMs / 1_000), 'second');
    void say(
      error === undefined
        ? `${new URL(url).origin} returned HTTP ${status}; retrying in ${seconds}`
        : `${printableLine(error)}; retrying for a few seconds`,
    );
  };
}

/** Retries once with a new token if the server refuses the current one, which may have been revoked. */
function renewing(fetch: Fetch, tokens: TokenSource): Fetch {
  const scheme = 'Bearer ';
  return async (url, init) => {
    const answer = await fetch(url, init);
    const sent = init.headers.authorization;
    if (answer.status !== 401 || !sent?.startsWith(scheme)) return answer;
    const token = await tokens.renew(sent.slice(scheme.length));
    if (token === undefined) return answer;
    return fetch(url, {
      ...init,
      headers: { ...init.headers, authorization: scheme + token },
    });
  };
}

const secretParameter = /token|secret|key|password|signature|code/i;

function describeTry(event: TryEvent): string {
  const url = new URL(event.url);
  for (const name of url.searchParams.keys()) {
    if (secretParameter.test(name)) url.searchParams.set(name, '***');
  }
  return [
    `${event.method} ${url.href}`,
    event.status ?? event.error,
    `${Math.round(event.durationMs)} ms`,
    event.requestId,
    event.retryInMs === undefined ? undefined : `retry in ${Math.round(event.retryInMs)} ms`,
  ]
    .filter((part) => part !== undefined)
    .map((part) => printableLine(String(part)))
    .join('  ');
}

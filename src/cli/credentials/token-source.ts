import { defined } from '../../contract/defined.ts';
import { join } from 'node:path';
import { createTransport } from '../../client/transport.ts';
import type { TransportOptions } from '../../client/transport.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { World } from '../context.ts';
import { exchangeIdToken, jobOf } from './ci-token.ts';
import { configDir } from './config-dir.ts';
import type { AccessToken } from './exchange-token.ts';
import { exchangeToken, isScopeRefused } from './exchange-token.ts';
import type { Login } from './find-login.ts';
import { systemKeychain } from './keychain.ts';
import type { Warn } from './private-file.ts';
import type { SecretPlace } from './profiles.ts';
import type { SecretStore, Secrets } from './secret-store.ts';
import { fileStore, keychainStore } from './secret-store.ts';

/** Gives the bearer token, as often as it is asked. */
export interface TokenSource {
  /** @param scope that the request needs; absent: all scopes of the login */
  token(scope?: string): Promise<string>;
  /** A token in place of one the server refused; undefined when this login has no other. */
  renew(refused: string): Promise<string | undefined>;
  /** What is known of the last token given: its end, in milliseconds since the epoch, and its scopes. */
  last(): Omit<AccessToken, 'value'>;
}

/** Milliseconds before its end from which a token is not used any more: a request takes its time. */
const marginMs = 30_000;

/** @throws GovctlError not_logged_in for a login in the keychain while GOVCTL_KEYRING=off keeps us from it */
export function secretStoreOf(world: World, place: SecretPlace, warn: Warn): SecretStore {
  if (place === 'file') return fileStore(configDir(world.env), warn);
  if (place === 'job') return { ...fileStore(jobDir(world.env), warn), place };
  if (world.env.GOVCTL_KEYRING !== 'off') return keychainStore(world.keychain ?? systemKeychain());
  throw new GovctlError(
    'not_logged_in',
    'The login is kept in the keychain, which GOVCTL_KEYRING=off keeps govctl from asking',
    { hint: 'Unset it, or log in again with `govctl auth login`, which then keeps it in a file.' },
  );
}

/** GitHub's runners remove this folder at the end of a job. */
const jobDir = (env: NodeJS.ProcessEnv): string =>
  env.RUNNER_TEMP ? join(env.RUNNER_TEMP, 'govctl') : configDir(env);

/**
 * The tokens of a login. Client credentials, and the ID token of a CI job, are exchanged when first needed; a profile's token
 * is kept in its store until just before it expires, that of the environment in memory only.
 * @param options how to connect to the service
 */
export function createTokenSource(
  login: Login,
  world: World,
  options: TransportOptions,
  warn: Warn,
): TokenSource {
  if (login.kind === 'token') return fixedToken(async () => login.token);
  const transport = createTransport(options);
  const exchangeJob = (scope?: string): Promise<AccessToken> =>
    exchangeIdToken(world, options, defined({ scope }));
  if (login.kind !== 'profile') {
    const exchange = (scope = login.scope): Promise<AccessToken> =>
      login.kind === 'oidc'
        ? exchangeJob(scope)
        : exchangeToken(transport, { ...login, ...defined({ scope }) }, world.now);
    return login.scope === undefined
      ? narrowToken(world.now, exchange)
      : exchangedToken(world.now, exchange);
  }
  const { name, profile } = login;
  const openStore = (): SecretStore => secretStoreOf(world, profile.stored_in, warn);
  if (profile.method === 'api_key') {
    return fixedToken(async () => secretIn(await readSecrets(openStore(), name), name));
  }
  if (profile.method === 'oidc') {
    return exchangedToken(
      world.now,
      async () => {
        const token = await exchangeJob(profile.scope);
        await tryToKeep(openStore(), name, defined({ job: jobOf(world.env) }), token, warn);
        return token;
      },
      async () => {
        const secrets = await openStore().read(name);
        return secrets && secrets.job === jobOf(world.env) ? keptToken(secrets) : undefined;
      },
    );
  }
  return exchangedToken(
    world.now,
    async () => {
      const store = openStore();
      const secrets = await readSecrets(store, name);
      const token = await exchangeToken(
        transport,
        {
          clientId: profile.client_id ?? '',
          clientSecret: secretIn(secrets, name),
          ...(profile.scope ? { scope: profile.scope } : {}),
        },
        world.now,
      );
      await tryToKeep(store, name, secrets, token, warn);
      return token;
    },
    async () => keptToken(await readSecrets(openStore(), name)),
  );
}

/** What requests of a login are signed with; undefined: they need no signature. */
export async function signingSecretOf(
  login: Login,
  world: World,
  warn: Warn,
): Promise<string | undefined> {
  if (login.kind === 'token') return login.signingSecret;
  if (login.kind !== 'profile' || login.profile.signs !== true) return undefined;
  const store = secretStoreOf(world, login.profile.stored_in, warn);
  return (await readSecrets(store, login.name)).signing_secret;
}

function fixedToken(read: () => Promise<string>): TokenSource {
  let token: Promise<string> | undefined;
  return {
    token: () => (token ??= read()),
    renew: async () => undefined,
    last: () => ({}),
  };
}

/**
 * Tokens with no more scopes than were needed so far. A client that lacks one of them gets a token with what it has, so
 * that the service says what is missing.
 */
function narrowToken(
  now: () => number,
  exchange: (scope?: string) => Promise<AccessToken>,
): TokenSource {
  const scopes = new Set<string>();
  let all = false;
  const exchangeNow = async (): Promise<AccessToken> => {
    if (all) return exchange();
    try {
      return await exchange([...scopes].sort().join(' '));
    } catch (error) {
      if (!isScopeRefused(error)) throw error;
      all = true;
      return exchange();
    }
  };
  let source: TokenSource | undefined;
  return {
    async token(scope) {
      const isMore = !all && (scope === undefined || !scopes.has(scope));
      if (scope === undefined) all = true;
      else scopes.add(scope);
      if (isMore) source = undefined;
      // Requests that begin together ask for one token.
      await Promise.resolve();
      source ??= exchangedToken(now, exchangeNow);
      return source.token();
    },
    renew: async (refused) => source?.renew(refused),
    last: () => source?.last() ?? {},
  };
}

/** Requests that need a token at the same time wait for the same exchange. */
function exchangedToken(
  now: () => number,
  exchange: () => Promise<AccessToken>,
  kept: () => Promise<AccessToken | undefined> = async () => undefined,
): TokenSource {
  let current: Promise<AccessToken> | undefined;
  let last: AccessToken | undefined;
  const isFresh = (token: AccessToken): boolean =>
    token.expiresAt === undefined || token.expiresAt - marginMs > now();
  const get = async (begin: () => Promise<AccessToken>): Promise<string> => {
    current ??= begin();
    try {
      last = await current;
    } catch (error) {
      current = undefined;
      throw error;
    }
    return last.value;
  };
  return {
    async token() {
      if (last && !isFresh(last)) [current, last] = [undefined, undefined];
      return get(async () => {
        const old = await kept();
        return old && isFresh(old) ? old : exchange();
      });
    },
    async renew(refused) {
      if (last?.value === refused) [current, last] = [undefined, undefined];
      return get(exchange);
    },
    last: () => last ?? {},
  };
}

async function readSecrets(store: SecretStore, name: string): Promise<Secrets> {
  const secrets = await store.read(name);
  if (secrets) return secrets;
  throw gone(name, store.place === 'keychain' ? 'the keychain' : 'its file');
}

function secretIn({ secret }: Secrets, name: string): string {
  if (secret !== undefined) return secret;
  throw gone(name, 'where it was kept');
}

const gone = (name: string, place: string): GovctlError =>
  new GovctlError(
    'not_logged_in',
    `Profile "${name}" is known, but its login is gone from ${place}`,
    { hint: `Log in again with \`govctl auth login --profile ${name}\`.` },
  );

/** What a profile has of a token for the next command. */
export function withToken(
  { secret, signing_secret, job }: Secrets,
  { value, expiresAt, scope }: AccessToken,
): Secrets {
  const own = defined({ secret, signing_secret, job });
  // Without an end it could be kept for ever, and without a job for one that is not known.
  if (expiresAt === undefined || (secret ?? job) === undefined) return own;
  return {
    ...own,
    token: { value, expires_at: new Date(expiresAt).toISOString(), ...defined({ scope }) },
  };
}

async function tryToKeep(
  store: SecretStore,
  name: string,
  secrets: Secrets,
  token: AccessToken,
  warn: Warn,
): Promise<void> {
  const kept = withToken(secrets, token);
  if (!kept.token) return;
  await store
    .write(name, kept)
    .catch((error: unknown) =>
      warn(`the token could not be kept for the next command: ${(error as Error).message}`),
    );
}

function keptToken({ token }: Secrets): AccessToken | undefined {
  if (!token) return undefined;
  const { value, scope } = token;
  const expiresAt = Date.parse(token.expires_at);
  if (Number.isNaN(expiresAt)) return undefined;
  return { value, expiresAt, ...defined({ scope }) };
}

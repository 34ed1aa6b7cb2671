import { defined } from '../../contract/defined.ts';
import { createTransport } from '../../client/transport.ts';
import type { TransportOptions } from '../../client/transport.ts';
import type { World } from '../context.ts';
import { exchangeIdToken, jobOf } from './ci-token.ts';
import type { AccessToken } from './exchange-token.ts';
import { exchangeToken, isFresh, isScopeRefused } from './exchange-token.ts';
import type { Login } from './find-login.ts';
import type { Warn } from './private-file.ts';
import { refreshLogin } from './refresh-login.ts';
import type { SecretStore, Secrets } from './secret-store.ts';
import {
  keptToken,
  readSecrets,
  secretIn,
  secretStoreOf,
  tokenOfJob,
  withToken,
} from './secret-store.ts';

/** Gives the bearer token, as often as it is asked. */
export interface TokenSource {
  /** @param scope that the request needs; absent: all scopes of the login */
  token(scope?: string): Promise<string>;
  /** A token in place of one the server refused; undefined when this login has no other. */
  renew(refused: string): Promise<string | undefined>;
  /** What is known of the last token given: its end, in milliseconds since the epoch, and its scopes. */
  last(): Pick<AccessToken, 'expiresAt' | 'scope'>;
}

/**
 * The tokens of a login. Client credentials, and the ID token of a CI job, are exchanged when first needed, the login of a person is
 * refreshed; a profile's token is kept in its store until just before it expires, that of the environment in memory only.
 * @param options how to connect to the service that the login is for
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
    return fixedToken(async () => secretIn(await readSecrets(openStore(), name, profile), name));
  }
  const kept = async (): Promise<AccessToken | undefined> =>
    keptToken(await readSecrets(openStore(), name, profile));
  if (profile.method === 'person') {
    return exchangedToken(
      world.now,
      (refused) => refreshLogin({ name, profile }, { world, transport, warn }, refused),
      kept,
    );
  }
  if (profile.method === 'oidc') {
    return exchangedToken(
      world.now,
      async () => {
        const token = await exchangeJob(profile.scope);
        const job = defined({ base_url: profile.base_url, job: jobOf(world.env) });
        await tryToKeep(openStore(), name, job, token, warn);
        return token;
      },
      async () => tokenOfJob(await openStore().read(name), profile, world.env),
    );
  }
  return exchangedToken(
    world.now,
    async () => {
      const store = openStore();
      const secrets = await readSecrets(store, name, profile);
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
    kept,
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
  return (await readSecrets(store, login.name, login.profile)).signing_secret;
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

/**
 * Requests that need a token at the same time wait for the same exchange.
 * @param exchange is told of a token that the service refused
 */
function exchangedToken(
  now: () => number,
  exchange: (refused?: string) => Promise<AccessToken>,
  kept: () => Promise<AccessToken | undefined> = async () => undefined,
): TokenSource {
  let current: Promise<AccessToken> | undefined;
  let last: AccessToken | undefined;
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
      if (last && !isFresh(last, now)) [current, last] = [undefined, undefined];
      return get(async () => {
        const old = await kept();
        return old && isFresh(old, now) ? old : exchange();
      });
    },
    async renew(refused) {
      if (last?.value === refused) [current, last] = [undefined, undefined];
      return get(() => exchange(refused));
    },
    last: () => last ?? {},
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
      warn(`the token could not be cached for the next command: ${(error as Error).message}`),
    );
}

import { createHash } from 'node:crypto';
import type * as OpenidClient from 'openid-client';
import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import type { CompanyConfig } from '../../config/config.ts';
import type { Deps } from '../../deps.ts';
import { isLoopback } from '../../http/address.ts';
import type { Send } from '../../outbound/send.ts';
import type { Claims } from './claims.ts';

/** The provider gave no answer, or none that is of use; its message is for the log. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

/** The provider lets nobody in: why, in words for the person. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

export interface Vouched {
  readonly claims: Claims;
  /** With which the provider is asked again. */
  readonly refreshToken?: string;
}

/** What binds the answer of the provider to the browser that began. */
interface Secrets {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface Provider {
  /**
   * Where the browser is sent.
   * @param isAnew whether the person is to show once more who they are
   * @throws Unreachable
   */
  authorize(secrets: Secrets, given: { readonly redirectUri: string; readonly isAnew: boolean }): Promise<string>; // prettier-ignore
  /** @param url where the browser came back. @throws Unreachable, Refusal */
  redeem(url: URL, secrets: Secrets): Promise<Vouched>;
  /** @throws Unreachable; Refusal where the person has to sign in again */
  refresh(refreshToken: string): Promise<Vouched>;
}

type Client = typeof OpenidClient;

interface Discovered {
  readonly client: Client;
  readonly config: Configuration;
}

/** Milliseconds. */
const freshFor = 60 * 60_000;
const retryAfter = 5_000;
const timeoutMs = 5_000;

/** All that ID tokens may be signed with: keys that only the provider has. */
const algorithms: readonly string[] = ['RS256', 'PS256', 'ES256'];

/** Characters of a subject: OpenID Connect Core 1.0, section 2. */
const longestSubject = 255;

/** Errors of a refresh token that only the person can mend. */
const needsPerson = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
  'access_denied',
]);

/** Loads openid-client, and asks the provider for its metadata, when it is first needed. */
export function createProvider(
  { clock, log, version }: Pick<Deps, 'clock' | 'log' | 'version'>,
  company: CompanyConfig,
  send: Send,
): Provider {
  let known: (Discovered & { readonly until: number }) | undefined;
  let failed: { readonly error: Unreachable; readonly until: number } | undefined;
  let loading: Promise<Discovered> | undefined;

  async function discover(): Promise<Discovered> {
    try {
      const found = await discovered(company, fetchOver(send, version));
      known = { ...found, until: clock.monotonic() + freshFor };
      return found;
    } catch (error) {
      // Whatever it is, people cannot sign in by it now.
      const why = unreachable(error);
      log.warn({ issuer: company.issuer, reason: why.message }, 'company sign-in cannot be reached'); // prettier-ignore
      if (known) return known;
      failed = { error: why, until: clock.monotonic() + retryAfter };
      throw why;
    } finally {
      loading = undefined;
    }
  }

  function load(): Promise<Discovered> {
    const now = clock.monotonic();
    if (known && now < known.until) return Promise.resolve(known);
    // Anybody can ask for the page that asks for this.
    if (failed && now < failed.until) return Promise.reject(failed.error);
    return (loading ??= discover());
  }

  /** What is told of an answer that is none to trust. */
  function distrusted(error: unknown): Refusal {
    const { code = '', message = '' } = error as { code?: string; message?: string };
    log.warn({ issuer: company.issuer, code, reason: message }, 'a response of company sign-in was rejected'); // prettier-ignore
    return new Refusal(
      `${company.name} sent a response that cannot be trusted. Start again. If it happens again, ask the operator of this server to look for the reason in the log`,
    );
  }

  function vouched(tokens: Awaited<ReturnType<Client['refreshTokenGrant']>>): Vouched {
    const claims = tokens.claims();
    if (!claims) throw new Unreachable('the response contains no ID token');
    const { azp, sub } = claims;
    if (azp !== undefined && azp !== company.client_id) {
      throw distrusted(new Error('azp is for a different client'));
    }
    if (sub.length === 0 || sub.length > longestSubject) {
      throw distrusted(new Error('sub is empty or too long'));
    }
    const { refresh_token: refreshToken } = tokens;
    return { claims, ...(refreshToken === undefined ? {} : { refreshToken }) };
  }

  return {
    async authorize({ state, nonce, verifier }, { redirectUri, isAnew }) {
      const { client, config } = await load();
      return client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        ...asked(company, isAnew),
        state,
        nonce,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }).href;
    },

    async redeem(url, { state, nonce, verifier }) {
      const { client, config } = await load();
      try {
        return vouched(
          await client.authorizationCodeGrant(config, url, {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: verifier,
            idTokenExpected: true,
          }),
        );
      } catch (error) {
        if (error instanceof Refusal) throw error;
        if (error instanceof client.AuthorizationResponseError) {
          throw new Refusal(wordsOf(company.name, error.error, error.error_description));
        }
        if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') {
          throw new Refusal('This sign-in has expired or was already finished; start again');
        }
        throw isOutage(error, client) ? unreachable(error) : distrusted(error);
      }
    },

    async refresh(refreshToken) {
      const { client, config } = await load();
      try {
        return vouched(await client.refreshTokenGrant(config, refreshToken));
      } catch (error) {
        if (error instanceof client.ResponseBodyError && needsPerson.has(error.error)) {
          throw new Refusal(error.error);
        }
        throw error instanceof Refusal ? error : unreachable(error);
      }
    },
  };
}

const google = 'https://accounts.google.com';

/** What the provider is asked for. Google has a parameter where others have a scope, and another word for signing in anew. */
function asked({ issuer, scopes }: CompanyConfig, isAnew: boolean): Record<string, string> {
  const isGoogle = new URL(issuer).origin === google;
  const isOffline = isGoogle && scopes.includes('offline_access');
  const prompt = isGoogle ? 'select_account' : 'login';
  return {
    scope: scopes.filter((scope) => !isOffline || scope !== 'offline_access').join(' '),
    ...(isOffline ? { access_type: 'offline' } : {}),
    ...(isAnew ? { prompt } : {}),
  };
}

async function discovered(company: CompanyConfig, customFetch: CustomFetch): Promise<Discovered> {
  const client = await import('openid-client');
  const isInsecure = company.issuer.startsWith('http:');
  const { client_id: id, client_secret: secret } = company;
  const found = await client.discovery(new URL(company.issuer), id, secret, undefined, {
    timeout: timeoutMs / 1_000,
    [client.customFetch]: customFetch,
    execute: isInsecure ? [client.allowInsecureRequests] : [],
  });
  const metadata: ServerMetadata = { ...found.serverMetadata() };
  const { authorization_endpoint: authorize = '', token_endpoint: token = '' } = metadata;
  if (![authorize, token].every((one) => isEndpoint(one, isInsecure))) {
    throw new Unreachable('the metadata has no authorization_endpoint and token_endpoint with https'); // prettier-ignore
  }
  const signedWith = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  const supported = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authentication = supported.includes('client_secret_post')
    ? client.ClientSecretPost(secret)
    : client.ClientSecretBasic(secret);
  const config = new client.Configuration(
    {
      ...metadata,
      id_token_signing_alg_values_supported: signedWith.filter((one) => algorithms.includes(one)),
    },
    id,
    secret,
    authentication,
  );
  config[client.customFetch] = customFetch;
  config.timeout = timeoutMs / 1_000;
  if (isInsecure) client.allowInsecureRequests(config);
  // TLS shows who sent an ID token; its signature shows it once more.
  client.enableNonRepudiationChecks(config);
  return { client, config };
}

const isEndpoint = (text: string, isInsecure: boolean): boolean =>
  URL.canParse(text) && (new URL(text).protocol === 'https:' || (isInsecure && isOnLoopback(text)));

const isOnLoopback = (url: string): boolean =>
  isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));

/** Without redirects, of bounded length and time, as all that the server sends. */
const fetchOver =
  (send: Send, version: string): CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    if (url.startsWith('http:') && !isOnLoopback(url))
      throw new Unreachable('the URL begins with http:');
    const outgoing = {
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: { ...headers, 'user-agent': `govctl/${version}` },
      body: body instanceof URLSearchParams || typeof body === 'string' ? body.toString() : '',
      timeoutMs,
    } as const;
    const outcome = await send(outgoing, signal ?? AbortSignal.timeout(2 * timeoutMs));
    const { status, headers: given = {}, body: text = '', truncated, error } = outcome;
    const where = new URL(url).host;
    if (status === undefined) throw new Unreachable(`${where}: ${error ?? 'no response'}`);
    if (status >= 500 || status === 429) throw new Unreachable(`${where} returned ${status}`);
    if (truncated)
      throw new Unreachable(`${where} sent a response of over 64 KiB, or responded too slowly`);
    const isBare = status === 204 || status === 304;
    return new Response(isBare ? null : text, { status, headers: given });
  };

/** What is the provider's failure, or the operator's: nothing that another try of this person would mend. */
function isOutage(error: unknown, client: Client): boolean {
  if (error instanceof client.ResponseBodyError) return true;
  const { code } = error as { code?: unknown };
  return causeOf(error) !== undefined || code === 'OAUTH_TIMEOUT';
}

/** openid-client wraps what its fetch throws. */
function causeOf(error: unknown): Unreachable | undefined {
  for (let one = error, depth = 0; depth < 5 && one instanceof Error; depth++, one = one.cause) {
    if (one instanceof Unreachable) return one;
  }
  return undefined;
}

function unreachable(error: unknown): Unreachable {
  const known = causeOf(error);
  if (known) return known;
  const { code, error: name, message } = error as { code?: string; error?: string; message?: string }; // prettier-ignore
  return new Unreachable([message, code, name].filter((one) => one !== undefined).join(', '));
}

const longestWords = 300;

/** An error of the provider in plain words. Whoever sent the browser here may have chosen its description. */
function wordsOf(company: string, error: string, description: string | undefined): string {
  if (error === 'access_denied') return `The sign-in was canceled, or ${company} refused it`;
  if (error === 'temporarily_unavailable' || error === 'server_error') {
    return `${company} cannot sign anyone in at the moment; try again later`;
  }
  const plain = (text: string): string =>
    text.replace(/[\p{C}\s]+/gu, ' ').trim().slice(0, longestWords); // prettier-ignore
  const more = description === undefined ? '' : `: ${plain(description)}`;
  return `${company} returned ${plain(error)}${more}`;
}

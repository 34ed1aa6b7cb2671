import { defined } from '../../contract/defined.ts';
import * as z from 'zod';
import { readText } from '../../client/answer.ts';
import type { Transport } from '../../client/transport.ts';
import { TokenResponse, cliClientId } from '../../contract/auth.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import { GovctlError } from '../../contract/errors.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Space-separated; absent: what the client may have. */
  readonly scope?: string;
}

export interface AccessToken {
  readonly value: string;
  /** Milliseconds since the epoch; absent when the server did not say. */
  readonly expiresAt?: number;
  readonly scope?: string;
  /** Of a person: what the next one is got with. */
  readonly refreshToken?: string;
}

/** Milliseconds before its end from which a token is not used any more: a request takes its time. */
const marginMs = 30_000;

export const isFresh = ({ expiresAt }: AccessToken, now: () => number): boolean =>
  expiresAt === undefined || expiresAt - marginMs > now();

export const tokenPath = '/auth/token';

/** Seconds; no date has more. */
const longestLife = 100 * 365 * 24 * 60 * 60;

/** What a header can carry. */
const tokenCharacters = /^[\x21-\x7e]{1,16384}$/;

/** RFC 6749 section 5.2; another server may use other names, or the service's own error body. */
const TokenRefusal = z.looseObject({
  error: z.string(),
  error_description: z.string().optional(),
});

/**
 * Exchanges client credentials for an access token at `{base}/auth/token`.
 * @throws GovctlError not_logged_in when the server refuses them
 */
export const exchangeToken = (
  transport: Transport,
  { clientId, clientSecret, scope }: ClientCredentials,
  now: () => number,
): Promise<AccessToken> =>
  requestToken(transport, now, {
    fields: {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...(scope ? { scope } : {}),
    },
    who: `The client ${JSON.stringify(clientId)}`,
    hint: 'Check the client ID, secret and scope.',
  });

/**
 * Gets the next access token of a person, and the next refresh token.
 * @param login `name` of the profile
 * @throws GovctlError not_logged_in when the service has ended the login
 */
export const refreshToken = (
  transport: Transport,
  login: { readonly name: string; readonly refreshToken: string },
  now: () => number,
): Promise<AccessToken> =>
  requestToken(transport, now, {
    fields: {
      grant_type: 'refresh_token',
      client_id: cliClientId,
      refresh_token: login.refreshToken,
    },
    once: true,
    who: `The login of profile "${login.name}"`,
    hint: `Run \`govctl auth login${login.name === 'default' ? '' : ` --profile ${login.name}`}\`.`,
  });

interface TokenRequest {
  readonly fields: Readonly<Record<string, string>>;
  /** Who asks, for the refusal, and what they can do then. */
  readonly who: string;
  readonly hint: string;
  /**
   * It has a refresh token: one that is sent twice ends the login, and whoever waits to try again holds up all other commands.
   */
  readonly once?: true;
}

/** Asks the token endpoint for an access token. @throws GovctlError not_logged_in when the server refuses */
export async function requestToken(
  transport: Transport,
  now: () => number,
  { fields, ...asking }: TokenRequest,
): Promise<AccessToken> {
  const asked = now();
  const answer = await transport.exchange('POST', tokenPath, {
    anonymous: true,
    ...(asking.once ? {} : { repeatable: true }),
    body: JSON.stringify(fields),
  });
  const text = await readText(answer, `POST ${tokenPath}`);
  const body = parseJson(text);
  if (!answer.ok) throw refusal(answer.status, body, asking);
  const parsed = parseToFirstIssue(TokenResponse, body);
  if (parsed.success) {
    const token = tokenOf(parsed.data, asked);
    if (token) return token;
  }
  throw new GovctlError(
    'bad_answer',
    `POST ${tokenPath} returned HTTP ${answer.status}, but no access_token`,
    { hint: 'Check that the base URL points to the governance service.' },
  );
}

/** @param asked when it was asked for. @returns undefined for what is no token */
export function tokenOf(
  {
    access_token: value,
    expires_in: seconds,
    scope,
    refresh_token: next,
  }: Pick<TokenResponse, 'access_token' | 'expires_in' | 'scope' | 'refresh_token'>,
  asked: number,
): AccessToken | undefined {
  if (!tokenCharacters.test(value)) return undefined;
  if (next !== undefined && !tokenCharacters.test(next)) return undefined;
  return {
    value,
    ...(seconds === undefined
      ? {}
      : { expiresAt: asked + Math.min(Math.max(seconds, 0), longestLife) * 1000 }),
    ...defined({ scope, refreshToken: next }),
  };
}

/** RFC 6749: the client does not have a scope that it asked for. */
const invalidScope = 'invalid_scope';

/** Whether the token endpoint refused the scopes, not the client. */
export const isScopeRefused = (error: unknown): boolean =>
  error instanceof GovctlError && error.extra?.error === invalidScope;

function refusal(
  status: number,
  body: unknown,
  { who, hint, once }: Omit<TokenRequest, 'fields'>,
): GovctlError {
  const said = parseToFirstIssue(TokenRefusal, body);
  const words = said.success
    ? [said.data.error, said.data.error_description].filter(Boolean).join(': ')
    : `status ${status}`;
  if (status === 429 || status >= 500) {
    return new GovctlError(
      status === 429 ? 'rate_limit_exceeded' : 'unavailable',
      `The token endpoint is unavailable (${words})`,
      { status, hint: 'Try again later.' },
    );
  }
  if (status === 404 || status === 405) {
    return new GovctlError('not_logged_in', `This server has no token endpoint (${words})`, {
      status,
      hint: 'Check the base URL, or log in with an API key.',
    });
  }
  return new GovctlError(
    'not_logged_in',
    `${who} ${once ? 'has expired' : 'was refused'}: ${words}`,
    {
      status,
      hint,
      ...(said.success && said.data.error === invalidScope
        ? { extra: { error: invalidScope } }
        : {}),
    },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // HTML from a proxy: the status speaks then
  }
}

import type * as openid from 'openid-client';
import type { Transport } from '../../../client/transport.ts';
import { cliClientId } from '../../../contract/auth.ts';
import { GovctlError } from '../../../contract/errors.ts';
import type { AccessToken } from '../../credentials/exchange-token.ts';
import { tokenOf, tokenPath } from '../../credentials/exchange-token.ts';
import type { LoginOffer } from './read-offer.ts';
import { authorizePath, devicePath } from './read-offer.ts';

export interface OauthClient {
  readonly lib: typeof openid;
  readonly config: openid.Configuration;
}

/** Seconds that ID tokens may be off: nothing here depends on them, and this machine's clock may be wrong. */
const clockTolerance = 24 * 60 * 60;

/**
 * A client of the service's authorization server, whose requests go the way of all others: proxies, authorities, `-v`.
 * @param signal ends them: nobody has logged in before the last one was answered
 */
export async function openOauth(
  transport: Transport,
  baseUrl: string,
  { issuer, namesIssuer }: LoginOffer,
  signal: AbortSignal,
): Promise<OauthClient> {
  // Only logins need it.
  const lib = await import('openid-client');
  const config = new lib.Configuration(
    {
      issuer,
      authorization_endpoint: baseUrl + authorizePath,
      token_endpoint: baseUrl + tokenPath,
      device_authorization_endpoint: baseUrl + devicePath,
      authorization_response_iss_parameter_supported: namesIssuer,
      id_token_signing_alg_values_supported: ['ES256'],
    },
    cliClientId,
    { [lib.clockTolerance]: clockTolerance },
    lib.None(),
  );
  // Whether an address without TLS is taken is decided where commands connect.
  if (baseUrl.startsWith('http:')) lib.allowInsecureRequests(config);
  // The transport has a timeout, and says so; any signal it takes for Ctrl-C.
  config.timeout = 0;
  config[lib.customFetch] = async (url, { method, headers, body }) => {
    const answer = await transport.exchange(method, url.slice(baseUrl.length), {
      anonymous: true,
      // Codes work once: one that is sent again, as no answer came, gets nothing that anybody else has.
      repeatable: true,
      headers,
      signal,
      ...(body === undefined || body === null ? {} : { body: String(body as URLSearchParams) }),
    });
    const hasBody = answer.status !== 204 && answer.status !== 205 && answer.status !== 304;
    return new Response(hasBody ? await answer.text() : null, {
      status: answer.status,
      headers: [...answer.headers],
    });
  };
  return { lib, config };
}

/** The tokens of a person who has just logged in. */
export interface PersonTokens extends AccessToken {
  readonly refreshToken: string;
}

/**
 * Checks what the token endpoint answered.
 * @param asked when it was asked, in milliseconds since the epoch
 * @throws GovctlError bad_answer
 */
export function personTokens(answer: Parameters<typeof tokenOf>[0], asked: number): PersonTokens {
  const token = tokenOf(answer, asked);
  if (token?.refreshToken !== undefined) {
    return { ...token, refreshToken: token.refreshToken };
  }
  throw new GovctlError(
    'bad_answer',
    `POST ${tokenPath} returned no ${token ? 'refresh token' : 'usable access token'}`,
    { hint: 'Check that the base URL points to the governance service.' },
  );
}

/** What went wrong, in our words. @param what the login is: "The login in the browser" */
export async function asLoginError(error: unknown, what: string): Promise<unknown> {
  for (let at = error, seen = 0; at instanceof Error && seen < 5; at = at.cause, seen++) {
    if (at instanceof GovctlError) return at;
  }
  const lib = await import('openid-client');
  if (error instanceof lib.AuthorizationResponseError || error instanceof lib.ResponseBodyError) {
    const said = [error.error, error.error_description].filter(Boolean).join(': ');
    return new GovctlError('not_logged_in', `${what} was refused: ${said.slice(0, 500)}`, {
      cause: error,
      hint: 'Run `govctl auth login` to try again.',
    });
  }
  if (!(error instanceof lib.ClientError)) return error;
  const why = error.cause instanceof Error ? error.cause.message : error.message;
  return new GovctlError('bad_answer', `${what} failed: ${why.slice(0, 500)}`, {
    cause: error,
    hint: 'Check that the base URL points to the governance service, not a proxy or login page.',
  });
}

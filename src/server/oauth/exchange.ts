import { TokenError } from '../../contract/auth.ts';
import type { TokenRequest, TokenResponse } from '../../contract/auth.ts';
import type { Exchange } from '../auth/service.ts';
import { TokenFailure } from '../http/token-failure.ts';
import type { Json } from '../json.ts';
import type { Oauth } from './service.ts';

/** The grants of oidc-provider, for the token endpoint. */
export function createExchanges(
  oauth: Oauth,
  hasDevices: boolean,
): Readonly<Record<string, Exchange>> {
  const exchange: Exchange = async (body, call) => {
    const { header, remoteAddress } = call;
    const answered = await oauth.exchange(textsOf(body), header.call(call, 'authorization'), {
      remoteAddress,
    });
    const text = await answered.text();
    if (answered.ok) {
      // As oidc-provider has made it: the answer of RFC 6749.
      return { body: text as Json<TokenResponse>, headers: { Pragma: 'no-cache' } };
    }
    const { error, error_description: why } = TokenError.parse(JSON.parse(text));
    const challenge = answered.headers.get('www-authenticate');
    throw new TokenFailure(
      error,
      why ?? error,
      answered.status,
      challenge === null ? {} : { 'WWW-Authenticate': challenge },
    );
  };
  return {
    authorization_code: exchange,
    refresh_token: exchange,
    ...(hasDevices ? { 'urn:ietf:params:oauth:grant-type:device_code': exchange } : {}),
  };
}

const textsOf = (body: TokenRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );

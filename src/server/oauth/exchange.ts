import { TokenError } from '../../contract/auth.ts';
import type { TokenRequest, TokenResponse } from '../../contract/auth.ts';
import type { Exchange } from '../auth/service.ts';
import { TokenFailure } from '../http/token-failure.ts';
import type { Json } from '../json.ts';
import { createPolls, pollInterval } from './polls.ts';
import type { Oauth } from './service.ts';

const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * The grants of oidc-provider, for the token endpoint.
 * @param now milliseconds since the epoch
 */
export function createExchanges(
  oauth: Oauth,
  { hasDevices, now }: { readonly hasDevices: boolean; readonly now: () => number },
): Readonly<Record<string, Exchange>> {
  const polls = createPolls(now);
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
    if (error === 'authorization_pending' && polls.isEarly(String(body.device_code))) {
      throw new TokenFailure(
        'slow_down',
        `The device sends requests too often; wait ${pollInterval} seconds longer between requests`,
      );
    }
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
    ...(hasDevices ? { [deviceCode]: exchange } : {}),
  };
}

const textsOf = (body: TokenRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
